// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/force_networks/dense_network.hpp"
#include "quoin/robots/identification/robot_motion.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace quoin::identification {

/// Inverse dynamics as the Euler-Lagrange equation of learned energies: Deep Lagrangian Networks, DeLaN (Lutter,
/// Ritter, Peters 2019), with which Sutanto et al. 2020 compare. One network gives the lower triangle L(q), another
/// the potential V(q), and
///
///     H = L L^T + floor 1,    tau = H qdd + dH/dt qd - 1/2 d(qd^T H qd)/dq + dV/dq + damping qd
///
/// with exact derivatives. Whatever the weights, H is symmetric and positive definite, and without damping the power
/// qd^T tau is the change of the energy 1/2 qd^T H qd + V.
///
///     LagrangianNetwork delan = LagrangianNetwork::random(motion, seed);
///     const Eigen::VectorXd weights = normalizing_weights(motion);
///     fit_forces(delan, motion, {.learning_rate = 1e-3, .target = 0.1, .weights = weights});  // needs libtorch
///     delan.inverse_dynamics(q, qd, qdd, tau);                           // n x T each; T = 1 in a controller
///     Eigen::MatrixXd H = delan.mass_matrix(q);
///
/// Predicting needs no libtorch. A state costs three passes through the first network (its value, its rate along qd,
/// its gradient) and two through the second; no Jacobian of L is formed. Threads may share it. Throws
/// std::invalid_argument for shapes that do not fit.
struct LagrangianNetwork {
  /// a matrix, or columns of one.
  using In = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  /// Likewise; its size is right already.
  using Out = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  /// q, as it is -> the n entries of L's diagonal, by softplus, then those below it, row by row; times inertia_scale
  DenseNetwork inertia = {};
  DenseNetwork potential = {};         ///< q -> V, J
  Eigen::VectorXd inertia_scale = {};  ///< n: of the rows of L, kg^1/2 m
  Eigen::VectorXd damping_root = {};   ///< n, or none if friction is not learned; damping = root^2, N m s/rad or N s/m
  double floor = 1e-6;                 ///< kg m^2, or kg where joints slide

  /// Both networks have these hidden layers; rows of L have scales of 1. Damping begins at 0.1, if it is learned.
  static LagrangianNetwork random(Eigen::Index joints, std::uint64_t seed,
                                  const std::vector<Eigen::Index>& hidden = {32, 64, 32}, bool with_damping = false);

  /// The same, but rows of L begin smaller where a force deviates by less than its joint's acceleration in this motion:
  /// otherwise the inertia of a wrist begins orders of magnitude larger than its forces allow.
  static LagrangianNetwork random(const RobotMotion& motion, std::uint64_t seed,
                                  const std::vector<Eigen::Index>& hidden = {32, 64, 32}, bool with_damping = false);

  Eigen::Index joints() const { return inertia.sizes.empty() ? 0 : inertia.inputs(); }
  Eigen::VectorXd damping() const;  ///< n; 0 if it is not learned
  /// n x T each.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) const;
  /// H, n x n, symmetric and positive definite.
  Eigen::MatrixXd mass_matrix(const Eigen::VectorXd& q) const;
  double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& qd) const;  ///< 1/2 qd^T H qd + V, J
};

/// Throws std::invalid_argument with the numbers, `who` before them, unless it is complete and has
/// this number of joints.
void require(const LagrangianNetwork& delan, Eigen::Index joints, const char* who);

}  // namespace quoin::identification
