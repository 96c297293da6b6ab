// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/planning/policy_gradient/control_task.hpp"
#include "quoin/robots/planning/policy_gradient/gaussian_policy.hpp"
#include "quoin/robots/planning/policy_gradient/learner.hpp"
#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::planning {

/// The event that follows a step.
enum class StepEnd : std::uint8_t {
  none,    ///< the next step
  failed,  ///< nothing: the episode failed
  cut      ///< a new episode; this one would have gone on
};

/// Steps of many actors under a policy. Column a * steps + t is step t of actor a.
struct Experience {
  int actors = 0;                      ///< side by side, each from a start of its own
  int steps = 0;                       ///< of each
  Eigen::MatrixXd observations = {};   ///< o x M, as the task gives them
  Eigen::MatrixXd actions = {};        ///< m x M, drawn
  Eigen::VectorXd log_densities = {};  ///< of the actions under the policy that drew them: M
  Eigen::VectorXd rewards = {};        ///< M
  std::vector<StepEnd> ends = {};      ///< M
  /// o x cuts: the observations that would have come next, in the order of the columns.
  Eigen::MatrixXd cut_observations = {};

  double mean_return = std::numeric_limits<double>::quiet_NaN();  ///< of each actor's first episode, undiscounted
  double failed_share = 0;                                        ///< of these episodes
  long evaluations = 0;                                           ///< of the dynamics' step
};

/// How much experience an iteration gathers.
struct ExperienceOptions {
  int actors = 64;  ///< 64 x 256 = 16384 calls of g, as in the paper
  int steps = 256;  ///< of each actor
  int threads = 1;  ///< for acting and for learning
};

namespace detail {
constexpr int actors_in_block = 8;

/// The random stream of part `what` of an iteration, the same however the work is shared.
inline std::mt19937_64 random_of(std::uint64_t seed, long iteration, std::uint64_t what) {
  std::seed_seq words{seed, seed >> 32, static_cast<std::uint64_t>(iteration), what};
  return std::mt19937_64(words);
}

/// A block of actors side by side, so that one matrix product evaluates the policy for all.
template <class Dynamics, class Task>
class ActorBlock {
 public:
  ActorBlock(const Dynamics& dynamics, const Task& task, const Learner& learner, int first, int count,
             Experience& experience)
      : dynamics_(dynamics), task_(task), policy_(learner.policy), first_(first), experience_(experience) {
    for (int a = 0; a < count; ++a) {
      actors_.push_back({random_of(learner.seed, learner.iterations, static_cast<std::uint64_t>(first + a))});
      actors_.back().state = task_.start(actors_.back().random);
    }
  }

  void run() {
    const Eigen::VectorXd deviation = policy_.log_deviation.array().exp();
    Eigen::MatrixXd observations(policy_.observation_size(), std::ssize(actors_));
    Eigen::VectorXd noise(policy_.action_size()), action, control, next;
    for (int t = 0; t < experience_.steps; ++t) {
      for (std::size_t a = 0; a < actors_.size(); ++a)
        task_.observe(actors_[a].state, observations.col(static_cast<Eigen::Index>(a)));
      expect_states();
      const Eigen::MatrixXd means = policy_.mean(observations);
      for (std::size_t a = 0; a < actors_.size(); ++a) {
        Actor& actor = actors_[a];
        const auto block_column = static_cast<Eigen::Index>(a);
        for (double& value : noise) value = normal_(actor.random);
        normal_.reset();  // it keeps half of a pair, which another actor's stream must not see
        action = means.col(block_column) + deviation.cwiseProduct(noise);
        task_.control(action, control);

        const Eigen::Index column = (first_ + block_column) * experience_.steps + t;
        experience_.observations.col(column) = observations.col(block_column);
        experience_.actions.col(column) = action;
        experience_.log_densities[column] = policy_.log_density(noise);
        experience_.ends[static_cast<std::size_t>(column)] = advance(actor, control, next, t, column);
      }
    }
  }

  struct Actor {
    std::mt19937_64 random;
    Eigen::VectorXd state = {};
    int age = 0;
    bool first_episode = true;
    double first_return = 0;
    bool first_failed = false;
    std::vector<Eigen::VectorXd> cut = {};
  };
  const std::vector<Actor>& actors() const { return actors_; }

 private:
  /// Each actor comes to cells of its own: all of the block's together.
  void expect_states() const {
    if constexpr (Hintable<Dynamics>) {
      Eigen::MatrixXd states(dynamics_.state_size(), std::ssize(actors_));
      for (std::size_t a = 0; a < actors_.size(); ++a) states.col(static_cast<Eigen::Index>(a)) = actors_[a].state;
      dynamics_.hint(states);
    }
  }

  StepEnd advance(Actor& actor, const Eigen::VectorXd& control, Eigen::VectorXd& next, int t, Eigen::Index column) {
    double reward = 0;
    bool failed = dynamics_.step(actor.state, control, next) != StepStatus::ok;
    if (!failed) {
      reward = task_.reward(actor.state, control, next);
      failed = task_.failed(next);
    }
    if (failed) reward += task_.reward_of_failure();
    experience_.rewards[column] = reward;
    if (actor.first_episode) actor.first_return += reward;

    StepEnd end = StepEnd::none;
    if (failed) {
      end = StepEnd::failed;
    } else {
      actor.state = next;
      if (++actor.age == task_.episode_steps() || t + 1 == experience_.steps) {
        end = StepEnd::cut;
        actor.cut.emplace_back(policy_.observation_size());
        task_.observe(next, actor.cut.back());
      }
    }
    if (end != StepEnd::none) {
      if (actor.first_episode) actor.first_failed = failed;
      actor.first_episode = false;
      actor.age = 0;
      actor.state = task_.start(actor.random);
    }
    return end;
  }

