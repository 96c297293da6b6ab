// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>
#include <utility>

/// Learning to swim (Jia, Pan, Manocha 2019, Eq. 6 and section V): observation, action, reward, start and
/// end of an episode, including all that the paper leaves open, for the swimmer of stroke_problem.hpp and
/// against the cost of its planner.
namespace studies::stroke {

struct TaskSetup {
  int episode_steps = 256;     ///< 5.12 s
  double torque_unit = 0.15;   ///< of an action, N m; Setup::largest_torque bounds torques
  double start_angle = 0.5;    ///< |q_j| of a start, at rest, rad
  double start_heading = 0.2;  ///< |theta| of a start, rad
  double forward_weight = 60;  ///< per metre forward: the planner's goal weight times its distance to the goal, 1.5 m
  double torque_weight = 1;    ///< of 1/2 |tau|^2, as the planner's
  double rate_weight = 0.002;  ///< of 1/2 |dq/dt|^2, as the planner's
  double limit_weight = 10;    ///< of the squared angles beyond the joint limits
  double failure = -5;         ///< reward for leaving the domain of the grid
};

/// A planning::ControlTask for SwimmerDynamics, planar, at zero momentum. The head points towards +x.
class SwimmingTask {
 public:
  SwimmingTask(Setup setup, const swimmer::Swimmer& fish, TaskSetup task = {})
      : setup_(std::move(setup)), task_(task), centre_(fish) {}

  int observation_size() const { return 2 * joints + 2; }
  int action_size() const { return joints; }
  int episode_steps() const { return task_.episode_steps; }
  double reward_of_failure() const { return task_.failure; }

  Eigen::VectorXd start(std::mt19937_64& random) const {
    std::uniform_real_distribution<double> unit(-1, 1);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(layout.size());
    for (int j = 0; j < joints; ++j) x[j] = task_.start_angle * unit(random);
    x[layout.pose()] = task_.start_heading * unit(random);
    return x;
  }
  /// Angles, rates, and the heading of the head. The position is left out, since the dynamics do not depend on it.
  void observe(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> observation) const {
    observation.head<2 * joints>() = x.head<2 * joints>();
    observation[2 * joints] = std::sin(x[layout.pose()]);
    observation[2 * joints + 1] = std::cos(x[layout.pose()]);
  }
  void control(const Eigen::VectorXd& action, Eigen::VectorXd& torque) const {
    torque = (task_.torque_unit * action).cwiseMax(-setup_.largest_torque).cwiseMin(setup_.largest_torque);
  }
  double reward(const Eigen::VectorXd& x, const Eigen::VectorXd& torque, const Eigen::VectorXd& next) const {
    const Eigen::Array3d beyond = (next.head<joints>().array().abs() - setup_.joint_limit).max(0);
    return task_.forward_weight * (centre_(next).x() - centre_(x).x()) -
           0.5 * task_.torque_weight * torque.squaredNorm() -
           0.5 * task_.rate_weight * next.segment<joints>(layout.rates()).squaredNorm() -
           task_.limit_weight * beyond.square().sum();
  }
  bool failed(const Eigen::VectorXd& x) const { return !(x.head<joints>().cwiseAbs().maxCoeff() <= setup_.domain); }

 private:
  static constexpr swimmer::StateLayout layout{.hinges = joints};

  Setup setup_;
  TaskSetup task_;
  CentreOfMass centre_;
};

}  // namespace studies::stroke
