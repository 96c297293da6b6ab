// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/random_trees.hpp"

#include <stdexcept>

#ifdef QUOIN_HAS_OMPL
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"

#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/PathSimplifier.h>
#include <ompl/geometric/planners/rrt/RRT.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <memory>
#endif

namespace studies::unwrap {

#ifdef QUOIN_HAS_OMPL

namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;
using RealState = ob::RealVectorStateSpace::StateType;

Eigen::MatrixXd joints_of(const og::PathGeometric& path, Eigen::Index d) {
  Eigen::MatrixXd q(d, static_cast<Eigen::Index>(path.getStateCount()));
  for (Eigen::Index t = 0; t < q.cols(); ++t)
    q.col(t) = Eigen::Map<const Eigen::VectorXd>(path.getState(static_cast<unsigned>(t))->as<RealState>()->values, d);
  return q;
}

ob::PlannerPtr planner_of(Tree tree, const ob::SpaceInformationPtr& space, const TreeOptions& options) {
  if (tree == Tree::rrt_connect) {
    const auto connect = std::make_shared<og::RRTConnect>(space);
    connect->setRange(options.range);
    return connect;
  }
  const auto rrt = std::make_shared<og::RRT>(space);
  rrt->setRange(options.range);
  rrt->setGoalBias(options.goal_bias);
  return rrt;
}

}  // namespace

bool can_grow_trees() { return true; }

GrownPath grow_tree(const Scene& scene, const Eigen::VectorXd& goal, Tree tree, std::uint32_t seed,
                    const TreeOptions& options) {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  ompl::RNG::setSeed(seed + 1);  // OMPL draws a seed of its own for 0
  const Eigen::Index d = scene.joints();
  const auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(d));
  const Eigen::VectorXd lower = scene.arm.lower(), upper = scene.arm.upper();
  ob::RealVectorBounds bounds(static_cast<unsigned>(d));
  for (Eigen::Index i = 0; i < d; ++i) {
    bounds.setLow(static_cast<unsigned>(i), lower[i]);
    bounds.setHigh(static_cast<unsigned>(i), upper[i]);
  }
  space->setBounds(bounds);

  const CollisionChecker checker(scene.arm.collision_model());
  const rigid_body::TreePoints kinematics = scene.arm.points();
  Eigen::VectorXd q(d);
  Eigen::Matrix3Xd points;
  const auto information = std::make_shared<ob::SpaceInformation>(space);
  information->setStateValidityChecker([&](const ob::State* state) {
    q = Eigen::Map<const Eigen::VectorXd>(state->as<RealState>()->values, d);
    kinematics.evaluate(q, points);
    return !checker.collides(points, scene.obstacles);
  });
  information->setStateValidityCheckingResolution(options.resolution / space->getMaximumExtent());
  information->setup();

  ob::ScopedState<ob::RealVectorStateSpace> from(space), to(space);
  for (Eigen::Index i = 0; i < d; ++i) {
    from->values[i] = scene.start[i];
    to->values[i] = goal[i];
  }
  const auto problem = std::make_shared<ob::ProblemDefinition>(information);
  problem->setStartAndGoalStates(from, to, 1e-6);
  const ob::PlannerPtr planner = planner_of(tree, information, options);
  planner->setProblemDefinition(problem);
  planner->setup();

  GrownPath result;
  const studies::Stopwatch clock;
  planner->solve(ob::PlannerTerminationCondition([&] { return checker.counts().checks >= options.max_checks; }));
  result.seconds = clock.seconds();
  result.checks = checker.counts().checks;
  result.found = problem->hasExactSolution();
  if (!result.found) return result;

  og::PathGeometric path = *problem->getSolutionPath()->as<og::PathGeometric>();
  result.q = joints_of(path, d);
  const studies::Stopwatch simplifying;
  const long long until = result.checks + options.max_checks;
  og::PathSimplifier(information).simplify(path, ob::PlannerTerminationCondition([&] {
                                             return checker.counts().checks >= until;
                                           }));
  result.simplify_seconds = simplifying.seconds();
  result.simplify_checks = checker.counts().checks - result.checks;
  result.simplified = joints_of(path, d);
  return result;
}

#else

bool can_grow_trees() { return false; }

GrownPath grow_tree(const Scene&, const Eigen::VectorXd&, Tree, std::uint32_t, const TreeOptions&) {
  throw std::runtime_error("trees are grown by OMPL, and quoin was built without it (Debian: libompl-dev)");
}

#endif

}  // namespace studies::unwrap
