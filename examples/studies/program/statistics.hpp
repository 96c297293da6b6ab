// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace studies {

/// The value below which the share `part` (0 to 1) of the values lies, interpolated between neighbours; NaN if empty.
inline double quantile(std::vector<double> values, double part) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double at = part * static_cast<double>(values.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at), high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

/// The spread of several trials.
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

/// "0.146 ± 0.001".
inline std::string in_words(const Spread& spread, int decimals) {
  return quoin::to_fixed(spread.mean, decimals) + " ± " + quoin::to_fixed(spread.deviation, decimals);
}

}  // namespace studies
