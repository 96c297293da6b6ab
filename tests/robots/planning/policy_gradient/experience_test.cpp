// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/experience.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "robots/planning/policy_gradient/tasks.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

static_assert(ControlTask<ToTheOrigin>);
static_assert(!ControlTask<Mass>);

Learner learner_of(const ToTheOrigin& task, std::uint64_t seed) {
  Learner learner = Learner::random(task.observation_size(), task.action_size(), {.hidden = 16, .seed = seed});
  learner.policy.scale = {Eigen::Vector2d(0.3, -0.2), Eigen::Vector2d(0.5, 2), 100};
  return learner;
}

}  // namespace

TEST_CASE("a softplus network is W2 log(1 + exp(W1 x + b1)) + b2, far from zero as well") {
  const auto network = SoftplusNetwork::random(3, 5, 2, 1, 7);
  Eigen::MatrixXd X = Eigen::MatrixXd::Random(3, 4), Y;
  X.col(3) *= 500;
  network.evaluate(X, Y);
  const double* w = network.weights.data();
  for (Eigen::Index column = 0; column < X.cols(); ++column)
    for (int out = 0; out < 2; ++out) {
      double sum = w[5 * 3 + 5 + 2 * 5 + out];
      for (int unit = 0; unit < 5; ++unit) {
        double z = w[5 * 3 + unit];
        for (int in = 0; in < 3; ++in) z += w[in * 5 + unit] * X(in, column);
        sum += w[5 * 3 + 5 + unit * 2 + out] * (z > 30 ? z + std::exp(-z) : std::log1p(std::exp(z)));
      }
      CHECK(Y(out, column) == Approx(sum).epsilon(1e-12).margin(1e-12));
    }
  CHECK_THROWS_AS(network.evaluate(Eigen::MatrixXd::Zero(2, 1), Y), std::invalid_argument);
  CHECK_THROWS_AS(SoftplusNetwork::random(0, 5, 2, 1, 7), std::invalid_argument);
}

TEST_CASE("a running scale fed in pieces knows mean and variance of the whole") {
  const Eigen::MatrixXd all = (Eigen::MatrixXd::Random(3, 1000).array() * 4 + 7).matrix();
  auto scale = RunningScale::identity(3);
  for (Eigen::Index first = 0; first < 1000; first += 250) scale.add(all.middleCols(first, 250));
  const Eigen::VectorXd mean = all.rowwise().mean();
  CHECK((scale.mean - mean).norm() < 1e-12);
  CHECK((scale.variance - (all.colwise() - mean).array().square().rowwise().mean().matrix()).norm() < 1e-11);
  const Eigen::MatrixXd scaled = scale.apply(all);
  CHECK(scaled.rowwise().mean().norm() < 1e-12);
  CHECK((scaled.array().square().rowwise().mean() - 1).matrix().norm() < 1e-6);
}

TEST_CASE("a change of the scale leaves policy and value the functions that they are") {
  Learner learner = Learner::random(3, 2, {.hidden = 7, .output_scale = 1, .seed = 2});
  const Eigen::MatrixXd seen = Eigen::MatrixXd::Random(3, 50);
  const auto value = [&] {
    Eigen::MatrixXd values;
    learner.value.evaluate(learner.policy.scale.apply(seen), values);
    return values;
  };
  const Eigen::MatrixXd actions = learner.policy.mean(seen), values = value();
  for (const double size : {5.0, 0.1}) {
    learner.rescale((size * Eigen::MatrixXd::Random(3, 1000).array() + size).matrix());
    CHECK((learner.policy.mean(seen) - actions).norm() < 1e-11);
    CHECK((value() - values).norm() < 1e-11);
  }
  CHECK(learner.policy.scale.count == 2000);
}

