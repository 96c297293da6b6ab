// SPDX-License-Identifier: BSD-3-Clause
#include "number_text.hpp"

#include <locale>

namespace quoin::io::detail {

std::ostringstream plain_text() {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  return text;
}

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

}  // namespace quoin::io::detail
