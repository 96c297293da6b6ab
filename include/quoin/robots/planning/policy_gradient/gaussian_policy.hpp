// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/policy_gradient/running_scale.hpp"
#include "quoin/robots/planning/policy_gradient/softplus_network.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// A feedback controller pi(a | o): normal around a network's output for the scaled observation, with the same
/// deviations everywhere (Schulman et al. 2017). Its mean is the controller that is used once learning is over.
///
///   GaussianPolicy policy = load_policy("swim.policy");
///   Eigen::MatrixXd actions = policy.mean(observations);  // o x M -> m x M
///
/// Needs no libtorch. Const and safe from many threads.
struct GaussianPolicy {
  SoftplusNetwork network = {};        ///< from o scaled observations to the m means
  Eigen::VectorXd log_deviation = {};  ///< m, of the actions
  RunningScale scale = {};             ///< of the observations

  Eigen::Index observation_size() const { return network.inputs; }
  Eigen::Index action_size() const { return network.outputs; }

  /// m x M, of observations o x M as the task gives them, column by column.
  Eigen::MatrixXd mean(const Eigen::Ref<const Eigen::MatrixXd>& observations) const {
    Eigen::MatrixXd actions;
    network.evaluate(scale.apply(observations), actions);
    return actions;
  }

  /// Log of the density at an action that is the mean plus this many deviations along each axis.
  double log_density(const Eigen::Ref<const Eigen::VectorXd>& deviations) const {
    constexpr double log_two_pi = 1.8378770664093454836;
    return -0.5 * (deviations.squaredNorm() + static_cast<double>(deviations.size()) * log_two_pi) -
           log_deviation.sum();
  }
};

}  // namespace quoin::planning
