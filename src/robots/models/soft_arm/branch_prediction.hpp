// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "equilibrium.hpp"

#include <Eigen/Core>

namespace quoin::soft_arm {

/// Where a branch of equilibria should be at some controls, from one or two Taylor polynomials known on a line through
/// them.
template <int D>
struct BranchPrediction {
  Eigen::VectorXd x;               // full
  Point<line_count<D>> direction;  // unit, of the line
  Eigen::VectorXd slope;           // dx/ds of the free coordinates along it
  double error_growth;             // d|error|/ds over |error| to leading order, 1/|alpha|
  double distance;                 // to the nearer polynomial's equilibrium, |alpha|
  double moved;                    // |x - that equilibrium|
};

/// The change of the free coordinates that a Taylor polynomial gives for a change of the controls.
template <int D>
Eigen::VectorXd taylor_change(const BranchTaylor& taylor, const Point<line_count<D>>& change);

/// By the Taylor polynomial of `a`, or by the quintic that has value, slope and curvature of `a` and of `b` (null: not
/// given). alpha lies on the line through both, and is neither.
template <int D>
BranchPrediction<D> predict_branch(const SoftArm<D>& arm, const KnownEquilibrium<D>& a, const KnownEquilibrium<D>& b,
                                   const Point<line_count<D>>& alpha);

}  // namespace quoin::soft_arm
