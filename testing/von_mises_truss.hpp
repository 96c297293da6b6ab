// SPDX-License-Identifier: BSD-3-Clause
// Two bars that meet at a crown (von Mises 1923), in closed form: bars of length 1 at rest, over half a span a. Under
// the load P, in units of 2 E A, the crown rests at a height w where P = w (1 / l - 1), l = sqrt(a^2 + w^2).
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <cmath>

namespace quoin::truss {

/// x = (P, a).
inline double residual(const Point<2>& x, double w) { return w * (1 / std::hypot(x[1], w) - 1) - x[0]; }
inline double stiffness(const Point<2>& x, double w) { return 1 - x[1] * x[1] / std::pow(std::hypot(x[1], w), 3); }
inline double rise(double half_span) { return std::sqrt(1 - half_span * half_span); }  ///< without load

/// Where the stiffness is zero: the astroid P^(2/3) + a^(2/3) = 1.
inline double limit_load(double half_span) { return std::pow(1 - std::pow(half_span, 2.0 / 3), 1.5); }

/// Newton's method from w = y[0]; false unless it ends in a stable equilibrium.
inline bool correct(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
  double& w = y[0];
  for (int i = 0; i < 40; ++i) {
    const double step = residual(x, w) / stiffness(x, w);
    if (!std::isfinite(step)) return false;
    w += step;
    if (std::abs(step) > 1e-15) continue;
    break;
  }
  const double k = stiffness(x, w), l = std::hypot(x[1], w);
  if (!(std::abs(residual(x, w)) < 1e-14 && k > 0)) return false;
  J << -1 / k, -w * x[1] / (l * l * l * k);
  return true;
}

}  // namespace quoin::truss
