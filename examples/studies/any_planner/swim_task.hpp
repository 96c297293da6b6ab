// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <functional>

/// Planners that sample and know no derivatives, on the swimmer's dynamics over one grid and on exact dynamics.
namespace studies::any_planner {

using stroke::joints;

/// From rest, bent, to a centre of mass that is `goal` further ahead, within the limits of joints and torques. The
/// way back and the end's posture and rates are free.
struct Task {
  stroke::Fish fish;
  double goal = 0.1;      ///< m
  double margin = 0.002;  ///< m, rad: by so much planners aim further and keep off the joints' limits
  double rate_limit = 6;  ///< rad/s, of the trees' states
  double longest = 10;    ///< s, of a motion
  explicit Task(const stroke::Setup& setup) : fish(setup) {}

  int most_steps() const { return static_cast<int>(longest / fish.setup.time_step + 0.5); }
  Eigen::VectorXd start() const;  ///< a state of SwimmerDynamics: q, dq/dt, theta, x, y
};

/// Of the centre of mass, m: what a state is ahead of the task's start.
class WayAhead {
 public:
  explicit WayAhead(const Task& task) : centre_(task.fish.body), from_(centre_(task.start()).x()) {}
  double operator()(const Eigen::VectorXd& x) const { return centre_(x).x() - from_; }

 private:
  stroke::CentreOfMass centre_;
  double from_;
};

/// The swimmer's dynamics in time steps of the setup, with the evaluations of the added mass so far.
struct Model {
  std::function<StepStatus(const Eigen::VectorXd& x, const Eigen::VectorXd& torques, Eigen::VectorXd& next)> step;
  std::function<long()> evaluations;
};

/// Through a level of the grid, which must outlive the model.
Model model_through(const Task& task, const AdaptiveGrid<joints>& grid, int level);
/// By boundary elements at every query, four a step.
Model exact_model(const Task& task);

/// When planning ends without a plan.
struct Budget {
  long propagations;  ///< time steps
  double seconds;
};

struct Plan {
  bool found = false;
  Eigen::MatrixXd torques = {};  ///< joints x time steps
  double way = 0;                ///< m, on the planner's dynamics
  long propagations = 0;
  long evaluations = 0;
  double seconds = 0;
};

/// A plan's torques on other dynamics.
struct Replay {
  bool success = false;  ///< at the goal in the end, within the joints' limits on the way
  double way = 0;        ///< m
  long evaluations = 0;
};
Replay replay(const Task& task, const Model& exact, const Plan& plan);

}  // namespace studies::any_planner
