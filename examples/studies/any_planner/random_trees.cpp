// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/random_trees.hpp"

#include <stdexcept>

#ifdef QUOIN_HAS_OMPL
#include "examples/studies/program/stopwatch.hpp"

#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/base/objectives/PathLengthOptimizationObjective.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/control/PathControl.h>
#include <ompl/control/SpaceInformation.h>
#include <ompl/control/planners/rrt/RRT.h>
#include <ompl/control/planners/sst/SST.h>
#include <ompl/control/spaces/RealVectorControlSpace.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#endif

namespace studies::any_planner {

#ifdef QUOIN_HAS_OMPL

namespace {

namespace ob = ompl::base;
namespace oc = ompl::control;
using RealState = ob::RealVectorStateSpace::StateType;
using RealControl = oc::RealVectorControlSpace::ControlType;

constexpr int motion_size = 2 * joints + 3;  // of a state of SwimmerDynamics
constexpr int clock_index = motion_size;     // the time that has passed, so that SST can compare durations

Eigen::Map<const Eigen::VectorXd> motion_of(const ob::State* state) {
  return {state->as<RealState>()->values, motion_size};
}

/// q, dq/dt, theta, x, y and the time, which has no weight in the metric.
class MotionSpace : public ob::RealVectorStateSpace {
 public:
  MotionSpace(const Task& task, const TreeOptions& options)
      : ob::RealVectorStateSpace(motion_size + 1), weights_(Eigen::VectorXd::Zero(motion_size + 1)) {
    weights_ << Eigen::VectorXd::Ones(joints), Eigen::VectorXd::Constant(joints, options.rate_weight),
        options.turn_weight, options.way_weight, options.way_weight, 0;
    Eigen::VectorXd limits(motion_size);
    limits << Eigen::VectorXd::Constant(joints, task.fish.setup.joint_limit - task.margin),
        Eigen::VectorXd::Constant(joints, task.rate_limit), std::numbers::pi, 2 * task.goal, 2 * task.goal;
    ob::RealVectorBounds bounds(motion_size + 1);
    for (unsigned i = 0; i < motion_size; ++i) {
      bounds.setLow(i, -limits[i]);
      bounds.setHigh(i, limits[i]);
    }
    bounds.setLow(clock_index, 0);
    bounds.setHigh(clock_index, task.longest + 0.5 * task.fish.setup.time_step);
    setBounds(bounds);
  }
  double distance(const ob::State* a, const ob::State* b) const override {
    const auto whole = [&](const ob::State* state) {
      return Eigen::Map<const Eigen::VectorXd>(state->as<RealState>()->values, motion_size + 1);
    };
    return weights_.cwiseProduct(whole(a) - whole(b)).norm();
  }

 private:
  Eigen::VectorXd weights_;
};

/// The centre of mass at least so far ahead. Samples have the base there.
class Ahead : public ob::GoalSampleableRegion {
 public:
  Ahead(const ob::SpaceInformationPtr& space, const Task& task)
      : ob::GoalSampleableRegion(space),
        way_(task),
        wanted_(task.goal + task.margin),
        sampler_(space->allocStateSampler()) {
    setThreshold(1e-9);  // m: what is satisfied is nearer
  }
  double distanceGoal(const ob::State* state) const override { return std::max(0.0, wanted_ - way_(motion_of(state))); }
  void sampleGoal(ob::State* state) const override {
    sampler_->sampleUniform(state);
    state->as<RealState>()->values[motion_size - 2] = wanted_;
  }
  unsigned int maxSampleCount() const override { return std::numeric_limits<unsigned>::max(); }

