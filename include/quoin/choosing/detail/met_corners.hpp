// SPDX-License-Identifier: BSD-3-Clause
// Before a grid is made: at how many corners it will be asked, and what values differences there take.
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quoin::choosing_detail {

struct MetCorners {
  double corners;  ///< distinct ones
  double values;   ///< of f: as many, or, differenced, two more to either side of each along each axis
};

/// The corners of the cells that the polygon through X (Dim x M) crosses, on the lattice through `origin`; half a cell
/// at a time, so that cells of which it cuts off a tip may be missed. Where the polygon has more than 1e5 such steps,
/// differenced 1e5 / (1 + 4 Dim), they become longer, and the counts that much larger: a path meets corners as 1/h.
template <int Dim>
MetCorners corners_along(const Eigen::MatrixXd& X, const Point<Dim>& origin, Point<Dim> spacing, bool differenced) {
  const double most_steps = differenced ? 1e5 / (1 + 4 * Dim) : 1e5;  // bounds the memory
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
  const auto keep_distinct = [](std::vector<Corner>& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return static_cast<double>(all.size());
  };
  MetCorners met{};
  met.corners = met.values = coarser * keep_distinct(corners);
  if (!differenced) return met;
  for (std::size_t c = corners.size(); c-- > 0;)
    for (std::size_t i = 0; i < Dim; ++i)
      for (const int beside : {-2, -1, 1, 2}) corners.emplace_back(corners[c])[i] += beside;
  met.values = coarser * keep_distinct(corners);
  return met;
}

/// Those of the cells that cover a box.
template <int Dim>
MetCorners corners_in_box(const Point<Dim>& lower, const Point<Dim>& upper, const Point<Dim>& origin,
                          const Point<Dim>& spacing, bool differenced) {
  const auto first = ((lower - origin).array() / spacing.array()).floor();
  const auto last = ((upper - origin).array() / spacing.array()).floor();
  const auto along = (last - first + 2).eval();
  return {.corners = along.prod(), .values = along.prod() * (differenced ? 1 + 4 * along.inverse().sum() : 1)};
}

}  // namespace quoin::choosing_detail
