// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace quoin::grab {

/// Of several trials.
struct Spread {
  double mean = 0;
  double deviation = 0;  ///< of one trial; 0 for a single one
};

inline Spread spread(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread found;
  for (const double value : values) found.mean += value / count;
  for (const double value : values) found.deviation += (value - found.mean) * (value - found.mean);
  found.deviation = values.size() > 1 ? std::sqrt(found.deviation / (count - 1)) : 0;
  return found;
}

/// Of at least one value; of an even number the mean of the middle two.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// "0.146 ± 0.001".
inline std::string in_words(const Spread& spread, int decimals) {
  return to_fixed(spread.mean, decimals) + " ± " + to_fixed(spread.deviation, decimals);
}

}  // namespace quoin::grab