 private:
  WayAhead way_;
  double wanted_;
  ob::StateSamplerPtr sampler_;
};

/// How long the motion takes.
class Duration : public ob::PathLengthOptimizationObjective {
 public:
  using ob::PathLengthOptimizationObjective::PathLengthOptimizationObjective;
  ob::Cost motionCost(const ob::State* a, const ob::State* b) const override {
    return ob::Cost(b->as<RealState>()->values[clock_index] - a->as<RealState>()->values[clock_index]);
  }
  ob::Cost motionCostHeuristic(const ob::State*, const ob::State*) const override { return ob::Cost(0); }
};

ob::PlannerPtr planner_of(Tree tree, const oc::SpaceInformationPtr& space, const TreeOptions& options) {
  if (tree == Tree::rrt) {
    const auto rrt = std::make_shared<oc::RRT>(space);
    rrt->setGoalBias(options.goal_bias);
    return rrt;
  }
  const auto sst = std::make_shared<oc::SST>(space);
  sst->setGoalBias(options.goal_bias);
  sst->setSelectionRadius(options.selection_radius);
  sst->setPruningRadius(options.pruning_radius);
  return sst;
}

Eigen::MatrixXd torques_of(const oc::PathControl& path, double time_step) {
  std::vector<Eigen::Vector3d> torques;
  for (unsigned k = 0; k < path.getControlCount(); ++k) {
    const Eigen::Map<const Eigen::Vector3d> held(path.getControl(k)->as<RealControl>()->values);
    torques.insert(torques.end(), static_cast<std::size_t>(std::lround(path.getControlDuration(k) / time_step)), held);
  }
  Eigen::MatrixXd columns(joints, static_cast<Eigen::Index>(torques.size()));
  for (Eigen::Index i = 0; i < columns.cols(); ++i) columns.col(i) = torques[static_cast<std::size_t>(i)];
  return columns;
}

}  // namespace

bool can_grow_trees() { return true; }

Plan grow_tree(const Task& task, const Model& model, Tree tree, std::uint32_t seed, const Budget& budget,
               const TreeOptions& options) {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  ompl::RNG::setSeed(seed + 1);  // OMPL draws a seed of its own for 0
  const stroke::Setup& setup = task.fish.setup;
  const auto space = std::make_shared<MotionSpace>(task, options);
  const auto controls = std::make_shared<oc::RealVectorControlSpace>(space, joints);
  ob::RealVectorBounds torque(joints);
  torque.setLow(-setup.largest_torque);
  torque.setHigh(setup.largest_torque);
  controls->setBounds(torque);

  Plan plan;
  Eigen::VectorXd x, u, next;
  const auto information = std::make_shared<oc::SpaceInformation>(space, controls);
  information->setStatePropagator(
      [&](const ob::State* from, const oc::Control* control, double duration, ob::State* to) {
        ++plan.propagations;
        x = motion_of(from);
        u = Eigen::Map<const Eigen::VectorXd>(control->as<RealControl>()->values, joints);
        const double clock = from->as<RealState>()->values[clock_index];
        if (model.step(x, u, next) != StepStatus::ok)
          next.setConstant(motion_size, std::numeric_limits<double>::max());  // is out of every bound
        std::copy(next.begin(), next.end(), to->as<RealState>()->values);
        to->as<RealState>()->values[clock_index] = clock + duration;
      });
  information->setStateValidityChecker([&](const ob::State* state) { return space->satisfiesBounds(state); });
  information->setPropagationStepSize(setup.time_step);
  information->setMinMaxControlDuration(static_cast<unsigned>(options.shortest_hold),
                                        static_cast<unsigned>(options.longest_hold));
  information->setup();

  ob::ScopedState<ob::RealVectorStateSpace> start(space);
  const Eigen::VectorXd from = task.start();
  std::copy(from.begin(), from.end(), start->values);
  start->values[clock_index] = 0;
  const auto problem = std::make_shared<ob::ProblemDefinition>(information);
  problem->addStartState(start);
  problem->setGoal(std::make_shared<Ahead>(information, task));
  problem->setOptimizationObjective(std::make_shared<Duration>(information));
  const ob::PlannerPtr planner = planner_of(tree, information, options);
  planner->setProblemDefinition(problem);
  planner->setup();

  const long evaluations = model.evaluations();
  const studies::Stopwatch clock;
  planner->solve(ob::PlannerTerminationCondition(
      [&] { return plan.propagations >= budget.propagations || clock.seconds() >= budget.seconds; }));
  plan.seconds = clock.seconds();
  plan.evaluations = model.evaluations() - evaluations;
  plan.found = problem->hasExactSolution();
  if (!plan.found) {
    plan.way = task.goal + task.margin - problem->getSolutionDifference();
    return plan;
  }
  const auto& path = *problem->getSolutionPath()->as<oc::PathControl>();
  plan.torques = torques_of(path, setup.time_step);
  plan.way = WayAhead(task)(motion_of(path.getState(static_cast<unsigned>(path.getStateCount()) - 1)));
  return plan;
}

#else

bool can_grow_trees() { return false; }

Plan grow_tree(const Task&, const Model&, Tree, std::uint32_t, const Budget&, const TreeOptions&) {
  throw std::runtime_error("trees are grown by OMPL, and quoin was built without it (Debian: libompl-dev)");
}

#endif

}  // namespace studies::any_planner
