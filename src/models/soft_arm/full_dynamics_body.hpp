// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/soft_arm/full_dynamics.hpp"
#include "quoin/models/soft_arm/tile_cholesky.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

/// Scratch memory of a thread that takes a step; a solver copies the symbolic analysis of the one in its body.
struct FullWorkspace {
  TileCholesky cholesky;
  Eigen::SparseMatrix<double> hessian;
};

template <int SpaceDim>
struct FullDynamics<SpaceDim>::Body {
  Body(SoftArm<SpaceDim> the_arm, const Options& the_options);

  /// A workspace for the caller alone, returned when `lease` is destroyed.
  struct Lease {
    const Body& body;
    std::unique_ptr<FullWorkspace> workspace;
    ~Lease() {
      const std::lock_guard lock(body.mutex);
      body.idle.push_back(std::move(workspace));
    }
    FullWorkspace* operator->() const { return workspace.get(); }
  };
  Lease lease() const;

  /// Writes the step's matrix at x, M (1/dt^2 + a/dt) + (1 + beta/dt) d2E/dx2, into the workspace.
  void assemble(const Eigen::VectorXd& x, const Controls& u, FullWorkspace& w) const;

  SoftArm<SpaceDim> arm;
  Options options;
  Eigen::VectorXd mass;                                   ///< of the free coordinates
  double inertia_factor, elastic_factor, damping_factor;  ///< 1/dt^2 + a/dt, 1 + beta/dt, beta/dt
  double energy_rounding;  ///< possible error of E, a small difference of numbers as large as E V
  TileCholesky analysed;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<FullWorkspace>> idle;
};

}  // namespace quoin::soft_arm
