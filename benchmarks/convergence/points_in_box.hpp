// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/map/point.hpp"

#include <random>
#include <vector>

namespace benchmarks {

/// Random points, uniform over [lower, upper]^Dim.
template <int Dim>
std::vector<Point<Dim>> points_in_box(int count, double lower, double upper, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(lower, upper);
  std::vector<Point<Dim>> points(count);
  for (Point<Dim>& x : points)
    for (int i = 0; i < Dim; ++i) x[i] = uniform(random);
  return points;
}

}  // namespace benchmarks
