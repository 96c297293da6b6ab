// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/soft_arm/full_dynamics.hpp"
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"
#include "util/workspace_pool.hpp"

namespace quoin::soft_arm {

/// Scratch memory of a thread that takes a step; a solver copies the symbolic analysis of the one in its body.
struct FullWorkspace {
  TileCholesky cholesky;
  Eigen::SparseMatrix<double> hessian;
};

template <int SpaceDim>
struct FullDynamics<SpaceDim>::Body {
  Body(SoftArm<SpaceDim> the_arm, const Options& the_options);

  auto lease() const { return workspaces.lease(analysed, arm.hessian_pattern()); }

  /// Writes the step's matrix at x, M (1/dt^2 + a/dt) + (1 + beta/dt) d2E/dx2, into the workspace.
  void assemble(const Eigen::VectorXd& x, const Controls& u, FullWorkspace& w) const;

  /// A step from x_i and x_{i-1}, begun at 2 x_i - x_{i-1} or at the guess, whichever has the lower potential.
  /// No guess: empty.
  FullStepReport solve(const Eigen::VectorXd& now, const Eigen::VectorXd& before, const Controls& u,
                       const Eigen::VectorXd& guess, Eigen::VectorXd& next) const;

  SoftArm<SpaceDim> arm;
  Options options;
  Eigen::VectorXd mass;                                   ///< of the free coordinates
  double inertia_factor, elastic_factor, damping_factor;  ///< 1/dt^2 + a/dt, 1 + beta/dt, beta/dt
  double energy_rounding;  ///< possible error of E, a small difference of numbers as large as E V
  TileCholesky analysed;
  mutable WorkspacePool<FullWorkspace> workspaces;
};

}  // namespace quoin::soft_arm
