// SPDX-License-Identifier: BSD-3-Clause
// One program of quoin and of three separately compiled libraries that use Eigen too: each must answer as it would
// alone. This program also contains the consumer's arm and planner (../../consumer/project).
#include <ceres/ceres.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/distance.h>
#include <ompl/base/goals/GoalState.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/terminationconditions/IterationTerminationCondition.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include <quoin/quoin.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

int arm_bends();                // ../../consumer/project/soft_arm.cpp
int mass_is_brought_to_rest();  // ../../consumer/project/planning.cpp

namespace {

int failures = 0;
void expect(bool ok, const std::string& what) {
  if (!ok) {
    ++failures;
    std::printf("FAILED: %s\n", what.c_str());
  }
}

fcl::Transform3d at(double x, double y, double z) {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.translation() << x, y, z;
  return pose;
}

// A ball of radius 1.5 reaches 0.25 into a cube's face at x = 1. The vector copies objects that FCL's own code built:
// if the layouts differ between here and there, it copies parts.
void collides() {
  std::vector<fcl::CollisionObjectd> objects;
  objects.emplace_back(std::make_shared<fcl::Boxd>(2, 2, 2), at(0, 0, 0));
  objects.emplace_back(std::make_shared<fcl::Sphered>(1.5), at(2.25, 0.3, 0.2));
  fcl::CollisionRequestd request;
  request.enable_contact = true;
  fcl::CollisionResultd result;
  fcl::collide(&objects[0], &objects[1], request, result);
  expect(result.numContacts() == 1, "FCL finds the contact of a cube and a ball");
  if (result.numContacts() != 1) return;
  const fcl::Contactd& contact = result.getContact(0);
  expect((contact.pos - Eigen::Vector3d(0.875, 0.3, 0.2)).norm() < 1e-12 &&
             std::abs(contact.penetration_depth - 0.25) < 1e-12,
         "FCL's contact is at x = 0.875, 0.25 deep; it says " + std::to_string(contact.pos.x()) + ", " +
             std::to_string(contact.penetration_depth));
}

// A grid over FCL: the distance of a ball of radius 0.5 from one of radius 1.
void grid_over_distance() {
  const auto distance = quoin::exact_function<2>(
      1, [](const quoin::Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        const fcl::Sphered a(1), b(0.5);
        fcl::DistanceRequestd request;
        fcl::DistanceResultd result;
        y[0] = fcl::distance(&a, at(0, 0, 0), &b, at(x[0], x[1], 0.3), request, result);
        J = x.transpose() / (y[0] + 1.5);
      });
  quoin::AdaptiveGrid<2> grid(distance, {.spacing = {0.25, 0.25}});
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const quoin::Point<2> x(2.1, 1.3);
  grid.evaluate(x, y, J);
  const double apart = std::hypot(2.1, 1.3, 0.3);
  expect(std::abs(y[0] - (apart - 1.5)) < 1e-4 && (J - x.transpose() / apart).norm() < 1e-3,
         "a grid answers FCL's distance and its gradient; it says " + std::to_string(y[0]));
}

// From one corner of a cube to the other, around a ball. In three dimensions OMPL makes its own projection,
// by matrices of Eigen.
void plans() {
  namespace ob = ompl::base;
  const auto space = std::make_shared<ob::RealVectorStateSpace>(3);
  space->setBounds(-1, 1);
  ompl::geometric::SimpleSetup setup(space);
  const auto outside = [](const ob::State* state) {
    const double* x = state->as<ob::RealVectorStateSpace::StateType>()->values;
    return std::hypot(x[0], x[1], x[2]) > 0.5;
  };
  setup.setStateValidityChecker(outside);
  ob::ScopedState<ob::RealVectorStateSpace> start(space), goal(space);
  for (int i = 0; i < 3; ++i) start[i] = -0.9, goal[i] = 0.9;
  setup.setStartAndGoalStates(start, goal, 1e-3);
  setup.setPlanner(std::make_shared<ompl::geometric::RRTConnect>(setup.getSpaceInformation()));
  ob::IterationTerminationCondition enough(100000);
  const bool solved = setup.solve(enough) == ob::PlannerStatus::EXACT_SOLUTION;
  expect(solved && space->hasDefaultProjection(), "OMPL finds a way around a ball");
  if (!solved) return;
  auto path = setup.getSolutionPath();
  path.interpolate(200);
  bool valid = true;
  for (const ob::State* state : path.getStates()) valid = valid && outside(state);
  expect(valid && path.length() > 3.2, "OMPL's way is outside the ball");
}

// y = exp(0.3 x + 0.1), fitted to its values.
struct OffTheCurve {
  double x;
  template <class T>
  bool operator()(const T* parameters, T* residual) const {
    residual[0] = exp(parameters[0] * x + parameters[1]) - std::exp(0.3 * x + 0.1);
    return true;
  }
};

void fits() {
  double parameters[2] = {0, 0};
  ceres::Problem problem;
  for (int i = 0; i < 50; ++i) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<OffTheCurve, 1, 2>(new OffTheCurve{0.1 * i}), nullptr,
                             parameters);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.function_tolerance = 1e-14;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  expect(summary.IsSolutionUsable() && std::abs(parameters[0] - 0.3) < 1e-6 && std::abs(parameters[1] - 0.1) < 1e-6,
         "Ceres fits 0.3, 0.1; it says " + std::to_string(parameters[0]) + ", " + std::to_string(parameters[1]));
}

}  // namespace

int main() {
  ompl::RNG::setSeed(1);
  ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
  collides();
  grid_over_distance();
  plans();
  fits();
  expect(arm_bends() == 0, "the soft arm bends");
  expect(mass_is_brought_to_rest() == 0, "iLQR brings a mass to rest");
  if (failures == 0) std::printf("all neighbours answer as they would alone\n");
  return failures != 0;
}
