// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tinyxml.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quoin::rigid_body {

/// What a URDF's XML says beside what urdfdom reads of it: the order of the joints, and where things stand.
struct UrdfElements {
  std::string root;                            ///< the link that is no child
  std::vector<std::string> joints;             ///< depth first, siblings in the order of the file
  std::unordered_map<std::string, int> lines;  ///< of "joint <name>" and "link <name>"
};

/// Throws std::runtime_error for a text that would overflow the stack of a parser that calls itself for what an element
/// holds, as tinyxml does.
void check_nesting(std::string_view text, const std::string& file);

/// Throws std::runtime_error at the first element or attribute that the reader does not know what to do with, which
/// urdfdom would pass over in silence, and where the links and joints are no tree.
UrdfElements check_elements(const TiXmlDocument& document, const std::string& file);

/// file:line: <element name="...">: reason
[[noreturn]] void refuse_urdf(const std::string& file, int line, const std::string& element, const std::string& name,
                              const std::string& reason);

}  // namespace quoin::rigid_body
