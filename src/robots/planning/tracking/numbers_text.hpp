// SPDX-License-Identifier: BSD-3-Clause
// Numbers as sentences show them, whatever the locale.
#pragma once

#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <charconv>
#include <string>

namespace quoin::planning {

/// To three digits.
inline std::string rounded(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, 3).ptr};
}

/// In brackets, to all digits.
inline std::string text_of(const Eigen::VectorXd& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "[" : ", ") + to_text(number);
  return text + "]";
}

}  // namespace quoin::planning
