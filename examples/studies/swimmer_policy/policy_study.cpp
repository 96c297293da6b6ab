// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_policy/policy_study.hpp"

#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/statistics.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "quoin/util/parallel_for.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace studies::stroke {
namespace {

using planning::GaussianPolicy;
using planning::Learner;
using planning::PpoIteration;
using planning::PpoOptions;
using planning::PpoResult;
using studies::Stopwatch;
using swimmer::GeneralizedMass;
using swimmer::Integrator;
using swimmer::Motion;
using swimmer::SwimmerDynamics;
using swimmer::SwimmerDynamicsOptions;

template <class Water>
auto dynamics_over(const Fish& fish, const Water& water, SwimmerDynamicsOptions options = {}) {
  options.time_step = fish.setup.time_step;
  GeneralizedMass<joints, Water> mass(fish.body, Motion::planar, water);
  return SwimmerDynamics<joints, GeneralizedMass<joints, Water>>(std::move(mass), Motion::planar, options);
}

template <class Dynamics>
Swim swim_with(const Fish& fish, const Dynamics& dynamics, const LearningChoice& choice, const GaussianPolicy& policy,
               int steps) {
  const SwimmingTask task(fish.setup, fish.body, choice.task);
  planning::PolicyReplay motion =
      planning::replay(dynamics, task, policy, dynamics.rest_state(fish.setup.start), steps);
  Swim swim{.states = std::move(motion.states),
            .torques = std::move(motion.controls),
            .failed = motion.failed,
            .reward = motion.total_reward};
  swim.distance = fish.distance(swim.states);
  swim.gait = gait_of(fish, swim.states);
  return swim;
}

double median_of(const LearnedPolicy& learned, double PpoIteration::*part) {
  std::vector<double> values;
  for (const LearningIteration& it : learned.log) values.push_back(it.ppo.*part);
  return studies::median(std::move(values));
}

}  // namespace

LearningChoice::LearningChoice() {
  ppo.experience.threads = cores();
  ppo.entropy_weight = 0.004;
}

Gait gait_of(const Fish& fish, const Eigen::MatrixXd& states) {
  const CentreOfMass centre(fish.body);
  const Eigen::RowVectorXd middle = states.row(1).array() - states.row(1).mean();
  std::vector<double> times, places;
  for (Eigen::Index i = 0; i + 1 < middle.size(); ++i) {
    if ((middle[i] < 0) == (middle[i + 1] < 0)) continue;
    const double part = middle[i] / (middle[i] - middle[i + 1]);
    times.push_back((static_cast<double>(i) + part) * fish.setup.time_step);
    places.push_back((1 - part) * centre(states.col(i)).x() + part * centre(states.col(i + 1)).x());
  }
  Gait gait;
  if (times.size() < 2) return gait;
  gait.cycles = 0.5 * static_cast<double>(times.size() - 1);
  gait.per_cycle = (places.back() - places.front()) / gait.cycles;
  gait.period = (times.back() - times.front()) / gait.cycles;
  return gait;
}

Learner first_learner(const Fish& fish, const LearningChoice& choice) {
  const SwimmingTask task(fish.setup, fish.body, choice.task);
  return Learner::random(task.observation_size(), task.action_size(), choice.learner);
}

