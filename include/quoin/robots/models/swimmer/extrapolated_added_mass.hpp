// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/swimmer/detail/fingerprints.hpp"
#include "quoin/robots/models/swimmer/detail/mesh_extrapolation.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::swimmer {

/// AddedMass by Richardson's extrapolation from two meshes of the same links: the error of a mesh is second order in
/// the size of its panels, and two meshes together cancel that term, in the value and in its Jacobian.
///
///     const Swimmer coarse = ellipsoid_chain({.mesh = 4}), fish = ellipsoid_chain({.mesh = 6});
///     ExtrapolatedAddedMass<3> water(SwimmerFlow(coarse), SwimmerFlow(fish), Motion::planar);
///     AdaptiveGrid<3> grid(water, options);
///     GeneralizedMass<3, GridView<3>> mass(fish, Motion::planar, grid.at_level(0));
///
/// Errors of ellipsoids with n = 6 are 1 to 5 %; extrapolated from 4 and 6 they are below 0.3 % at 1.15 times the time
/// of a value (1.21 with its Jacobian), extrapolated from 3 and 4 below 1.3 % at a fifth of it. Discs thinner than 0.3
/// of their diameter gain less (docs/notes/swimmer_potential_flow.md has the table).
///
/// A DifferentiableMap with the outputs of AddedMass and its use. The meshes must be of one family that converges to
/// the same bodies (geodesic_ellipsoid with two n), finer by the same ratio of panels on all links: with c and f panels
/// on a link, A = A_f + c / (f - c) (A_f - A_c). Throws std::invalid_argument with the numbers if the swimmers have
/// different links, hinges or fluids, or meshes that do not fit.
///
/// Queries throw as those of AddedMass do, wherever one of the two meshes refuses: the coarse one does so at larger
/// gaps. The difference of two positive matrices need not be one, so each answer is checked: std::domain_error unless
/// the mass of links and water together is positive definite. try_evaluate returns Trust::failed in all these cases.
template <int Dim>
class ExtrapolatedAddedMass {
 public:
  /// Throws std::invalid_argument unless the two are of the same links, the second finer.
  ExtrapolatedAddedMass(SwimmerFlow coarse, SwimmerFlow fine, Motion motion)
      : meshes_(std::move(coarse), std::move(fine)), motion_(motion) {
    detail::require_hinges("ExtrapolatedAddedMass", Dim, meshes_.fine().swimmer(), motion);
    detail::require_hinges("ExtrapolatedAddedMass", Dim, meshes_.coarse().swimmer(), motion);
  }

  Eigen::Index output_size() const { return packed_size(twist_size(motion_) * (Dim + 1)); }
  FunctionTraits traits() const { return {.concurrent = true}; }
  /// Of the coarser mesh.
  const SwimmerFlow& coarse() const { return meshes_.coarse(); }
  /// Of the finer mesh.
  const SwimmerFlow& fine() const { return meshes_.fine(); }
  /// Planar or spatial: which components it has.
  Motion motion() const { return motion_; }
  /// Of both flows, the motion, and the masses of the links, which decide whether an answer is refused.
  Fingerprint fingerprint() const {
    Fingerprint fingerprint("swimmer::ExtrapolatedAddedMass");
    fingerprint.add("coarse", coarse().fingerprint()).add("fine", fine().fingerprint()).add("motion", motion_);
    detail::add_masses(fine().swimmer(), fingerprint);
    return fingerprint;
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    meshes_.added_mass(q, motion_, y, nullptr);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    meshes_.added_mass(q, motion_, y, &J);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  detail::MeshExtrapolation meshes_;
  Motion motion_;
};

}  // namespace quoin::swimmer
