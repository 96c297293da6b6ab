// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/optimization/adam.hpp"
#include "quoin/robots/planning/policy_gradient/gaussian_policy.hpp"
#include "quoin/robots/planning/policy_gradient/softplus_network.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <filesystem>

namespace quoin::planning {

/// The sizes of a new learner, and what it begins with.
struct LearnerOptions {
  Eigen::Index hidden = 64;             ///< units of policy and value, each
  double initial_log_deviation = -0.5;  ///< of the actions
  double output_scale = 0.01;           ///< of the policy's last layer: the first actions are almost pure noise
  std::uint64_t seed = 1;               ///< of the weights, and of all randomness to come
};

/// The whole state of learning between two iterations, as a plain value: a copy can be returned to, and a saved one
/// continues as if it had never stopped, to the bit.
///
///   Learner learner = Learner::random(task.observation_size(), task.action_size(), {.seed = 3});
///   save_learner(learner, "swim.learner");
struct Learner {
  GaussianPolicy policy = {};  ///< what acts
  SoftplusNetwork value = {};  ///< of scaled observations: the discounted return that is expected
  Adam adam = {};              ///< for the weights of policy, log deviations and value, in this order
  long iterations = 0;         ///< completed
  std::uint64_t seed = 1;      ///< with `iterations`, of all randomness to come

  /// A new one, which has learned nothing. Throws std::invalid_argument for sizes below 1, and for
  /// numbers that are not finite.
  static Learner random(Eigen::Index observation_size, Eigen::Index action_size, const LearnerOptions& options = {});

  /// Policy, log deviations, value.
  Eigen::VectorXd parameters() const;
  /// None of them is NaN or infinite: as an iterate it is looked into by this.
  bool all_finite() const { return parameters().allFinite(); }
  /// As parameters() gives them. Throws std::invalid_argument for another number of them.
  void set_parameters(const Eigen::VectorXd& parameters);

  /// Adds observations (o x M) to the scale. The first layers are adapted, so that policy and value remain the same
  /// functions: otherwise a scale that drifts under a policy of small deviations would undo what it learned.
  void rescale(const Eigen::MatrixXd& observations);
};

/// Text with all bits of every number, under any locale, written by `write_file`, so that a file is always whole.
/// Throws std::runtime_error with the file's name if it cannot be written or read, or is not what it should be. Sizes
/// that a file announces are not believed beyond its length.
void save_learner(const Learner& learner, const std::filesystem::path& file);
/// What save_learner wrote.
Learner load_learner(const std::filesystem::path& file);

/// The policy alone. `load_policy` reads a learner's file as well.
void save_policy(const GaussianPolicy& policy, const std::filesystem::path& file);
/// What save_policy or save_learner wrote.
GaussianPolicy load_policy(const std::filesystem::path& file);

}  // namespace quoin::planning
