// SPDX-License-Identifier: BSD-3-Clause
// Where a surrogate of a box may be sampled.
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace quoin::choosing_detail {

/// From 0 to 1, the same with every standard library.
inline double unit_number(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }

/// Points of the unit box (Dim x M): its middle, its corners, and as many others, a third of which lie on faces, where
/// an interpolant errs most. The first `apart` of them are far from each other.
template <int Dim>
Eigen::MatrixXd spread_points(std::mt19937_64& random, int others, int apart) {
  constexpr int corners = 1 << Dim;
  Eigen::MatrixXd points(Dim, 1 + corners + others);
  points.col(0).setConstant(0.5);
  for (int corner = 0; corner < corners; ++corner)
    for (int i = 0; i < Dim; ++i) points(i, 1 + corner) = corner >> i & 1;
  for (int m = 0; m < others; ++m)
    for (int i = 0; i < Dim; ++i) {
      double& x = points(i, 1 + corners + m);
      x = unit_number(random);
      if (m < others / 3 && unit_number(random) < 0.5) x = std::round(x);
    }
  Eigen::ArrayXd distance = Eigen::ArrayXd::Constant(points.cols(), std::numeric_limits<double>::infinity());
  for (Eigen::Index next = 1; next < std::min<Eigen::Index>(apart, points.cols()); ++next) {
    distance = distance.min((points.colwise() - points.col(next - 1)).colwise().norm().transpose().array());
    Eigen::Index furthest = 0;
    distance.maxCoeff(&furthest);
    points.col(next).swap(points.col(furthest));
    std::swap(distance[next], distance[furthest]);
  }
  return points;
}

}  // namespace quoin::choosing_detail
