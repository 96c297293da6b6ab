// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/rigid_body/detail/fingerprints.hpp"
#include "quoin/robots/models/rigid_body/detail/posture_terms.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::rigid_body {

/// The mass matrix M(q) of a tree, its lower triangle row by row, as a function of its joint coordinates: an exact
/// reference for a grid. Over some joints, with the others held:
///
///     const MassMatrixMap<7> map(iiwa);
///     AdaptiveGrid<2> grid(restrict_to(map, std::array{1, 3}, base), options);   // base: all seven coordinates
///     y[MassMatrixMap<7>::index(4, 2)];                                          // M_42 = M_24
///
/// A call with Jacobian takes 0.8 us for seven joints: do not cache it (docs/robots/rigid_body.md, "On a grid").
///
/// A DifferentiableMap: q: Dim, rad or m; y: N = Dim (Dim + 1) / 2, kg m^2, kg m or kg; J: N x Dim. Safe to call from
/// many threads, bitwise reproducible. O(depth) for each joint, J O(depth^2). Throws std::invalid_argument if the tree
/// does not have Dim joints. For inertias that are not symmetric it gives M_ij, i >= j, alone.
template <int Dim>
class MassMatrixMap {
 public:
  /// Throws std::invalid_argument unless the tree has Dim joints.
  explicit MassMatrixMap(RigidBodyTree tree) : terms_("MassMatrixMap", std::move(tree), Dim) {}

  /// Index of M_ij in y, i >= j.
  static constexpr Eigen::Index index(int i, int j) { return i * (i + 1) / 2 + j; }

  Eigen::Index output_size() const { return Dim * (Dim + 1) / 2; }
  FunctionTraits traits() const { return {.concurrent = true}; }
  /// Whose masses these are.
  const RigidBodyTree& tree() const { return terms_.tree(); }
  /// Of joints, placements, masses and inertias.
  Fingerprint fingerprint() const {
    Fingerprint fingerprint("rigid_body::MassMatrixMap");
    detail::add_kinematics(tree(), fingerprint);
    detail::add_masses(tree(), fingerprint);
    detail::add_inertias(tree(), fingerprint);
    return fingerprint;
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    y.resize(output_size());
    terms_.mass_matrix(q.data(), y.data(), nullptr);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    y.resize(output_size());
    J.resize(output_size(), Dim);
    terms_.mass_matrix(q.data(), y.data(), J.data());
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  detail::PostureTerms terms_;
};

}  // namespace quoin::rigid_body
