// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/planning/policy_gradient/experience.hpp"
#include "quoin/robots/planning/policy_gradient/learner.hpp"
#include "quoin/util/options_of.hpp"

#include <chrono>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin::planning {

using PpoStop [[deprecated("quoin::Stop")]] = Stop;

/// One iteration, as seen by the observer and kept in the log.
struct PpoIteration {
  long iteration = 0;             ///< of the learner, from 1
  double mean_return = 0;         ///< of episodes under the policy before the update, undiscounted
  double failed_share = 0;        ///< of these episodes
  double divergence = 0;          ///< Kullback-Leibler, of the policy after the update from the one before, estimated
  double clipped_share = 0;       ///< of probability ratios in the last epoch
  double value_error = 0;         ///< root mean square, in the last epoch
  double explained_variance = 0;  ///< of returns by the values before the update
  long dynamics_calls = 0;        ///< in this iteration
  double seconds_acting = 0;      ///< of gathering experience
  double seconds_advantages = 0;  ///< of values and advantages
  double seconds_updating = 0;    ///< of the epochs
};

/// False stops the learning.
using PpoObserver = std::function<bool(const PpoIteration&, const Learner&)>;

/// How experience is gathered and used, and when an update is cut short.
struct PpoOptions {
  int iterations = 100;               ///< further ones
  ExperienceOptions experience = {};  ///< gathered in each iteration
  double discount = 0.99;             ///< of rewards, per step
  double lambda = 0.95;               ///< of generalized advantages
  double clip = 0.2;                  ///< probability ratios beyond 1 +- clip earn nothing
  int epochs = 10;                    ///< passes over the experience
  int minibatch = 1024;               ///< steps whose gradients are averaged
  double learning_rate = 1e-3;        ///< of Adam
  double entropy_weight = 0;          ///< of the policy's entropy in the objective; 0: none
  double largest_gradient = 0.5;      ///< the gradients of policy and value are each clipped to this norm
  double largest_divergence = 0.05;   ///< no further epoch beyond
  PpoObserver observer = {};          ///< or none
};

/// The learner as it is in the end, and its course.
struct PpoResult {
  Learner learner;  ///< to be continued from
  /// iteration_limit: as a rule, since it knows no optimum. not_finite: rewards or weights, and the learner is that of
  /// the iteration before. Else stopped_by_observer.
  Stop stop = Stop::iteration_limit;
  std::vector<PpoIteration> log = {};  ///< one entry an iteration
};

/// Statistics of an update.
struct PpoUpdate {
  double divergence = 0;          ///< as PpoIteration::divergence
  double clipped_share = 0;       ///< as PpoIteration::clipped_share
  double value_error = 0;         ///< as PpoIteration::value_error
  double explained_variance = 0;  ///< as PpoIteration::explained_variance
  double seconds_advantages = 0;  ///< as PpoIteration::seconds_advantages
  bool finite = true;             ///< false: the learner is unchanged
};

/// The learning half of an iteration: advantages, then some epochs of Adam on the clipped surrogate objective and the
/// value's error. Gradients by libtorch; the same learner and experience give the same update on any number of threads.
PpoUpdate ppo_update(Learner& learner, const Experience& experience, const PpoOptions& options);

/// Proximal policy optimization (Schulman et al. 2017) for the problem of Jia, Pan, Manocha 2019, Eq. 6: clipped
/// probability ratios, generalized advantages, observations and advantages normalized.
///
///   Learner learner = Learner::random(task.observation_size(), task.action_size());
///   PpoResult result = ppo(swim, task, learner, {.iterations = 100});
///   PolicyReplay gait = replay(swim, task, result.learner.policy, start, 200);
///
/// One iteration: actors x steps calls of g, shared by threads; one value per step; epochs x steps / minibatch
/// gradients. Deterministic: the result depends on the arguments alone, not on the number of threads; continuing
/// from the returned learner, or from its file, is the same as never having stopped. Needs libtorch
/// (QUOIN_HAS_TORCH); policies act without it. Throws std::invalid_argument for options and sizes that do not fit,
/// and what the parts throw.
template <class Dynamics, class Task>
  requires DiscreteDynamics<Dynamics> && ControlTask<Task>
PpoResult ppo(const Dynamics& dynamics, const Task& task, Learner learner, const PpoOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  OptionsOf{"ppo"}.not_negative("iterations", options.iterations);
  PpoResult result{.learner = std::move(learner)};
  for (int i = 0; i < options.iterations; ++i) {
    PpoIteration it;
    auto start = Clock::now();
    const Experience experience = gather(dynamics, task, result.learner, options.experience);
    it.seconds_acting = seconds_since(start);
    start = Clock::now();
    const PpoUpdate update = ppo_update(result.learner, experience, options);
    it.seconds_advantages = update.seconds_advantages;
    it.seconds_updating = seconds_since(start) - update.seconds_advantages;
    it.iteration = result.learner.iterations;
    it.mean_return = experience.mean_return;
    it.failed_share = experience.failed_share;
    it.divergence = update.divergence;
    it.clipped_share = update.clipped_share;
    it.value_error = update.value_error;
    it.explained_variance = update.explained_variance;
    it.dynamics_calls = experience.evaluations;
    if (!update.finite) {
      result.stop = Stop::not_finite;
      break;
    }
    result.log.push_back(it);
    if (options.observer && !options.observer(it, result.learner)) {
      result.stop = Stop::stopped_by_observer;
      break;
    }
  }
  return result;
}

}  // namespace quoin::planning
