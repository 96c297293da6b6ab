// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tinyxml.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace quoin::rigid_body {

/// What a URDF's XML says beside what urdfdom reads of it: the order of the joints, and where things stand.
struct UrdfElements {
  std::vector<std::string> joints;             ///< in the order of the file
  std::unordered_map<std::string, int> lines;  ///< of "joint <name>" and "link <name>"
};

/// Throws std::runtime_error at the first element or attribute that the reader does not know what to do with: urdfdom
/// would pass over it in silence.
UrdfElements check_elements(const TiXmlDocument& document, const std::string& file);

/// file:line: <element name="...">: reason
[[noreturn]] void refuse_urdf(const std::string& file, int line, const std::string& element, const std::string& name,
                              const std::string& reason);

}  // namespace quoin::rigid_body
