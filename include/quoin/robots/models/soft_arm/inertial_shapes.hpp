// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/dynamics/inertial_outputs.hpp"
#include "quoin/robots/models/soft_arm/shape_basis.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <optional>

namespace quoin::soft_arm {

/// Directions of the lines' controls in which an arm bends: lines x modes, 1/s^2.
template <int SpaceDim>
using BendingDirections =
    Eigen::Matrix<double, line_count<SpaceDim>, Eigen::Dynamic, 0, line_count<SpaceDim>, line_count<SpaceDim>>;

/// The directions in which the arm moves slowest among its shapes: the generalized eigenvectors v of
/// C v = omega^2 J^T M J v, C = -F0 dl/dalpha, the largest entry of each scaled to omega^2, slowest first. jet: f_s and
/// its first derivatives (SoftArm's size + lines rows) where the arm is about at rest. modes: how many; 0: those whose
/// frequency is at most `ratio` times the first. Throws std::invalid_argument, with the numbers, if lines do not move
/// the arm or not independently of each other, or for modes above the number of lines.
template <int SpaceDim>
BendingDirections<SpaceDim> bending_directions(const SoftArm<SpaceDim>& arm,
                                               const Eigen::Ref<const Eigen::MatrixXd>& jet, int modes = 0,
                                               double ratio = 5);

/// W of InertialDynamics for a soft arm, x = f(alpha) + W(alpha) q, as a map of alpha with the InertialOutputs,
///
///     W = K^-1 M J T - J P,   P = C^-1 J^T M J T,   Kq = W^T K W,   T1_l = F0 J^T H_l J,   T2_l = F0 J^T H_l W,
///
/// where K = d2E/dx2 (f, alpha), J = df/dalpha, M the lumped masses, H_l = d2 l_l/dx2, C = -F0 dl/dalpha = J^T K J, T
/// the bending directions. J^T K W = 0: q does not change the lengths of the lines, to first order. All follow with
/// their derivatives from the 2-jet of f_s at alpha, by one factorization of K and no search for an equilibrium.
///
///     Statics<3> statics{SoftArm<3>{make_beam<3>()}};
///     Eigen::MatrixXd jet(statics.output_size(), 15);
///     statics.evaluate_jet(2, Point<4>::Zero(), jet);
///     InertialShapes<3> inertia(statics, bending_directions(statics.arm(), jet));       // a DifferentiableMap<4>
///     InertialDynamics<4, MassScaledMap<4, Statics<3>>, InertialShapes<3>> dynamics(
///         MassScaledMap<4, Statics<3>>(statics, statics.arm().mass()), inertia, statics.arm().size(),
///         inertia.directions(), {.force_scale = statics.arm().line_force()});
///
/// Coordinates of W are those of MassScaledMap, or, with a basis, those of the basis. Copies share workspaces. Every
/// call is const and safe from many threads if that of the jets is.
template <int SpaceDim>
class InertialShapes {
 public:
  static constexpr int lines = line_count<SpaceDim>;  ///< 2 in the plane, 4 in space
  /// alpha: one number a line.
  using Controls = Point<lines>;
  /// Fills the 2-jet of f_s at alpha (resized), or throws where there is none.
  using Jets = std::function<void(const Controls& alpha, Eigen::MatrixXd& jet)>;

  /// On the statics themselves.
  InertialShapes(const Statics<SpaceDim>& statics, const BendingDirections<SpaceDim>& directions);
  /// On jets from elsewhere, as from a grid's corners; with a basis, in its coordinates. `more` (rows x N): linear
  /// outputs of the shape, which follow the InertialOutputs for each mode. Throws std::invalid_argument for directions
  /// without a column, that are not finite or that depend on each other, and for sizes that do not fit.
  InertialShapes(SoftArm<SpaceDim> arm, const BendingDirections<SpaceDim>& directions, Jets jets,
                 std::optional<ShapeBasis> basis = {}, const Eigen::MatrixXd& more = {});

  /// T, as they were given.
  const BendingDirections<SpaceDim>& directions() const;
  /// Where the outputs are.
  const InertialOutputs& outputs() const;
  Eigen::Index output_size() const;  ///< of outputs(), and of `more` for each mode
  FunctionTraits traits() const { return {.concurrent = true, .repeatable_to = 1e-9}; }

  /// y: outputs. J: outputs x lines. Throws as the jets do, and StaticsFailure where the arm has buckled or its lines
  /// have become dependent.
  Answer evaluate(const Controls& alpha, Eigen::VectorXd& y) const;
  Answer evaluate(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// W in the coordinates of the mesh, N x modes, clamped ones among them.
  Eigen::MatrixXd shapes(const Controls& alpha) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

extern template BendingDirections<2> bending_directions<2>(const SoftArm<2>&, const Eigen::Ref<const Eigen::MatrixXd>&,
                                                           int, double);
extern template BendingDirections<3> bending_directions<3>(const SoftArm<3>&, const Eigen::Ref<const Eigen::MatrixXd>&,
                                                           int, double);
extern template class InertialShapes<2>;
extern template class InertialShapes<3>;

}  // namespace quoin::soft_arm
