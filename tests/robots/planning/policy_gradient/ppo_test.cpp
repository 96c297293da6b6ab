// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/ppo.hpp"
#include "quoin/quoin.hpp"
#include "robots/planning/policy_gradient/tasks.hpp"
#include "testing/files.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <limits>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

#ifdef QUOIN_HAS_TORCH  // gradients; all else is tested without

namespace {

PpoOptions small_options() {
  PpoOptions options;
  options.experience = {.actors = 16, .steps = 40};
  options.minibatch = 160;
  options.epochs = 4;
  return options;
}

Learner fresh(std::uint64_t seed) { return Learner::random(2, 1, {.hidden = 12, .output_scale = 0.5, .seed = seed}); }

/// Clipped surrogate, value error over the variance of returns, and entropy, from the networks as they act.
double objective(const Learner& learner, const Experience& e, const Advantages& normalized, double variance,
                 const PpoOptions& options) {
  Eigen::MatrixXd values;
  learner.value.evaluate(learner.policy.scale.apply(e.observations), values);
  const Eigen::MatrixXd means = learner.policy.mean(e.observations);
  const Eigen::VectorXd deviation = learner.policy.log_deviation.array().exp();
  double sum = 0;
  const Eigen::Index count = e.rewards.size();
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::VectorXd z = (e.actions.col(i) - means.col(i)).cwiseQuotient(deviation);
    const double ratio = std::exp(learner.policy.log_density(z) - e.log_densities[i]), a = normalized.advantages[i];
    sum -= std::min(ratio * a, std::clamp(ratio, 1 - options.clip, 1 + options.clip) * a);
    sum += 0.5 / variance * std::pow(values(0, i) - normalized.returns[i], 2);
  }
  return sum / static_cast<double>(count) - options.entropy_weight * learner.policy.log_deviation.sum();
}

double variance_of(const Eigen::VectorXd& v) { return (v.array() - v.mean()).square().mean(); }

/// Mean total reward from some starts under a controller.
template <class Controller>
double worth(const Mass& mass, const ToTheOrigin& task, const Controller& controller) {
  double total = 0;
  std::mt19937_64 random(5);
  constexpr int starts = 50;
  for (int s = 0; s < starts; ++s) {
    Eigen::VectorXd x = task.start(random), next;
    for (int i = 0; i < task.steps; ++i) {
      const Eigen::VectorXd u = controller(x);
      mass.step(x, u, next);
      total += task.reward(x, u, next) / starts;
      x = next;
    }
  }
  return total;
}

}  // namespace

TEST_CASE("the gradient that libtorch gives is the slope of the objective of the networks that act") {
  const Mass mass;
  const ToTheOrigin task;
  Learner learner = fresh(2);
  const Experience e = gather(mass, task, learner, {.actors = 8, .steps = 40});
  PpoOptions options = small_options();
  options.entropy_weight = 0.01;
  options.epochs = 1;
  options.minibatch = 320;
  options.largest_gradient = 1e9;
  // A policy that has moved away from the one that acted, so that some ratios are clipped.
  Eigen::VectorXd moved = learner.parameters();
  std::srand(3);
  moved += 0.05 * Eigen::VectorXd::Random(moved.size());
  learner.set_parameters(moved);

  Eigen::MatrixXd values, cut_values;
  learner.value.evaluate(learner.policy.scale.apply(e.observations), values);
  learner.value.evaluate(learner.policy.scale.apply(e.cut_observations), cut_values);
  Advantages normalized = generalized_advantages(e, values.row(0), cut_values.row(0), options.discount, options.lambda);
  normalized.advantages.array() -= normalized.advantages.mean();
  normalized.advantages /= std::sqrt(variance_of(normalized.advantages));
  const double variance = variance_of(normalized.returns);

  Learner updated = learner;
  const PpoUpdate update = ppo_update(updated, e, options);
  CHECK(update.clipped_share > 0.01);
  CHECK(update.clipped_share < 0.9);
  const Eigen::VectorXd gradient = updated.adam.first_moment / 0.1;  // of Adam's first step
  double largest = 0;
  for (Eigen::Index i = 0; i < moved.size(); ++i) {
    constexpr double h = 1e-6;
    const auto at = [&](double shift) {
      Eigen::VectorXd parameters = moved;
      parameters[i] += shift;
      Learner other = learner;
      other.set_parameters(parameters);
      return objective(other, e, normalized, variance, options);
    };
    const double slope = (at(h) - at(-h)) / (2 * h);
    INFO("parameter " << i);
    CHECK(gradient[i] == Approx(slope).epsilon(1e-4).margin(1e-6));
    largest = std::max(largest, std::abs(slope));
  }
  CHECK(largest > 0.01);
}

