// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>

#include <cmath>

namespace quoin::test {

/// Checks that remainders at steps that shrink by one ratio fall with an order between two bounds:
///
///   FallingRemainders remainders{.ratio = 2, .min_order = 1.85, .largest_order = 2.15};
///   for (double h = 1e-2; h > 1e-3; h /= 2) remainders.add((f(x + h * v) - f(x) - h * J * v).norm());
struct FallingRemainders {
  double ratio, min_order, largest_order;
  double last = -1;  ///< negative: there is none yet

  void add(double remainder) {
    if (last >= 0) {  // a remainder of 0 has no order, and fails
      const double order = std::log(last / remainder) / std::log(ratio);
      CHECK(order > min_order);
      CHECK(order < largest_order);
    }
    last = remainder;
  }
};

}  // namespace quoin::test
