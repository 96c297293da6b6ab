// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_brace/brace_scene.hpp"
#include "examples/studies/fluidic_brace/pose_search.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::brace {

/// How a brace is held in a simulation.
enum class Hold {
  contact,  ///< the ball's force on the skin with its friction, while the servo holds the touching pose
  damping   ///< damping of the braced segments, raised once they touch, as in the paper: no contact force, no sliding
};

struct MotionOptions {
  Hold hold = Hold::contact;
  double servo_stiffness = 8;   ///< of every segment, N m / rad
  double servo_damping = 0.8;   ///< N m s / rad
  bool forward = true;          ///< add the plan's torques to the servo's
  double approach_seconds = 3;  ///< of the references' motion to the brace or, without one, to the goal
  /// Speed of the brace point's reference into the ball, if it has not touched by then, m/s.
  double press_speed = 0.05;
  double distal_start = 5;    ///< s: when the segments beyond the brace begin to move
  double distal_seconds = 1;  ///< of their references' motion
  double end = 9;             ///< s
  double held_damping = 1e4;  ///< of a braced segment, N m s
  double step = 5e-3;         ///< of the integrator, s
  /// Plan again from what is measured at distal_start. Without a brace: move all references by what the planned pose
  /// is away then.
  bool replan = true;
};

/// The recorded motion of an arm.
struct Motion {
  std::vector<double> times = {};  ///< s
  Eigen::MatrixXd states = {};     ///< (q, v), 2N x times
  Eigen::MatrixXd torques = {};    ///< N x times, N m
  double spent = 0;                ///< integral of tau^T tau, (N m)^2 s
  double tip_error = 0;            ///< at the end, m
  double ball_gap = 0;             ///< least distance of the arm's skin from the ball, m
  StepStatus status = StepStatus::ok;

  /// Bend at the end, rad/s.
  double fastest() const { return states.rightCols(1).bottomRows(torques.rows()).cwiseAbs().maxCoeff(); }
  double final_effort() const { return torques.col(torques.cols() - 1).squaredNorm(); }  ///< tau^T tau, (N m)^2
};

struct BracedMotion {
  Motion motion = {};
  bool touched = false;
  double touched_at = 0;             ///< s
  PoseResult plan = {};              ///< for the segments beyond the brace, with the measured ones held
  double planned_miss = 0;           ///< distance from the goal in that plan, m
  Eigen::Vector2d held_by = {0, 0};  ///< (Fn, Ft) of the plant's brace at the end, N
  double moved = 0;                  ///< the brace point along the ball's surface since it touched, m
  double slip = 0;                   ///< of the skin on the ball, its shear apart, by contact, m
  double friction_force = 0;         ///< at the end, by contact, N
};

/// Moves from rest in `start`, N, to the pose of a plan without a brace, by a servo on a plant that may differ from the
/// model.
Motion move_freely(const BraceScene& scene, const fluidic_arm::FluidicArm& plant, const Eigen::VectorXd& start,
                   const fluidic_arm::StaticPose& pose, const Eigen::VectorXd& plan, const MotionOptions& options = {});

/// Algorithm 3 from a given brace: the segments up to the brace are servoed into contact, where the ball holds them, or
/// raised damping, under their planned torques. The pose of the others is planned again by the model from the measured
/// angles, and they are servoed to it.
BracedMotion move_braced(const BraceScene& scene, const fluidic_arm::FluidicArm& plant, const Eigen::VectorXd& start,
                         const fluidic_arm::StaticPose& pose, const Eigen::VectorXd& plan,
                         const MotionOptions& options = {});

}  // namespace studies::brace
