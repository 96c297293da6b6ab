// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::swimmer {

/// The added mass of a swimmer's links, each in its own frame, as a function of the joint angles: the function to put
/// on a grid for a swimmer. The rotation of the frames, known in closed form, is taken out. On the same grid the mass
/// matrix is therefore hundreds of times more accurate than from a grid of the mass matrix itself, and tens of times
/// more than from the potentials of Eq. 10 (docs/robots/swimmer_dynamics.md).
///
///     AdaptiveGrid<3> grid(AddedMass<3>(flow, Motion::planar), options);
///     GeneralizedMass<3, GridView<3>> mass(fish, Motion::planar, grid.at_level(0));
///
/// A DifferentiableMap: the packed upper triangle (packed_index) of the symmetrised added mass, (3 or 6) (Dim + 1)
/// square: 78 outputs for four links in a plane. One solve of PotentialFlow with Dim derivatives. Throws as SwimmerFlow
/// does; try_evaluate returns Trust::failed instead.
template <int Dim>
class AddedMass {
 public:
  /// Throws std::invalid_argument unless the swimmer has Dim hinges and can move so.
  AddedMass(SwimmerFlow flow, Motion motion) : flow_(std::move(flow)), motion_(motion) {
    detail::require_hinges("AddedMass", Dim, flow_.swimmer(), motion);
  }
  /// Makes the flow of its own.
  AddedMass(const Swimmer& swimmer, Motion motion) : AddedMass(SwimmerFlow(swimmer), motion) {}

  Eigen::Index output_size() const { return packed_size(twist_size(motion_) * (Dim + 1)); }
  FunctionTraits traits() const { return {.concurrent = true}; }
  /// From which it comes; may serve others.
  const SwimmerFlow& flow() const { return flow_; }
  /// Planar or spatial: which components it has.
  Motion motion() const { return motion_; }
  /// Of the flow (SwimmerFlow::fingerprint) and the motion.
  Fingerprint fingerprint() const {
    return Fingerprint("swimmer::AddedMass").add("flow", flow_.fingerprint()).add("motion", motion_);
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    flow_.added_mass(q, motion_, y, nullptr);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    flow_.added_mass(q, motion_, y, &J);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  SwimmerFlow flow_;
  Motion motion_;
};

}  // namespace quoin::swimmer
