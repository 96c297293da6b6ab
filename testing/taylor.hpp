// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace quoin::soft_arm {

/// Least slope of log remainder(h) over log h, h halved `halvings` times from `first`.
template <class Remainder>
double taylor_slope(const Remainder& remainder, double first, int halvings = 4) {
  double least = 1e9, h = first, previous = remainder(h);
  for (int i = 0; i < halvings; ++i) {
    h /= 2;
    const double next = remainder(h);
    least = std::min(least, std::log2(previous / next));
    previous = next;
  }
  return least;
}

}  // namespace quoin::soft_arm
