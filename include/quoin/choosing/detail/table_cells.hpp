// SPDX-License-Identifier: BSD-3-Clause
// How many cells of level 0 a table has along each axis, from values of f along a few lines.
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace quoin::choosing_detail {

/// The lines are divided into so many steps. Cells are a power of 2 and no more than these, so that what was looked at
/// are corners of the grid.
inline constexpr int line_steps = 8, lines_of_axis = 4;

/// Points of the unit box (Dim x Dim 4 9): along each axis four lines, apart in all others.
template <int Dim>
Eigen::MatrixXd points_on_lines() {
  Eigen::MatrixXd X(Dim, Dim * lines_of_axis * (line_steps + 1));
  Eigen::Index m = 0;
  for (int axis = 0; axis < Dim; ++axis)
    for (int line = 0; line < lines_of_axis; ++line)
      for (int step = 0; step <= line_steps; ++step, ++m) {
        for (int i = 0; i < Dim; ++i) X(i, m) = 2 * ((line * (2 * i + 1) + i) % lines_of_axis) + 1;
        X(axis, m) = step;
      }
  return X / line_steps;
}

/// How far cubics through even points of a line are off at its odd points, in parts of the errors allowed; NaN if f
/// failed on the line. values: N x 9.
inline double cubic_misses(const Eigen::Ref<const Eigen::MatrixXd>& values) {
  Eigen::Matrix<double, line_steps + 1, 4> cubics;
  cubics.col(0) << 5, -16, 15, 0, -5, 0, 1, 0, 0;
  cubics.col(1) << -1, 0, 9, -16, 9, 0, -1, 0, 0;
  cubics.col(2) = cubics.col(1).reverse();
  cubics.col(3) = cubics.col(0).reverse();
  return (values * cubics).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / 16;
}

/// Cells from the values at points_on_lines (N x Dim 4 9), in parts of the errors allowed; NaN where f failed. The grid
/// halves its cells along all axes together, so that what matters is how the axes compare: where a cubic of quarters of
/// the axis errs by e, cells of 4 e^(1/4) are asked for, scaled to at most 8.
template <int Dim>
std::array<int, std::size_t{Dim}> cells_along(const Eigen::MatrixXd& values,
                                              const std::array<bool, std::size_t{Dim}>& periodic) {
  Eigen::Array<double, Dim, 1> asked;
  for (int axis = 0; axis < Dim; ++axis) {
    double worst = -1;
    for (int line = 0; line < lines_of_axis; ++line) {
      const Eigen::Index first = (axis * lines_of_axis + line) * (line_steps + 1);
      const double misses = cubic_misses(values.middleCols(first, line_steps + 1));
      if (misses > worst) worst = misses;  // no NaN is
    }
    asked[axis] = 4 * std::pow(worst < 0 ? 1 : worst, 0.25);  // no line has an answer everywhere: quarters
  }
  if (asked.maxCoeff() > line_steps) asked *= line_steps / asked.maxCoeff();
  std::array<int, std::size_t{Dim}> cells;
  for (std::size_t i = 0; i < Dim; ++i) {
    const auto power = static_cast<int>(std::lround(std::log2(std::max(asked[static_cast<int>(i)], 1.0))));
    cells[i] = 1 << std::clamp(power, periodic[i] ? 2 : 0, 3);
  }
  return cells;
}

}  // namespace quoin::choosing_detail