TEST_CASE("experience is the same to the bit on one thread and on three") {
  const Mass mass;
  const ToTheOrigin task{.edge = 1.2};
  const Learner learner = learner_of(task, 3);
  const Experience one = gather(mass, task, learner, {.actors = 21, .steps = 90, .threads = 1});
  const Experience three = gather(mass, task, learner, {.actors = 21, .steps = 90, .threads = 3});
  CHECK(one.observations == three.observations);
  CHECK(one.actions == three.actions);
  CHECK(one.log_densities == three.log_densities);
  CHECK(one.rewards == three.rewards);
  CHECK(one.ends == three.ends);
  CHECK(one.cut_observations == three.cut_observations);
  CHECK(one.mean_return == three.mean_return);
  // and every actor has its own noise
  std::set<double> first_actions;
  for (int actor = 0; actor < 21; ++actor) first_actions.insert(one.actions(0, 90 * actor));
  CHECK(first_actions.size() == 21);
}

TEST_CASE("experience follows the dynamics from step to step, and says where episodes fail or are cut") {
  const Mass mass;
  const ToTheOrigin task{.edge = 1.2};
  const Learner learner = learner_of(task, 4);
  const Experience e = gather(mass, task, learner, {.actors = 10, .steps = 100});
  int failures = 0, cuts = 0, age = 0;
  double first_return = 0, returns = 0;
  bool first = true;
  Eigen::VectorXd next;
  for (Eigen::Index i = 0; i < e.rewards.size(); ++i) {
    const Eigen::VectorXd x = e.observations.col(i), u = e.actions.col(i);
    mass.step(x, u, next);
    const StepEnd end = e.ends[static_cast<std::size_t>(i)];
    const bool failed = std::abs(next[0]) > 1.2, last = i % 100 == 99;
    ++age;
    CHECK(e.rewards[i] == Approx(task.reward(x, u, next) - (failed ? 50 : 0)));
    if (first) first_return += e.rewards[i];
    if (end == StepEnd::none) {
      CHECK((!failed && !last && age < 40));
      CHECK(e.observations.col(i + 1) == next);
    } else {
      CHECK((end == StepEnd::failed) == failed);
      if (end == StepEnd::cut) {
        CHECK((last || age == 40));
        CHECK(e.cut_observations.col(cuts) == next);
      }
      failures += end == StepEnd::failed;
      cuts += end == StepEnd::cut;
      if (first) returns += first_return / 10;
      first = false;
      age = 0;
    }
    if (last) {
      first = true;
      first_return = 0;
      age = 0;
    }
  }
  CHECK(failures > 5);
  CHECK(cuts > 10);
  CHECK(cuts == e.cut_observations.cols());
  CHECK(e.mean_return == Approx(returns));
}

TEST_CASE("the density of an action is that of a normal distribution about the policy's mean") {
  const Mass mass;
  const ToTheOrigin task;
  const Learner learner = learner_of(task, 5);
  const Experience e = gather(mass, task, learner, {.actors = 3, .steps = 50});
  const double deviation = std::exp(learner.policy.log_deviation[0]);
  for (Eigen::Index i = 0; i < e.rewards.size(); ++i) {
    const double z = (e.actions(0, i) - learner.policy.mean(e.observations.col(i))(0, 0)) / deviation;
    const double density = std::exp(-0.5 * z * z) / (deviation * std::sqrt(2 * 3.14159265358979324));
    CHECK(e.log_densities[i] == Approx(std::log(density)).epsilon(1e-9));
  }
}

TEST_CASE("generalized advantages are the sums that define them") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  const auto draw = [&](Eigen::Index n) {
    Eigen::VectorXd v(n);
    for (double& value : v) value = normal(random);
    return v;
  };
  constexpr int count = 60;
  Experience e{.actors = 2, .steps = 30, .rewards = draw(count), .ends = std::vector<StepEnd>(count, StepEnd::none)};
  for (const std::size_t i : {9u, 40u}) e.ends[i] = StepEnd::failed;
  for (const std::size_t i : {20u, 29u, 59u}) e.ends[i] = StepEnd::cut;
  e.cut_observations.resize(1, 3);
  const Eigen::VectorXd values = draw(count), cut_values = draw(3);
  const double discount = 0.9, lambda = 0.8;
  const Advantages a = generalized_advantages(e, values, cut_values, discount, lambda);
  for (int i = 0; i < count; ++i) {
    double sum = 0, weight = 1;
    for (int k = i;; ++k) {
      const StepEnd end = e.ends[static_cast<std::size_t>(k)];
      const double next = end == StepEnd::failed ? 0
                          : end == StepEnd::none ? values[k + 1]
                                                 : cut_values[k == 20   ? 0
                                                              : k == 29 ? 1
                                                                        : 2];
      sum += weight * (e.rewards[k] + discount * next - values[k]);
      weight *= discount * lambda;
      if (end != StepEnd::none) break;
    }
    CHECK(a.advantages[i] == Approx(sum).epsilon(1e-12));
    CHECK(a.returns[i] == Approx(sum + values[i]).epsilon(1e-12));
  }
  CHECK_THROWS_AS(generalized_advantages(e, values, draw(2), discount, lambda), std::invalid_argument);
}