  const Dynamics& dynamics_;
  const Task& task_;
  const GaussianPolicy& policy_;
  const int first_;
  Experience& experience_;
  std::vector<Actor> actors_;
  std::normal_distribution<double> normal_;
};
}  // namespace detail

/// Lets the learner's policy act, each actor from a start of its own. The result depends on learner, task and numbers
/// of actors and steps alone, not on the number of threads. Throws what the parts throw.
template <class Dynamics, class Task>
  requires DiscreteDynamics<Dynamics> && ControlTask<Task>
Experience gather(const Dynamics& dynamics, const Task& task, const Learner& learner,
                  const ExperienceOptions& options) {
  const GaussianPolicy& policy = learner.policy;
  if (options.actors < 1 || options.steps < 1 || task.episode_steps() < 1)
    throw std::invalid_argument("gather: " + to_text(options.actors) + " actors, " + to_text(options.steps) +
                                " steps, episodes of " + to_text(task.episode_steps()) +
                                " steps: must all be positive");
  if (policy.observation_size() != task.observation_size() || policy.action_size() != task.action_size())
    throw std::invalid_argument("gather: the policy takes " + to_text(policy.observation_size()) + " observations to " +
                                to_text(policy.action_size()) + " actions, the task has " +
                                to_text(task.observation_size()) + " and " + to_text(task.action_size()));
  Experience experience{.actors = options.actors, .steps = options.steps};
  const Eigen::Index count = Eigen::Index{1} * options.actors * options.steps;
  experience.observations.resize(task.observation_size(), count);
  experience.actions.resize(task.action_size(), count);
  experience.log_densities.resize(count);
  experience.rewards.resize(count);
  experience.ends.resize(static_cast<std::size_t>(count));
  experience.evaluations = count;

  std::vector<detail::ActorBlock<Dynamics, Task>> blocks;
  for (int first = 0; first < options.actors; first += detail::actors_in_block)
    blocks.emplace_back(dynamics, task, learner, first, std::min(detail::actors_in_block, options.actors - first),
                        experience);
  parallel_for(blocks.size(), static_cast<std::size_t>(std::max(1, options.threads)),
               [&](std::size_t b) { blocks[b].run(); });

  std::vector<Eigen::VectorXd> cut;
  experience.mean_return = 0;
  for (const auto& block : blocks)
    for (const auto& actor : block.actors()) {
      cut.insert(cut.end(), actor.cut.begin(), actor.cut.end());
      experience.mean_return += actor.first_return / options.actors;
      experience.failed_share += (actor.first_failed ? 1.0 : 0.0) / options.actors;
    }
  experience.cut_observations.resize(task.observation_size(), std::ssize(cut));
  for (std::size_t i = 0; i < cut.size(); ++i) experience.cut_observations.col(static_cast<Eigen::Index>(i)) = cut[i];
  return experience;
}

/// Generalized advantages, and the returns that the value is to learn (M each).
struct Advantages {
  Eigen::VectorXd advantages;  ///< A_t
  Eigen::VectorXd returns;     ///< advantages plus values
};

/// A_t = sum_k (discount lambda)^k delta_{t+k}, delta_t = r_t + discount V_{t+1} - V_t (Schulman et al. 2016). V is 0
/// after a failure, and that of the observation that would have come next where an episode was cut. values: M;
/// cut_values: one for each cut.
Advantages generalized_advantages(const Experience& experience, const Eigen::VectorXd& values,
                                  const Eigen::VectorXd& cut_values, double discount, double lambda);

/// A motion under the mean of a policy.
struct PolicyReplay {
  Eigen::MatrixXd states = {};    ///< n x (steps + 1); fewer columns if it failed
  Eigen::MatrixXd controls = {};  ///< m x steps
  double total_reward = 0;        ///< undiscounted
  bool failed = false;            ///< a step could not be computed; the motion ends before it
};

/// From the start (n), for so many steps or until one fails. Throws what the parts throw.
template <class Dynamics, class Task>
  requires DiscreteDynamics<Dynamics> && ControlTask<Task>
PolicyReplay replay(const Dynamics& dynamics, const Task& task, const GaussianPolicy& policy,
                    const Eigen::VectorXd& start, int steps) {
  PolicyReplay result;
  result.states.resize(start.size(), steps + 1);
  result.controls.resize(dynamics.control_size(), steps);
  result.states.col(0) = start;
  Eigen::VectorXd state = start, next, control, observation(task.observation_size());
  for (int i = 0; i < steps; ++i) {
    task.observe(state, observation);
    task.control(policy.mean(observation).col(0), control);
    result.controls.col(i) = control;
    bool failed = dynamics.step(state, control, next) != StepStatus::ok;
    if (!failed) {
      result.total_reward += task.reward(state, control, next);
      result.states.col(i + 1) = next;
      failed = task.failed(next);
    }
    if (failed) {
      result.failed = true;
      result.total_reward += task.reward_of_failure();
      result.states.conservativeResize(Eigen::NoChange, i + 1);
      result.controls.conservativeResize(Eigen::NoChange, i);
      break;
    }
    state = next;
  }
  return result;
}

}  // namespace quoin::planning
