// SPDX-License-Identifier: BSD-3-Clause
// A root in the plane by Newton's method on a grid: what the tests of interleave solve.
#pragma once

#include "quoin/grid/interleave.hpp"
#include "testing/functions.hpp"

#include <Eigen/LU>

#include <cmath>

namespace quoin::test {

/// r(x) = 0 at root, without symmetry: a strictly monotone map of the plane.
inline const Point<2> root(0.37, -0.61);
inline Point<2> residual(const Point<2>& x) {
  const Point<2> d = x - root;
  return {2 * d[0] + std::sin(d[0] + 0.3 * d[1]), 1.5 * d[1] + 0.5 * std::tanh(d[0] - d[1])};
}

inline auto counted_residual(const Calls& calls) {
  return exact_function<2>(2, [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
    ++*calls;
    const Point<2> r = residual(x);
    y << r[0], r[1];
    const Point<2> d = x - root;
    const double c = std::cos(d[0] + 0.3 * d[1]), t = std::tanh(d[0] - d[1]), s = 0.5 * (1 - t * t);
    J << 2 + c, 0.3 * c, s, 1.5 - s;
  });
}

/// Newton's method on a view.
inline SolverResult<Point<2>> newton(const GridView<2>& map, const Point<2>& guess) {
  Point<2> x = guess;
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  for (int n = 0; n < 50; ++n) {
    map.evaluate(x, r, J);
    if (r.norm() < 1e-13) return {.iterate = x, .cost = r.squaredNorm(), .converged = true};
    x -= Eigen::Matrix2d(J).inverse() * Point<2>(r);
  }
  return {.iterate = x, .cost = r.squaredNorm(), .converged = false};
}

inline double exact_cost(const Point<2>& x) { return residual(x).squaredNorm(); }

inline GridOptions<2> half_spacing() {
  GridOptions<2> options;
  options.spacing.setConstant(0.5);
  return options;
}

}  // namespace quoin::test
