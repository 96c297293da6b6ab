// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/vector3.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::rigid_body::detail {

/// The terms of a tree's dynamics that depend on q alone, with their derivatives by q in closed form
/// (docs/notes/rigid_body.md, "On a grid"): several times cheaper than derivatives of inverse dynamics. Const
/// and safe to call from many threads; a thread allocates on its first call for a tree of a given size.
/// Arrays are column-major, q: n.
class PostureTerms {
 public:
  /// `who` requires a tree of `joints` joints; throws std::invalid_argument with both numbers otherwise.
  PostureTerms(const char* who, RigidBodyTree tree, int joints);

  const RigidBodyTree& tree() const { return tree_; }

  /// g: n; dg: n x n, symmetric, or null.
  void gravity(const Eigen::Vector3d& gravity, const double* q, double* g, double* dg) const;
  /// M: the lower triangle row by row, n (n + 1) / 2; dM: its derivatives, n (n + 1) / 2 x n, or null.
  void mass_matrix(const double* q, double* M, double* dM) const;

 private:
  RigidBodyTree tree_;
  std::vector<Body<double>> bodies_;
};

}  // namespace quoin::rigid_body::detail
