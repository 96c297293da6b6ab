// SPDX-License-Identifier: BSD-3-Clause
// Before a grid is made: how many corners it will evaluate.
#pragma once

#include "quoin/core/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quoin::choosing_detail {

/// The number of distinct corners of the cells that the polygon through X (Dim x M) crosses, on the lattice through
/// `origin`; half a cell at a time, so that cells of which it cuts off a tip may be missed. Where the polygon has more
/// than 1e5 such steps they become longer, and the count that much larger: a path meets corners as 1/h.
template <int Dim>
double corners_along(const Eigen::MatrixXd& X, const Point<Dim>& origin, Point<Dim> spacing) {
  constexpr double most_steps = 1e5;
  const auto steps_between = [&](Eigen::Index m) {
    return std::ceil(2 * ((X.col(m + 1) - X.col(m)).array() / spacing.array()).abs().maxCoeff());
  };
  double steps = 0;
  for (Eigen::Index m = 0; m + 1 < X.cols(); ++m) steps += steps_between(m);
  const double coarser = std::max(1.0, steps / most_steps);
  spacing *= coarser;

  using Corner = std::array<std::int64_t, std::size_t{Dim}>;
  std::vector<Corner> corners;
  Corner last{};
  const auto meet = [&](const Point<Dim>& x) {
    Corner cell;
    for (int i = 0; i < Dim; ++i)
      cell[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(std::floor((x[i] - origin[i]) / spacing[i]));
    if (!corners.empty() && cell == last) return;
    last = cell;
    for (unsigned c = 0; c < 1u << Dim; ++c) {
      Corner corner = cell;
      for (unsigned i = 0; i < Dim; ++i) corner[i] += c >> i & 1;
      corners.push_back(corner);
    }
  };
  for (Eigen::Index m = 0; m + 1 < X.cols(); ++m) {
    const int pieces = static_cast<int>(std::max(1.0, steps_between(m)));
    for (int p = 0; p < pieces; ++p) meet(X.col(m) + (X.col(m + 1) - X.col(m)) * (static_cast<double>(p) / pieces));
  }
  meet(X.col(X.cols() - 1));
  std::sort(corners.begin(), corners.end());
  const auto distinct = std::unique(corners.begin(), corners.end()) - corners.begin();
  return coarser * static_cast<double>(distinct);
}

/// The number of corners of the cells that cover a box.
template <int Dim>
double corners_in_box(const Point<Dim>& lower, const Point<Dim>& upper, const Point<Dim>& origin,
                      const Point<Dim>& spacing) {
  const auto first = ((lower - origin).array() / spacing.array()).floor();
  const auto last = ((upper - origin).array() / spacing.array()).floor();
  return (last - first + 2).prod();
}

}  // namespace quoin::choosing_detail
