// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/force_networks/dense_network.hpp"
#include "quoin/robots/identification/robot_motion.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace quoin::identification {

/// Inverse dynamics as a function to be learned, without structure: (q, qd, qdd) -> tau by a network with tanh, the MLP
/// with which Sutanto et al. 2020 compare. Inputs and forces are standardized, each by its mean and deviation over one
/// motion, or taken in their units as they are.
///
///     ForceMlp mlp = ForceMlp::random(motion, seed);
///     fit_forces(mlp, motion, {.learning_rate = 1e-3, .target = 0.1});  // needs libtorch
///     mlp.inverse_dynamics(q, qd, qdd, tau);                           // n x T each; T = 1 in a controller
///
/// Predicting needs no libtorch. O(weights) a state; threads may share it. Throws std::invalid_argument for
/// shapes that do not fit.
struct ForceMlp {
  /// a matrix, or columns of one.
  using In = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  /// Likewise; its size is right already.
  using Out = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  DenseNetwork network = {};                              ///< from 3 n standardized inputs to n standardized forces
  Eigen::VectorXd input_mean = {}, input_deviation = {};  ///< 3 n: of q, qd, qdd
  Eigen::VectorXd force_mean = {}, force_deviation = {};  ///< n

  /// Random weights, and the means and deviations of this motion; what never changes in it has a deviation of 1.
  static ForceMlp random(const RobotMotion& motion, std::uint64_t seed,
                         const std::vector<Eigen::Index>& hidden = {32, 64, 32});

  /// Without standardization: means of 0 and deviations of 1.
  static ForceMlp random(Eigen::Index joints, std::uint64_t seed,
                         const std::vector<Eigen::Index>& hidden = {32, 64, 32});

  Eigen::Index joints() const { return force_mean.size(); }
  /// n x T each.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) const;
  Eigen::MatrixXd standardized_inputs(const In& q, const In& qd, const In& qdd) const;  ///< 3 n x T
  Eigen::MatrixXd standardized_forces(const In& tau) const;                             ///< n x T
};

/// Throws std::invalid_argument with the numbers, `who` before them, unless it is complete and has
/// this number of joints.
void require(const ForceMlp& mlp, Eigen::Index joints, const char* who);

}  // namespace quoin::identification
