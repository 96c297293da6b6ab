// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <concepts>
#include <random>

namespace quoin::planning {

/// The task of a controller: argmax_w sum_i R(x_i, u_i), x_{i+1} = g(x_i, u_i), u_i = pi(o(x_i), w) (Jia, Pan, Manocha
/// 2019, Eq. 6). Const, called from several threads at once.
///
/// An action is the output of the policy, a control the input of the dynamics. An episode ends after `episode_steps`,
/// which the learner takes for an arbitrary cut, or where it fails: `failed`, or the dynamics have no next state.
template <class T>
concept ControlTask =
    requires(const T& task, std::mt19937_64& random, const Eigen::VectorXd& x, const Eigen::VectorXd& next,
             const Eigen::VectorXd& action, Eigen::VectorXd& u, Eigen::Ref<Eigen::VectorXd> observation) {
      { task.observation_size() } -> std::convertible_to<Eigen::Index>;
      { task.action_size() } -> std::convertible_to<Eigen::Index>;
      { task.episode_steps() } -> std::convertible_to<int>;
      { task.start(random) } -> std::convertible_to<Eigen::VectorXd>;  // the state that an episode begins with
      task.observe(x, observation);                                    // o(x)
      task.control(action, u);                                         // u: resized where it must be
      { task.reward(x, u, next) } -> std::convertible_to<double>;      // R, of a step
      { task.failed(next) } -> std::same_as<bool>;                     // the episode is over
      { task.reward_of_failure() } -> std::convertible_to<double>;     // in addition to the step's, if it has one
    };

}  // namespace quoin::planning
