// SPDX-License-Identifier: BSD-3-Clause
// Small robots as URDF.
#pragma once

#include <string>

namespace robots {

inline const std::string body =
    "<inertial><origin xyz='0.1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
    "<inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>";

/// A robot of two links, with this joint between them.
inline std::string robot(const std::string& joint, const std::string& link = "<link name='arm'>" + body + "</link>") {
  return "<robot name='r'>\n<link name='base'/>\n" + link + "\n" + joint + "\n</robot>";
}

inline std::string joint(const std::string& type, const std::string& inside) {
  return "<joint name='j' type='" + type + "'><parent link='base'/><child link='arm'/>" + inside + "</joint>";
}

inline const std::string limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";

inline std::string moving(const std::string& name, const std::string& parent, const std::string& child) {
  return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
         "'/></joint>\n";
}

inline std::string named(const std::string& names) {
  std::string links;
  for (const char name : names) links += "<link name='" + std::string(1, name) + "'>" + body + "</link>\n";
  return links;
}

inline std::string tree(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }

}  // namespace robots