LearnedPolicy learn_through_grid(const Fish& fish, AdaptiveGrid<joints>& grid, const LearningChoice& choice,
                                 const Learner& learner, const LearningObserver& observer) {
  if (choice.iterations.empty() || *std::min_element(choice.iterations.begin(), choice.iterations.end()) < 0)
    throw std::invalid_argument("learn_through_grid: numbers of iterations must be given, and not negative");
  const SwimmingTask task(fish.setup, fish.body, choice.task);
  const Levels levels = levels_for(choice.grid.spacing, choice.grid.threshold);
  LearnedPolicy result{.learner = learner, .solved = grid.at_level(levels.first)};
  const Stopwatch watch;
  bool stopped = false;
  long begun = 0;  // iterations on all levels so far
  const auto solver = [&](const GridView<joints>& view, const Learner& current) {
    const auto swim = dynamics_over(fish, view);
    const auto index = static_cast<std::size_t>(view.level() - levels.first);
    const long end = begun + choice.iterations[std::min(index, choice.iterations.size() - 1)];
    PpoOptions options = choice.ppo;
    options.iterations = static_cast<int>(std::max(0L, end - std::max(begun, current.iterations)));
    options.observer = [&](const PpoIteration& it, const Learner& latest) {
      const Swim now = swim_with(fish, swim, choice, latest.policy, fish.setup.steps);
      const auto statistics = grid.statistics();
      result.log.push_back({it, view.level(), static_cast<long>(statistics.exact_evaluations), watch.seconds(),
                            statistics.seconds_in_function, now.distance, now.failed});
      stopped = stopped || (observer && !observer(result.log.back(), latest));
      return !stopped;
    };
    begun = end;
    result.solved = view;
#ifdef QUOIN_HAS_TORCH
    const PpoResult solved = planning::ppo(swim, task, current, options);
#else
    const PpoResult solved{.learner = current};
    if (options.iterations > 0)
      throw std::runtime_error("learning needs libtorch, without which this was built (Debian: libtorch-dev)");
#endif
    if (solved.stop == Stop::not_finite) result.stop = to_string(solved.stop);
    const double cost = solved.log.empty() ? std::numeric_limits<double>::quiet_NaN() : -solved.log.back().mean_return;
    return SolverResult<Learner>{solved.learner, cost, solved.stop == Stop::iteration_limit};
  };
  const auto outcome =
      interleave(grid, solver, learner, {.schedule = levels, .observer = [&](const Round& round, const Learner&) {
                                           return !stopped && round.converged;
                                         }});
  result.learner = outcome.iterate;
  result.finished = outcome.stop == InterleaveStop::converged;
  if (!outcome.message.empty()) result.stop = outcome.message;
  if (result.stop.empty()) result.stop = to_string(outcome.stop);
  result.evaluations = static_cast<long>(grid.statistics().exact_evaluations);
  result.seconds = watch.seconds();
  result.seconds_in_function = grid.statistics().seconds_in_function;
  return result;
}

SearchedPolicy search_through_view(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                                   int iterations, std::uint64_t seed) {
  const auto swim = dynamics_over(fish, water);
  const SwimmingTask task(fish.setup, fish.body, choice.task);
  const Eigen::VectorXd start = swim.rest_state(fish.setup.start);
  const Stopwatch watch;
  SearchedPolicy result{.policy = first_learner(fish, choice).policy};
  // Rates are several rad/s, everything else is below one.
  result.policy.scale.variance.segment<joints>(joints).setConstant(25);
  const auto policy_with = [&](const Eigen::VectorXd& weights) {
    GaussianPolicy policy = result.policy;
    policy.network.weights = weights;
    return policy;
  };
  planning::CrossEntropyOptions options{.population = 64,
                                        .elite = 10,
                                        .iterations = iterations,
                                        .initial_deviation = 0.1,
                                        .added_deviation = 0.1,
                                        .added_for = static_cast<double>(iterations),
                                        .seed = seed,
                                        .threads = cores()};
  options.observer = [&](const planning::CrossEntropyIteration&, const Eigen::VectorXd& mean) {
    const Swim now = swim_with(fish, swim, choice, policy_with(mean), fish.setup.steps);
    result.distances.push_back(now.failed ? std::numeric_limits<double>::quiet_NaN() : now.distance);
    return true;
  };
  const auto found = planning::cross_entropy(
      [&](const Eigen::VectorXd& weights) {
        return -planning::replay(swim, task, policy_with(weights), start, choice.task.episode_steps).total_reward;
      },
      result.policy.network.weights, options);
  result.policy.network.weights = found.mean;
  result.seconds = watch.seconds();
  return result;
}

Swim swim_on_grid(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                  const GaussianPolicy& policy, int steps) {
  return swim_with(fish, dynamics_over(fish, water), choice, policy, steps);
}