TEST_CASE("a replay is the motion under the policy's mean, and ends where it fails") {
  const Mass mass;
  const Learner learner = learner_of({}, 6);
  const Eigen::Vector2d start(0.5, 0.5);
  const PolicyReplay whole = replay(mass, ToTheOrigin{.edge = 1e9}, learner.policy, start, 30);
  CHECK_FALSE(whole.failed);
  REQUIRE(whole.states.cols() == 31);
  Eigen::VectorXd next;
  for (int i = 0; i < 30; ++i) {
    CHECK(whole.controls.col(i) == learner.policy.mean(whole.states.col(i)));
    mass.step(whole.states.col(i), whole.controls.col(i), next);
    CHECK(whole.states.col(i + 1) == next);
  }
  const PolicyReplay cut = replay(mass, ToTheOrigin{.edge = 0.65}, learner.policy, start, 30);
  CHECK(cut.failed);
  CHECK(cut.states.cols() == 2);
  CHECK(cut.controls.cols() == 1);
  CHECK(cut.total_reward < -50);
}

TEST_CASE("experience is not gathered with sizes that do not fit") {
  const Mass mass;
  const ToTheOrigin task;
  const Learner learner = learner_of(task, 1);
  CHECK_THROWS_AS(gather(mass, task, learner, {.actors = 0}), std::invalid_argument);
  CHECK_THROWS_AS(gather(mass, task, Learner::random(3, 1), {.actors = 1}), std::invalid_argument);
}

namespace {

/// A mass whose speed a map slows down.
struct MassOnGrid : Mass {
  GridView<2> drag;
  void hint(const Eigen::MatrixXd& states) const { drag.hint(states); }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    Eigen::VectorXd force;
    if (!drag.try_evaluate(x, force).has_value()) return StepStatus::map_failed;
    return Mass::step(x, u + force, next);
  }
  using Mass::step;
};

}  // namespace

TEST_CASE("actors of a block ask for their corners together, and experience stays the same to the bit") {
  const auto drag = exact_function<2>(1,
                                      [](const Point<2>& x, auto y, auto J) {
                                        y[0] = -0.1 * std::sin(x[0]) - 0.2 * x[1];
                                        J << -0.1 * std::cos(x[0]), -0.2;
                                      },
                                      {.concurrent = true});
  const ToTheOrigin task{.edge = 1.2};
  const Learner learner = learner_of(task, 3);
  std::size_t batches[2], evaluations[2];
  Eigen::MatrixXd seen[2];
  for (const bool ahead : {false, true}) {
    const AdaptiveGrid<2> grid(drag, {.spacing = {0.1, 0.1}, .evaluate_ahead = ahead}, Threads{2});
    const Experience e = gather(MassOnGrid{{}, grid.at_level(0)}, task, learner, {.actors = 16, .steps = 40});
    seen[ahead] = e.observations;
    batches[ahead] = grid.statistics().batches;
    evaluations[ahead] = grid.statistics().exact_evaluations;
    CHECK(grid.statistics().unused_corners == 0);
  }
  CHECK(seen[0] == seen[1]);
  CHECK(evaluations[0] == evaluations[1]);
  CHECK(batches[0] > 50);
  CHECK(batches[1] < batches[0] / 2);
}