TEST_CASE("ratios beyond the clip teach the policy nothing") {
  const Mass mass;
  const ToTheOrigin task;
  Learner learner = fresh(4);
  Experience e = gather(mass, task, learner, {.actors = 4, .steps = 40});
  // Every second step was better than expected and has become far likelier; the others were worse and far less likely.
  learner.value.weights.setZero();
  for (Eigen::Index i = 0; i < e.rewards.size(); ++i) {
    e.rewards[i] = i % 2 == 0 ? 1 : -1;
    e.ends[static_cast<std::size_t>(i)] = StepEnd::failed;
    e.log_densities[i] -= i % 2 == 0 ? 1 : -1;
  }
  e.cut_observations.resize(2, 0);
  PpoOptions options = small_options();
  options.epochs = 1;
  options.minibatch = 160;
  Learner updated = learner;
  CHECK(ppo_update(updated, e, options).clipped_share == 1);
  const Eigen::Index policy = learner.policy.network.size() + 1;
  CHECK(updated.adam.first_moment.head(policy).norm() == 0);
  updated = learner;  // and with every ratio at 1 it does learn
  for (Eigen::Index i = 0; i < e.rewards.size(); ++i) e.log_densities[i] += i % 2 == 0 ? 1 : -1;
  CHECK(ppo_update(updated, e, options).clipped_share == 0);
  CHECK(updated.adam.first_moment.head(policy).norm() > 1e-3);
}

TEST_CASE("policy optimization learns the best controller of a mass on a line, to 5 %") {
  const Mass mass;
  const ToTheOrigin task;
  const Eigen::RowVector2d gain = best_gain(mass);
  const double best = worth(mass, task, [&](const Eigen::VectorXd& x) { return Eigen::VectorXd(-gain * x); });
  for (const std::uint64_t seed : {1u, 2u}) {
    PpoOptions options = small_options();
    options.experience.actors = 64;
    options.minibatch = 640;
    options.iterations = 100;
    options.learning_rate = 3e-3;
    const PpoResult coarse = ppo(mass, task, fresh(seed), options);
    options.learning_rate = 5e-4;
    const PpoResult result = ppo(mass, task, coarse.learner, options);
    REQUIRE(result.stop == Stop::iteration_limit);
    REQUIRE(result.log.size() == 100);
    const double learned =
        worth(mass, task, [&](const Eigen::VectorXd& x) { return Eigen::VectorXd(result.learner.policy.mean(x)); });
    INFO("seed " << seed << ": best " << best << ", learned " << learned << ", first return "
                 << coarse.log.front().mean_return);
    CHECK(learned > 1.05 * best);
    CHECK(learned < best * 0.97);  // both negative: nothing is much better than the best
    CHECK(result.log.back().mean_return > coarse.log.front().mean_return);
    CHECK(result.log.back().explained_variance > 0.5);
  }
}

TEST_CASE("learning that is saved and resumed is the same to the bit as learning that never stopped") {
  const Mass mass;
  const ToTheOrigin task;
  PpoOptions options = small_options();
  options.iterations = 4;
  const PpoResult whole = ppo(mass, task, fresh(9), options);
  options.iterations = 2;
  options.experience.threads = 2;
  const ScratchFolder folder("ppo");
  const std::filesystem::path file = folder / "learner";
  save_learner(ppo(mass, task, fresh(9), options).learner, file);
  const PpoResult resumed = ppo(mass, task, load_learner(file), options);
  CHECK(resumed.learner.iterations == 4);
  CHECK(resumed.learner.parameters() == whole.learner.parameters());
  CHECK(resumed.learner.adam.second_moment == whole.learner.adam.second_moment);
  CHECK(resumed.learner.policy.scale.mean == whole.learner.policy.scale.mean);
  CHECK(resumed.log.back().mean_return == whole.log.back().mean_return);
}

