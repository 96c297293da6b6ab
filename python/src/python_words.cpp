// SPDX-License-Identifier: BSD-3-Clause
#include "python_words.hpp"

#include <regex>

namespace quoin::python {

std::string in_python_words(const std::string& message) {
  static const std::regex arguments("<[0-9]+>"), option("[A-Za-z]+(Options|Policy|Task|Schedule)::"),
      member("([A-Za-z])::([a-z])"), column("\\bX\\(([0-9]+), ([0-9]+)\\)");
  std::string words = std::regex_replace(message, arguments, "");
  words = std::regex_replace(words, option, "");
  words = std::regex_replace(words, member, "$1.$2");
  return std::regex_replace(words, column, "X[$2, $1]");
}

}  // namespace quoin::python
