// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/escape_xml.hpp"

namespace quoin::io {

std::string escape_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&apos;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          escaped += c;
        }
    }
  }
  return escaped;
}

}  // namespace quoin::io
