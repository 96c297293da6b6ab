// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>

namespace quoin {

/// A number as messages and files show it: the fewest digits that read back as the same number, whatever the locale.
/// Where std::to_string says 0.000000, this says 3e-08.
template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
std::string to_text(Number number) {
  if constexpr (std::floating_point<Number>) {
    if (std::isnan(number)) return "nan";  // "-nan" tells nobody anything
  }
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return {buffer, end};
}

}  // namespace quoin
