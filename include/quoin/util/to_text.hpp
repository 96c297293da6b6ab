// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <algorithm>
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
    if (std::isnan(number)) return "nan";  // the sign of NaN means nothing
  }
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return {buffer, end};
}

/// A number rounded to this many decimals, for tables and pictures, whatever the locale; never "-0".
inline std::string to_fixed(double number, int decimals) {
  if (!std::isfinite(number)) return to_text(number);
  char buffer[400];  // the largest has 309 digits
  const int fitting = std::clamp(decimals, 0, 80);
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed, fitting);
  std::string text(buffer, end);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

/// The shape of a matrix as messages show it: "3 x 4".
template <class Matrix>
  requires requires(const Matrix& matrix) { matrix.rows() + matrix.cols(); }
std::string shape_text(const Matrix& matrix) {
  return to_text(matrix.rows()) + " x " + to_text(matrix.cols());
}

}  // namespace quoin
