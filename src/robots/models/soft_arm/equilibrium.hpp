// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/point.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include <Eigen/Core>

#include <memory>

namespace quoin::soft_arm {

/// An equilibrium and its tangent.
template <int D>
struct Equilibrium {
  Point<line_count<D>> alpha;
  Eigen::VectorXd y;         // [x; l]
  Eigen::MatrixXd jacobian;  // (N + lines) x lines
  double residual;           // |dE/dx|_inf / F0
};

/// The Taylor polynomial of the branch at an equilibrium: coefficients of degree 1 to `order` in
/// graded lexicographic order.
struct BranchTaylor {
  int order;                // 2 or 3
  TaylorRows x;             // of the free coordinates, padded
  Eigen::MatrixXd lengths;  // lines x all coefficients, degree 0 first
};

/// An equilibrium (null: none), with its Taylor polynomial if that is known (else null).
template <int D>
struct KnownEquilibrium {
  std::shared_ptr<const Equilibrium<D>> equilibrium;
  std::shared_ptr<const BranchTaylor> taylor;
};

}  // namespace quoin::soft_arm
