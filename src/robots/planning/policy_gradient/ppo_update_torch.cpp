// SPDX-License-Identifier: BSD-3-Clause
// The only translation unit that uses libtorch.
#include "quoin/robots/planning/policy_gradient/ppo.hpp"

#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include "util/one_torch_thread.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::planning {
namespace {

using torch::Tensor;

/// Column by column in memory: M x rows for libtorch. Refers to the matrix.
template <class Derived>
Tensor rows_of_steps(Eigen::PlainObjectBase<Derived>& columns) {
  return torch::from_blob(columns.data(), {columns.cols(), columns.rows()}, torch::kFloat64);
}
Tensor steps_of(Eigen::VectorXd& values) { return torch::from_blob(values.data(), {values.size()}, torch::kFloat64); }

/// SoftplusNetwork::evaluate, its weights a part of `parameters`. X: M x inputs.
Tensor evaluate(const SoftplusNetwork& shape, const Tensor& parameters, std::int64_t first, const Tensor& X) {
  const auto part = [&](std::int64_t rows, std::int64_t columns) {
    const Tensor view = parameters.narrow(0, first, rows * columns).view({rows, columns});
    first += rows * columns;
    return view;
  };
  const Tensor W1 = part(shape.inputs, shape.hidden), b1 = part(1, shape.hidden);
  const Tensor W2 = part(shape.hidden, shape.outputs), b2 = part(1, shape.outputs);
  constexpr double beyond_double = 40;  // where softplus(z) is z
  return torch::addmm(b2, torch::softplus(torch::addmm(b1, X, W1), 1, beyond_double), W2);
}

/// The data of all epochs, M rows each.
struct Lessons {
  Tensor observations, actions, log_densities, advantages, returns;

  Lessons at(const Tensor& rows) const {
    return {observations.index_select(0, rows), actions.index_select(0, rows), log_densities.index_select(0, rows),
            advantages.index_select(0, rows), returns.index_select(0, rows)};
  }
  Lessons part(std::int64_t first, std::int64_t end) const {
    return {observations.narrow(0, first, end - first), actions.narrow(0, first, end - first),
            log_densities.narrow(0, first, end - first), advantages.narrow(0, first, end - first),
            returns.narrow(0, first, end - first)};
  }
};

/// Sums over some steps, from which the means of a minibatch follow.
struct Sums {
  Eigen::VectorXd gradient;
  double divergence = 0, clipped = 0, squared_value_error = 0;

  void add(const Sums& other) {
    gradient += other.gradient;
    divergence += other.divergence;
    clipped += other.clipped;
    squared_value_error += other.squared_value_error;
  }
};

class Objective {
 public:
  Objective(const Learner& learner, const PpoOptions& options, double variance_of_returns)
      : learner_(learner),
        options_(options),
        actions_(learner.policy.action_size()),
        first_deviation_(learner.policy.network.size()),
        variance_of_returns_(variance_of_returns) {}

  /// Sums over these steps; the loss is -min(ratio A, clipped ratio A) + (V - R)^2 / (2 var R) - weight entropy.
  Sums operator()(Eigen::VectorXd& parameters, const Lessons& lessons) const {
    constexpr double log_two_pi = 1.8378770664093454836;
    const Tensor theta = steps_of(parameters).requires_grad_();
    const auto count = static_cast<double>(lessons.returns.size(0));
    const Tensor mean = evaluate(learner_.policy.network, theta, 0, lessons.observations);
    const Tensor log_deviation = theta.narrow(0, first_deviation_, actions_);
    const Tensor deviations = (lessons.actions - mean) * torch::exp(-log_deviation);
    const Tensor entropy = log_deviation.sum();  // up to a constant
    const Tensor log_density = -0.5 * deviations.square().sum(1) - entropy - 0.5 * log_two_pi * actions_;
    const Tensor log_ratio = log_density - lessons.log_densities, ratio = torch::exp(log_ratio);
    const Tensor clipped = torch::clamp(ratio, 1 - options_.clip, 1 + options_.clip);
    const Tensor gain = torch::minimum(ratio * lessons.advantages, clipped * lessons.advantages).sum();
    const Tensor value = evaluate(learner_.value, theta, first_deviation_ + actions_, lessons.observations).squeeze(1);
    const Tensor squared_error = (value - lessons.returns).square().sum();
    const Tensor loss = 0.5 / variance_of_returns_ * squared_error - gain - count * options_.entropy_weight * entropy;
    const Tensor slope = torch::autograd::grad({loss}, {theta})[0];

    const torch::NoGradGuard no_gradients;
    return {.gradient = Eigen::Map<const Eigen::VectorXd>(slope.data_ptr<double>(), parameters.size()),
            .divergence = (ratio - 1 - log_ratio).sum().item<double>(),
            .clipped = ((ratio - 1).abs() > options_.clip).sum().item<double>(),
            .squared_value_error = squared_error.item<double>()};
  }

