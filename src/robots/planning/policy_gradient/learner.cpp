// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/learner.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

/// W1 (x - m) / s + b1 = W1' (x - m') / s' + b1' for all x.
void follow(const RunningScale& before, const RunningScale& after, SoftplusNetwork& network) {
  Eigen::Map<Eigen::MatrixXd> W1(network.weights.data(), network.hidden, network.inputs);
  Eigen::Map<Eigen::VectorXd> b1(network.weights.data() + W1.size(), network.hidden);
  b1 += W1 * (after.mean - before.mean).cwiseProduct(before.inverse_deviation());
  W1 *= before.inverse_deviation().cwiseQuotient(after.inverse_deviation()).asDiagonal();
}

}  // namespace

Learner Learner::random(Eigen::Index observation_size, Eigen::Index action_size, const LearnerOptions& options) {
  const OptionsOf of{"Learner::random"};
  of.finite("initial_log_deviation", options.initial_log_deviation);
  of.not_negative_and_finite("output_scale", options.output_scale);
  Learner learner;
  learner.policy.network =
      SoftplusNetwork::random(observation_size, options.hidden, action_size, options.output_scale, 2 * options.seed);
  learner.policy.log_deviation = Eigen::VectorXd::Constant(action_size, options.initial_log_deviation);
  learner.policy.scale = RunningScale::identity(observation_size);
  learner.value = SoftplusNetwork::random(observation_size, options.hidden, 1, 1, 2 * options.seed + 1);
  learner.adam.first_moment = learner.adam.second_moment = Eigen::VectorXd::Zero(learner.parameters().size());
  learner.seed = options.seed;
  return learner;
}

Eigen::VectorXd Learner::parameters() const {
  Eigen::VectorXd all(policy.network.size() + policy.log_deviation.size() + value.size());
  all << policy.network.weights, policy.log_deviation, value.weights;
  return all;
}

void Learner::set_parameters(const Eigen::VectorXd& all) {
  if (all.size() != policy.network.size() + policy.log_deviation.size() + value.size())
    throw std::invalid_argument("Learner::set_parameters: " + to_text(all.size()) + " given, wanted " +
                                to_text(policy.network.size() + policy.log_deviation.size() + value.size()));
  policy.network.weights = all.head(policy.network.size());
  policy.log_deviation = all.segment(policy.network.size(), policy.log_deviation.size());
  value.weights = all.tail(value.size());
}

void Learner::rescale(const Eigen::MatrixXd& observations) {
  const RunningScale before = policy.scale;
  policy.scale.add(observations);
  follow(before, policy.scale, policy.network);
  follow(before, policy.scale, value);
}

}  // namespace quoin::planning
