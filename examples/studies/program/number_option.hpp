// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/parse_number.hpp"
#include "quoin/core/to_text.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace studies {

/// For options that are numbers: CLI::Range accepts nan, and prints 1e-9 as 0.000000 in its message.
inline CLI::Validator between(double least, double most = std::numeric_limits<double>::infinity()) {
  const std::string range = std::isinf(most) ? "of at least " + quoin::to_text(least)
                                             : "from " + quoin::to_text(least) + " to " + quoin::to_text(most);
  return {[=](std::string& text) {
            double number = 0;
            const bool fits =
                quoin::parse_number(text, number) && std::isfinite(number) && number >= least && number <= most;
            return fits ? std::string() : "'" + text + "' is not a number " + range;
          },
          range};
}

/// For any other number.
inline CLI::Validator finite() {
  return {[](std::string& text) {
            double number = 0;
            return quoin::parse_number(text, number) && std::isfinite(number) ? ""
                                                                              : "'" + text + "' is not a finite number";
          },
          ""};
}

}  // namespace studies