Swim swim_on_exact(const Fish& fish, const LearningChoice& choice, const GaussianPolicy& policy, int steps) {
  return swim_with(fish, dynamics_over(fish, fish.water), choice, policy, steps);
}

PolicyErrors policy_errors(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                           const Learner& learner, int samples) {
  const auto surrogate = dynamics_over(fish, water);
  const SwimmingTask task(fish.setup, fish.body, choice.task);
  const planning::Experience drawn = planning::gather(surrogate, task, learner, choice.ppo.experience);
  PolicyErrors errors;
  // States from which a step is possible, spread evenly over all; the swimmer's position in the plane is left at zero.
  Eigen::MatrixXd states(surrogate.state_size(), samples), torques(joints, samples);
  Eigen::VectorXd torque, next;
  const Eigen::Index all = drawn.rewards.size();
  for (int s = 0; s < samples; ++s) {
    Eigen::Index i = all * s / samples;
    while (drawn.ends[static_cast<std::size_t>(i)] == planning::StepEnd::failed) i = (i + 1) % all;
    const auto seen = drawn.observations.col(i);
    states.col(s) << seen.head<2 * joints>(), std::atan2(seen[2 * joints], seen[2 * joints + 1]), 0, 0;
    task.control(drawn.actions.col(i), torque);
    torques.col(s) = torque;
  }
  errors.samples = samples;

  const auto step_all = [&](const auto& dynamics, int threads, Eigen::MatrixXd& nexts) {
    nexts.resize(states.rows(), samples);
    parallel_for(static_cast<std::size_t>(samples), static_cast<std::size_t>(threads), [&](std::size_t sample) {
      const auto s = static_cast<Eigen::Index>(sample);
      Eigen::VectorXd result;
      if (const auto status = dynamics.step(states.col(s), torques.col(s), result); status != StepStatus::ok)
        throw std::runtime_error("a step drawn from the policy's rollouts failed: " + std::string(to_string(status)));
      nexts.col(s) = result;
    });
  };
  Eigen::MatrixXd exact, near, fine, coarse;
  const Stopwatch exact_watch;
  step_all(dynamics_over(fish, fish.water), cores(), exact);
  errors.seconds_exact = exact_watch.seconds() / samples;
  step_all(surrogate, 1, near);
  const Stopwatch surrogate_watch;
  step_all(surrogate, 1, near);
  errors.seconds_surrogate = surrogate_watch.seconds() / samples;
  step_all(dynamics_over(fish, water, {.substeps = 16}), 1, fine);
  step_all(dynamics_over(fish, water, {.integrator = Integrator::midpoint}), 1, coarse);
  for (int s = 0; s < samples; ++s) {
    const double off = (exact.col(s) - near.col(s)).norm(), size = exact.col(s).norm();
    errors.state = std::max(errors.state, off / size);
    errors.mean_state += off / size / samples;
    errors.change = std::max(errors.change, off / (exact.col(s) - states.col(s)).norm());
    errors.integration = std::max(errors.integration, (near.col(s) - fine.col(s)).norm() / size);
    errors.midpoint_integration = std::max(errors.midpoint_integration, (coarse.col(s) - fine.col(s)).norm() / size);
  }
  return errors;
}

LearningCost cost_of(const LearningChoice& choice, const LearnedPolicy& learned, const PolicyErrors& errors) {
  LearningCost cost{.calls = static_cast<double>(choice.ppo.experience.actors) * choice.ppo.experience.steps,
                    .iterations = static_cast<double>(learned.log.size()),
                    .seconds = learned.seconds,
                    .acting_seconds = median_of(learned, &PpoIteration::seconds_acting),
                    .updating_seconds = median_of(learned, &PpoIteration::seconds_updating) +
                                        median_of(learned, &PpoIteration::seconds_advantages)};
  cost.exact_acting_seconds = cost.calls * errors.seconds_exact;
  return cost;
}

}  // namespace studies::stroke
