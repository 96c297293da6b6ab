// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/rate.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>

namespace studies {

RateInterval interval(const Rate& rate) {
  if (rate.draws == 0) return {.least = 0, .most = 1};
  constexpr double z = 1.959963984540054;  // 97.5 % of the normal distribution lie below
  const double n = rate.draws, p = rate.share();
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // At the ends rounding would leave 1e-17 of what is exactly 0 or 1
  return {.least = rate.successes == 0 ? 0 : std::max(0.0, middle - half),
          .most = rate.successes == rate.draws ? 1 : std::min(1.0, middle + half)};
}

std::string in_words(const Rate& rate) {
  std::string words = std::to_string(rate.successes) + " of " + std::to_string(rate.draws);
  if (rate.draws == 0) return words;
  const RateInterval possible = interval(rate);
  // Rounded outwards: an interval in words holds the one in numbers
  return words + " (" + quoin::to_fixed(100 * rate.share(), 1) + " %, " +
         quoin::to_fixed(std::floor(100 * possible.least), 0) + " to " +
         quoin::to_fixed(std::ceil(100 * possible.most), 0) + ")";
}

}  // namespace studies
