// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_policy/swimming_task.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/planning/cross_entropy.hpp"
#include "quoin/robots/planning/policy_gradient/ppo.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// A controller learned for the swimmer through the grid, its quality, and the cost of learning without the grid.
namespace studies::stroke {

/// Options of learning. Every choice that the paper leaves open is here or in TaskSetup.
struct LearningChoice {
  GridChoice grid{.spacing = 0.6, .threshold = 0.6};
  std::vector<int> iterations{120};  ///< on each level of the grid; the last number holds for all further levels
  TaskSetup task = {};
  planning::PpoOptions ppo = {};
  planning::LearnerOptions learner = {};

  LearningChoice();
};

/// Forward displacement per cycle of a motion. A cycle has two passages of the middle joint through
/// its mean, one up and one down.
struct Gait {
  double cycles = 0;     ///< with halves
  double per_cycle = 0;  ///< m forward
  double period = 0;     ///< s
};
/// states: as Plan::states.
Gait gait_of(const Fish& fish, const Eigen::MatrixXd& states);

/// A motion under a controller, or under torques, from the start of the planner's stroke.
struct Swim {
  Eigen::MatrixXd states = {}, torques = {};
  bool failed = false;
  double distance = 0;  ///< m, of the centre of mass, forward
  double reward = 0;
  Gait gait = {};
};

/// Only learning needs libtorch.
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
  double distance = 0;             ///< m, of the policy's mean in the time of the planner's stroke
  bool failed = false;             ///< whether it leaves the domain in that time
};
/// Returns false to stop learning.
using LearningObserver = std::function<bool(const LearningIteration&, const planning::Learner&)>;

struct LearnedPolicy {
  planning::Learner learner;
  GridView<joints> solved;  ///< the view of the last iterations
  std::vector<LearningIteration> log = {};
  std::string stop = {};
  bool finished = false;
  long evaluations = 0;            ///< exact ones
  double seconds = 0;              ///< wall time, end to end
  double seconds_in_function = 0;  ///< of that time, summed over threads
};

/// Algorithm 1 of the paper around policy optimization, with the policy as the iterate. Continues from a learner that
/// has already done some of the iterations; its log begins there.
LearnedPolicy learn_through_grid(const Fish& fish, AdaptiveGrid<joints>& grid, const LearningChoice& choice,
                                 const planning::Learner& learner, const LearningObserver& observer = {});
planning::Learner first_learner(const Fish& fish, const LearningChoice& choice);

/// The same task without gradients: the cross-entropy method over the weights of the same network. A sample is one
/// episode from the start of the planner's stroke; an iteration has 64.
struct SearchedPolicy {
  planning::GaussianPolicy policy;
  std::vector<double> distances = {};  ///< after each iteration, as LearningIteration::distance; NaN where it fails
  double seconds = 0;
};
SearchedPolicy search_through_view(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                                   int iterations, std::uint64_t seed);

/// The policy's mean on a surrogate, or on boundary elements, for a number of steps.
Swim swim_on_grid(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                  const planning::GaussianPolicy& policy, int steps);
Swim swim_on_exact(const Fish& fish, const LearningChoice& choice, const planning::GaussianPolicy& policy, int steps);

/// Steps g~ compared with exact steps g, from states and torques drawn from the policy's rollouts.
struct PolicyErrors {
  int samples = 0;
  double state = 0;                 ///< |x - x~| / |x| (the paper's error), the worst
  double mean_state = 0;            ///< the same, mean
  double change = 0;                ///< |x - x~| / |x - x_before|, the worst
  double integration = 0;           ///< error of the time step itself, the worst: against 16 substeps on the surrogate
  double midpoint_integration = 0;  ///< the same, of the midpoint rule
  double seconds_exact = 0;         ///< an exact step while all cores take steps of their own: wall time per step
  double seconds_surrogate = 0;     ///< a step on the surrogate, on one core
};
PolicyErrors policy_errors(const Fish& fish, const GridView<joints>& water, const LearningChoice& choice,
                           const planning::Learner& learner, int samples);

/// The cost of learning through the grid, and the estimated cost without: the time of an exact step, times the steps of
/// an iteration, plus the learning itself, which is the same.
struct LearningCost {
  double calls = 0;                 ///< steps in an iteration
  double iterations = 0;            ///< number done
  double seconds = 0;               ///< of all of them, including corners
  double acting_seconds = 0;        ///< the part of an iteration in which the swimmers move, median
  double updating_seconds = 0;      ///< the part in which the policy is updated
  double exact_acting_seconds = 0;  ///< extrapolated from PolicyErrors::seconds_exact
  double exact_evaluations() const { return 4 * calls; }  ///< of an iteration without the grid: RK4
  double iteration_seconds() const { return acting_seconds + updating_seconds; }
  double exact_iteration_seconds() const { return exact_acting_seconds + updating_seconds; }
  /// Time of an exact iteration / time of one on the grid that meets no new corner.
  double speed_up() const { return exact_iteration_seconds() / iteration_seconds(); }
  /// Time of all exact iterations / time of all through the grid, end to end.
  double speed_up_with_corners() const { return iterations * exact_iteration_seconds() / seconds; }
};
LearningCost cost_of(const LearningChoice& choice, const LearnedPolicy& learned, const PolicyErrors& errors);

}  // namespace studies::stroke
