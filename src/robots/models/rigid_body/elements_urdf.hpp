// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tinyxml.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quoin::rigid_body {

/// What a URDF's XML contains beyond what urdfdom reads: the order of the joints, and line numbers.
struct UrdfElements {
  std::string root;                            ///< the link that is no joint's child
  std::vector<std::string> joints;             ///< depth first, siblings in the order of the file
  std::unordered_map<std::string, int> lines;  ///< of "joint <name>" and "link <name>"
};

/// Throws std::runtime_error for a text nested so deeply that it would overflow the stack of a
/// recursive parser such as tinyxml.
void check_nesting(std::string_view text, const std::string& file);

/// Throws std::runtime_error at the first element or attribute that the reader does not know, which urdfdom would
/// silently ignore, and where the links and joints do not form a tree.
UrdfElements check_elements(const TiXmlDocument& document, const std::string& file);

/// Throws "file:line: <element name="...">: reason".
[[noreturn]] void refuse_urdf(const std::string& file, int line, const std::string& element, const std::string& name,
                              const std::string& reason);

}  // namespace quoin::rigid_body