 private:
  const Learner& learner_;
  const PpoOptions& options_;
  const std::int64_t actions_, first_deviation_;
  const double variance_of_returns_;
};

void cut_norm(Eigen::Ref<Eigen::VectorXd> gradient, double largest) {
  const double norm = gradient.norm();
  if (norm > largest) gradient *= largest / norm;
}

Eigen::VectorXd values_of(const Learner& learner, const Eigen::MatrixXd& scaled_observations) {
  Eigen::MatrixXd values;
  learner.value.evaluate(scaled_observations, values);
  return values.row(0);
}

double variance(const Eigen::VectorXd& values) { return (values.array() - values.mean()).square().mean(); }

void require(const Learner& learner, const Experience& experience, const PpoOptions& o) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (o.epochs < 1 || o.minibatch < 1 || !positive(o.clip) || !positive(o.learning_rate) ||
      !positive(o.largest_gradient) || !(o.largest_divergence > 0) || !(o.discount >= 0 && o.discount <= 1) ||
      !(o.lambda >= 0 && o.lambda <= 1) || !(o.entropy_weight >= 0))
    throw std::invalid_argument("ppo: epochs " + to_text(o.epochs) + ", minibatch " + to_text(o.minibatch) + ", clip " +
                                to_text(o.clip) + ", learning rate " + to_text(o.learning_rate) +
                                ", largest gradient " + to_text(o.largest_gradient) + " and largest divergence " +
                                to_text(o.largest_divergence) + " must be positive, discount " + to_text(o.discount) +
                                " and lambda " + to_text(o.lambda) + " within 0 and 1, entropy weight " +
                                to_text(o.entropy_weight) + " not negative");
  const Eigen::Index size = learner.parameters().size();
  if (learner.adam.first_moment.size() != size || learner.adam.second_moment.size() != size ||
      experience.observations.rows() != learner.policy.observation_size() ||
      experience.actions.rows() != learner.policy.action_size() || experience.rewards.size() == 0)
    throw std::invalid_argument("ppo_update: " + to_text(learner.adam.first_moment.size()) + " and " +
                                to_text(learner.adam.second_moment.size()) + " moments for " + to_text(size) +
                                " weights; experience of " + to_text(experience.observations.rows()) +
                                " observations, " + to_text(experience.actions.rows()) + " actions, " +
                                to_text(experience.rewards.size()) + " steps");
}

}  // namespace

PpoUpdate ppo_update(Learner& learner, const Experience& experience, const PpoOptions& options) {
  require(learner, experience, options);
  const OneThread one_thread_each;
  PpoUpdate update;
  const auto start = std::chrono::steady_clock::now();
  Eigen::MatrixXd observations = learner.policy.scale.apply(experience.observations);
  const Eigen::VectorXd values = values_of(learner, observations);
  Advantages advantages = generalized_advantages(
      experience, values, values_of(learner, learner.policy.scale.apply(experience.cut_observations)), options.discount,
      options.lambda);
  const double variance_of_returns = variance(advantages.returns) + 1e-12;
  update.explained_variance = 1 - variance(advantages.advantages) / variance_of_returns;
  advantages.advantages.array() -= advantages.advantages.mean();
  advantages.advantages /= std::sqrt(variance(advantages.advantages)) + 1e-8;
  update.seconds_advantages = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!advantages.advantages.allFinite() || !observations.allFinite()) {
    update.finite = false;
    return update;
  }

  const Learner before = learner;
  Eigen::MatrixXd actions = experience.actions;
  Eigen::VectorXd log_densities = experience.log_densities;
  const Lessons lessons{rows_of_steps(observations), rows_of_steps(actions), steps_of(log_densities),
                        steps_of(advantages.advantages), steps_of(advantages.returns)};
  const Objective objective(before, options, variance_of_returns);
  Eigen::VectorXd parameters = learner.parameters();
  const Eigen::Index policy_size = learner.policy.network.size() + learner.policy.action_size();

  const auto count = static_cast<std::int64_t>(experience.rewards.size());
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::mt19937_64 random = detail::random_of(learner.seed, learner.iterations, ~std::uint64_t{0});
  const std::int64_t batches = (count + options.minibatch - 1) / options.minibatch;
  for (int epoch = 0; epoch < options.epochs && update.divergence <= options.largest_divergence; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    const Lessons shuffled = lessons.at(torch::from_blob(order.data(), {count}, torch::kInt64));
    Sums epoch_sums{Eigen::VectorXd::Zero(parameters.size())};
    for (std::int64_t b = 0; b < batches; ++b) {
      const std::int64_t first = b * count / batches, end = (b + 1) * count / batches;
      // Always in parts: the sum must not depend on the number of threads.
      std::array<Sums, 2> parts;
      parallel_for(parts.size(), static_cast<std::size_t>(std::max(1, options.experience.threads)), [&](std::size_t p) {
        const auto bound = [&](std::size_t part) {
          return first + static_cast<std::int64_t>(part) * (end - first) / std::ssize(parts);
        };
        parts[p] = objective(parameters, shuffled.part(bound(p), bound(p + 1)));
      });
      Sums& sums = parts.front();
      for (std::size_t p = 1; p < parts.size(); ++p) sums.add(parts[p]);
      epoch_sums.add(sums);
      sums.gradient /= static_cast<double>(end - first);
      cut_norm(sums.gradient.head(policy_size), options.largest_gradient);
      cut_norm(sums.gradient.tail(parameters.size() - policy_size), options.largest_gradient);
      learner.adam.step(sums.gradient, options.learning_rate, parameters);
    }
    update.divergence = epoch_sums.divergence / static_cast<double>(count);
    update.clipped_share = epoch_sums.clipped / static_cast<double>(count);
    update.value_error = std::sqrt(epoch_sums.squared_value_error / static_cast<double>(count));
  }
  update.finite = parameters.allFinite() && learner.adam.second_moment.allFinite();
  if (!update.finite) {
    learner = before;
    return update;
  }
  learner.set_parameters(parameters);
  learner.rescale(experience.observations);
  ++learner.iterations;
  return update;
}

}  // namespace quoin::planning