TEST_CASE("one learner goes through the levels of a grid, Adam's memory with it") {
  /// A mass whose friction is known only through a map.
  struct Viscous {
    GridView<1> friction;
    Eigen::Index state_size() const { return 2; }
    Eigen::Index control_size() const { return 1; }
    StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
      Eigen::VectorXd force;
      if (!friction.try_evaluate(Point<1>(x[1]), force).has_value()) return StepStatus::map_failed;
      next = x + 0.2 * Eigen::Vector2d(x[1], u[0] - force[0]);
      return StepStatus::ok;
    }
    StepStatus step(const Eigen::VectorXd&, const Eigen::VectorXd&, Eigen::VectorXd&, Eigen::MatrixXd&,
                    Eigen::MatrixXd&) const {
      return StepStatus::map_failed;
    }
  };
  GridOptions<1> grid_options;
  grid_options.spacing[0] = 1;
  grid_options.lower[0] = -4;
  grid_options.upper[0] = 4;
  AdaptiveGrid<1> grid(exact_function<1>(1,
                                         [](const Point<1>& v, auto value, auto slope) {
                                           value[0] = std::tanh(v[0]);
                                           slope(0, 0) = 1 - value[0] * value[0];
                                         }),
                       grid_options);
  PpoOptions options = small_options();
  options.iterations = 2;
  std::vector<long> updates;
  const auto solver = [&](const GridView<1>& view, const Learner& learner) {
    const PpoResult result = ppo(Viscous{view}, ToTheOrigin{.edge = 3}, learner, options);
    updates.push_back(result.learner.adam.updates);
    return SolverResult<Learner>{result.learner, -result.log.back().mean_return, result.stop == Stop::iteration_limit};
  };
  const auto result = interleave(grid, solver, fresh(1), {.schedule = Levels{.first = 0, .last = 2}});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(result.iterate.iterations == 6);
  CHECK(updates == std::vector<long>{32, 64, 96});
  CHECK(result.rounds.back().exact_evaluations > 0);
  CHECK(grid.statistics().exact_evaluations <= 33);
}

TEST_CASE("a reward that is not finite stops the learning and leaves the learner as it was") {
  struct Broken : ToTheOrigin {
    double reward(const Eigen::VectorXd& x, const Eigen::VectorXd&, const Eigen::VectorXd&) const {
      return x[0] > 0.9 ? std::numeric_limits<double>::quiet_NaN() : 0;
    }
  };
  const Learner before = fresh(1);
  const PpoResult result = ppo(Mass{}, Broken{}, before, small_options());
  CHECK(result.stop == Stop::not_finite);
  CHECK(result.learner.parameters() == before.parameters());
  CHECK(result.learner.iterations == 0);
}

TEST_CASE("the observer sees every iteration and may stop") {
  PpoOptions options = small_options();
  std::vector<long> seen;
  options.observer = [&](const PpoIteration& it, const Learner& learner) {
    CHECK(learner.iterations == it.iteration);
    CHECK(it.dynamics_calls == 640);
    seen.push_back(it.iteration);
    return it.iteration < 3;
  };
  const PpoResult result = ppo(Mass{}, ToTheOrigin{}, fresh(1), options);
  CHECK(result.stop == Stop::stopped_by_observer);
  CHECK(seen == std::vector<long>{1, 2, 3});
}

TEST_CASE("options of learning that do not fit are refused with their numbers") {
  PpoOptions options = small_options();
  options.clip = -0.2;
  CHECK_THROWS_WITH(ppo(Mass{}, ToTheOrigin{}, fresh(1), options), Catch::Contains("clip -0.2"));
  options = small_options();
  options.minibatch = 0;
  CHECK_THROWS_WITH(ppo(Mass{}, ToTheOrigin{}, fresh(1), options), Catch::Contains("minibatch 0"));
  options = small_options();
  options.iterations = -1;
  CHECK_THROWS_WITH(ppo(Mass{}, ToTheOrigin{}, fresh(1), options), Catch::Contains("iterations = -1"));
  CHECK_THROWS_WITH(Learner::random(2, 1, {.output_scale = std::nan("")}), Catch::Contains("output_scale = nan"));
  CHECK_THROWS_WITH(Learner::random(2, 1, {.initial_log_deviation = HUGE_VAL}),
                    Catch::Contains("initial_log_deviation = inf"));
  CHECK_FALSE([] {
    Learner spoilt = fresh(1);
    spoilt.policy.log_deviation[0] = std::nan("");
    return spoilt.all_finite();
  }());
  Learner learner = fresh(1);
  CHECK(learner.all_finite());
  learner.adam.first_moment.resize(3);
  CHECK_THROWS_AS(ppo(Mass{}, ToTheOrigin{}, learner, small_options()), std::invalid_argument);
}

#endif
