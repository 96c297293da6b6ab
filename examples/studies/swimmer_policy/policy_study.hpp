// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_policy/swimming_task.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/planning/cross_entropy.hpp"
#include "quoin/planning/policy_gradient/ppo.hpp"
#include "quoin/quoin.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// A controller learned for the swimmer through the grid, what it is worth, and what learning without the grid would have
/// cost.
namespace studies::stroke {

/// How a controller is learned. Every choice that the paper leaves open is here or in TaskSetup.
struct LearningChoice {
  GridChoice grid{.spacing = 0.6, .threshold = 0.6};
  std::vector<int> iterations{120};  ///< on each level of the grid; the last number serves all further levels
  TaskSetup task = {};
  planning::PpoOptions ppo = {};
  planning::LearnerOptions learner = {};

  LearningChoice();
};

/// How far a motion goes in a cycle: two passages of the middle joint through its mean, one up and one down.
struct Gait {
  double cycles = 0;     ///< halves count
  double per_cycle = 0;  ///< m forward
  double period = 0;     ///< s
};
/// states: as Plan::states.
Gait gait_of(const Fish& fish, const Eigen::MatrixXd& states);

/// A motion under a controller, or torques, from the start of the planner's stroke.
struct Swim {
  Eigen::MatrixXd states = {}, torques = {};
  bool failed = false;
  double distance = 0;  ///< m, of the centre of mass, forward
  double reward = 0;
  Gait gait = {};
};

/// Learning needs libtorch, all else here does not.
#ifdef QUOIN_HAS_TORCH
constexpr bool can_learn = true;
#else
constexpr bool can_learn = false;
#endif

/// One iteration of learning.
struct LearningIteration {
  planning::PpoIteration ppo;
  int level = 0;                   ///< of the grid
  long evaluations = 0;            ///< exact ones so far
  double seconds = 0;              ///< so far
  double seconds_in_function = 0;  ///< so far, summed over threads
  double distance = 0;             ///< m, that the policy's mean swims in the time of the planner's stroke
  bool failed = false;             ///< it leaves the domain meanwhile
};
/// False stops the learning.
using LearningObserver = std::function<bool(const LearningIteration&, const planning::Learner&)>;

struct LearnedPolicy {
  planning::Learner learner;
  GridView<joints> solved;  ///< what the last iterations saw
  std::vector<LearningIteration> log = {};
  std::string stop = {};
  bool finished = false;
  long evaluations = 0;            ///< exact ones
  double seconds = 0;              ///< wall time, end to end
  double seconds_in_function = 0;  ///< of it, summed over threads
};

/// Algorithm 1 of the paper around policy optimization: the policy is the iterate. Goes on from a learner that has already
/// done some of the iterations; its log begins there.
LearnedPolicy learn_through_grid(const Fish& fish, AdaptiveGrid<joints>& grid, const LearningChoice& choice,
                                 const planning::Learner& learner, const LearningObserver& observer = {});
planning::Learner first_learner(const Fish& fish, const LearningChoice& choice);

/// The same task without gradients: the cross-entropy method over the weights of the same network, every sample one
/// episode from the start of the planner's stroke, 64 of them an iteration.
struct SearchedPolicy {
  planning::GaussianPolicy policy;
  std::vector<double> distances = {};  ///< after each iteration, as LearningIteration::distance; NaN where it fails
  double seconds = 0;
};
SearchedPolicy search_through_view(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                                   int iterations, std::uint64_t seed);

/// The policy's mean on a surrogate, or on boundary elements, for so many steps.
Swim swim_on_grid(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                  const planning::GaussianPolicy& policy, int steps);
Swim swim_on_exact(const Fish& fish, const LearningChoice& choice, const planning::GaussianPolicy& policy, int steps);

/// Steps g~ against exact steps g, from states and torques drawn from the policy's rollouts.
struct PolicyErrors {
  int samples = 0;
  double state = 0;                 ///< |x - x~| / |x| (the paper's error), the worst
  double mean_state = 0;            ///< the same, mean
  double change = 0;                ///< |x - x~| / |x - x_before|, the worst
  double integration = 0;           ///< error of the time step itself, the worst: against 16 substeps on the surrogate
  double midpoint_integration = 0;  ///< the same, of the midpoint rule
  double seconds_exact = 0;         ///< an exact step, all cores at work on steps of their own: wall time per step
  double seconds_surrogate = 0;     ///< a step on the surrogate, one core
};
PolicyErrors policy_errors(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                           const planning::Learner& learner, int samples);

/// What learning costs through the grid, and what it would cost without: the time of an exact step, times the steps of an
/// iteration, and the learning itself, which is the same.
struct LearningCost {
  double calls = 0;                 ///< steps of an iteration
  double iterations = 0;            ///< that were done
  double seconds = 0;               ///< of all of them, corners included
  double acting_seconds = 0;        ///< the part of an iteration in which the swimmers swim, median
  double updating_seconds = 0;      ///< and in which the policy learns
  double exact_acting_seconds = 0;  ///< extrapolated from PolicyErrors::seconds_exact
  double exact_evaluations() const { return 4 * calls; }  ///< of an iteration without the grid: RK4
  double iteration_seconds() const { return acting_seconds + updating_seconds; }
  double exact_iteration_seconds() const { return exact_acting_seconds + updating_seconds; }
  /// Of an exact iteration over one on the grid that meets no new corner.
  double speed_up() const { return exact_iteration_seconds() / iteration_seconds(); }
  /// Of all exact iterations over all through the grid, end to end.
  double speed_up_with_corners() const { return iterations * exact_iteration_seconds() / seconds; }
};
LearningCost cost_of(const LearningChoice& choice, const LearnedPolicy& learned, const PolicyErrors& errors);

}  // namespace studies::stroke
