// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/rigid_body/detail/fingerprints.hpp"
#include "quoin/robots/models/rigid_body/detail/posture_terms.hpp"
#include "quoin/robots/models/rigid_body/dynamics_options.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <utility>

namespace quoin::rigid_body {

/// The forces g(q) that hold a tree at rest, as a function of its joint coordinates: an exact reference for a grid.
/// Over some joints, with the others held:
///
///     const GravityMap<7> map(iiwa);
///     AdaptiveGrid<2> grid(restrict_to(map, std::array{1, 3}, base), options);   // base: all seven coordinates
///
/// A call with Jacobian takes 0.2 us for seven joints: do not cache it (docs/robots/rigid_body.md, "On a grid").
///
/// A DifferentiableMap: q: Dim, rad or m; y: Dim, N m or N; J: Dim x Dim, the symmetric Hessian of the potential
/// energy. Safe to call from many threads, bitwise reproducible. O(depth) for each joint. Throws std::invalid_argument
/// if the tree does not have Dim joints or gravity is not finite.
template <int Dim>
class GravityMap {
 public:
  /// gravity: m/s^2, in the world.
  explicit GravityMap(RigidBodyTree tree, const Eigen::Vector3d& gravity = DynamicsOptions{}.gravity)
      : terms_("GravityMap", std::move(tree), Dim), gravity_(gravity) {
    if (!gravity.allFinite()) throw std::invalid_argument("GravityMap: the gravity is not finite");
  }

  Eigen::Index output_size() const { return Dim; }
  FunctionTraits traits() const { return {.concurrent = true}; }
  /// Whose forces these are.
  const RigidBodyTree& tree() const { return terms_.tree(); }
  /// Of joints, placements, masses and their centres, and gravity.
  Fingerprint fingerprint() const {
    Fingerprint fingerprint("rigid_body::GravityMap");
    detail::add_kinematics(tree(), fingerprint);
    detail::add_masses(tree(), fingerprint);
    return fingerprint.add_rounded("gravity", gravity_);
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    y.resize(output_size());
    terms_.gravity(gravity_, q.data(), y.data(), nullptr);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    y.resize(output_size());
    J.resize(output_size(), Dim);
    terms_.gravity(gravity_, q.data(), y.data(), J.data());
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  detail::PostureTerms terms_;
  Eigen::Vector3d gravity_;
};

}  // namespace quoin::rigid_body
