// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_motion.hpp"
#include "examples/studies/fluidic_brace/servoed_arm.hpp"
#include "quoin/robots/dynamics/rosenbrock.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace studies::brace {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using fluidic_arm::FluidicArm;
using fluidic_arm::StaticPose;

/// Rises from 0 to 1 with zero jerk at both ends.
double eased(double s) {
  s = std::clamp(s, 0., 1.);
  return s * s * s * (10 + s * (6 * s - 15));
}

/// The coordinates of a point of space in the plane of a base turned by `rotation`; a point beside
/// the plane is rotated into it.
Vector2d in_plane(const Eigen::Vector3d& p, double rotation) {
  return {p.x() * std::cos(rotation) + p.y() * std::sin(rotation), p.z()};
}

/// A running simulation of a plant, recorded at every fourth step.
class Run {
 public:
  Run(const BraceScene& scene, const FluidicArm& arm, const VectorXd& start, double rotation,
      const MotionOptions& options)
      : scene_(scene), options_(options), n_(arm.coordinates()), ball_(in_plane(scene.ball, rotation)) {
    x_.setZero(2 * n_);
    x_.head(n_) = start;
    motion_.ball_gap = std::numeric_limits<double>::infinity();
  }

  double time() const { return time_; }
  VectorXd angles() const { return x_.head(n_); }
  const Vector2d& ball() const { return ball_; }

  Servo servo() const {
    return {.stiffness = VectorXd::Constant(n_, options_.servo_stiffness),
            .damping = VectorXd::Constant(n_, options_.servo_damping),
            .forward = VectorXd::Zero(n_),
            .max_torque = scene_.max_torque};
  }

  /// The reference for a servo that holds an arm at `angles`, with the plan's torques there if they are used.
  VectorXd reference(const VectorXd& angles, const VectorXd& torques) const {
    return options_.forward ? VectorXd(angles + torques / options_.servo_stiffness) : angles;
  }
  void touch(const BallSkin& skin) { skin_ = skin; }
  const std::optional<BallSkin>& skin() const { return skin_; }

  /// Runs until a time, or until `stop`, which is checked after every step, holds; returns whether it does.
  bool go(const FluidicArm& arm, const Servo& servo, double until, const std::function<VectorXd(double)>& reference,
          const std::function<bool()>& stop = {}) {
    ServoedArm servoed(arm, servo, skin_);
    while (motion_.status == StepStatus::ok && time_ < until - 1e-9) {
      const VectorXd wanted = reference(time_ + options_.step / 2);
      const VectorXd before = servoed.torques(x_, wanted);
      if (steps_ % 4 == 0) record(arm, before);
      motion_.status = rosenbrock_step(servoed, wanted, options_.step, x_);
      if (motion_.status != StepStatus::ok) break;
      servoed.settle(x_);
      skin_ = servoed.skin();
      last_ = servoed.torques(x_, wanted);
      motion_.spent += options_.step / 2 * (before.squaredNorm() + last_.squaredNorm());
      time_ = ++steps_ * options_.step;
      if (stop && stop()) return true;
    }
    return false;
  }

  Motion finish(const FluidicArm& arm, const Vector2d& goal) {
    record(arm, last_);
    const Index frames = std::ssize(motion_.times);
    motion_.states = Eigen::Map<const MatrixXd>(states_.data(), 2 * n_, frames);
    motion_.torques = Eigen::Map<const MatrixXd>(torques_.data(), n_, frames);
    motion_.tip_error =
        motion_.status == StepStatus::ok ? (arm.tip(angles()) - goal).norm() : std::numeric_limits<double>::infinity();
    return std::move(motion_);
  }

 private:
  void record(const FluidicArm& arm, const VectorXd& torques) {
    motion_.times.push_back(time_);
    states_.insert(states_.end(), x_.begin(), x_.end());
    torques_.insert(torques_.end(), torques.begin(), torques.end());
    const double nearest = std::sqrt((arm.shape(angles(), 8).colwise() - ball_).colwise().squaredNorm().minCoeff());
    motion_.ball_gap = std::min(motion_.ball_gap, nearest - scene_.brace_distance());
  }

  const BraceScene& scene_;
  const MotionOptions& options_;
  Index n_;
  Vector2d ball_;
  VectorXd x_, last_;
  std::optional<BallSkin> skin_;
  double time_ = 0;
  long steps_ = 0;
  Motion motion_;
  std::vector<double> states_, torques_;
};

/// Solves Eq. 36 again, by the model, with the bends up to the brace as measured; if the goal is then out of reach, for
/// the pose that comes nearest.
PoseResult plan_beyond(const StaticPose& pose, const VectorXd& plan, const VectorXd& measured, const Vector2d& ball,
                       double& miss) {
  fluidic_arm::StaticPoseTask task = pose.task();
  fluidic_arm::Brace& brace = *task.brace;
  const FluidicArm& model = pose.arm();
  const Vector2d apart = model.point(measured, brace.segment, 1) - ball;
  brace.distance = apart.norm();  // with the skin's indentation at this time
  brace.max_tilt = 1;
  const double nearest = std::sqrt(
      (model.shape(measured, 2 * task.points_per_segment).colwise() - ball).colwise().squaredNorm().minCoeff());
  task.clearance = std::min(task.clearance, nearest - 1e-6);
  const StaticPose beyond(model, task);
  VectorXd guess = plan;
  const Index bends = brace.segment + 1;
  guess.head(bends) = measured.head(bends);
  guess[pose.contact_at()] = std::atan2(apart.y(), apart.x());
  PoseWish wish{.held = measured.head(bends)};
  PoseResult result = find_pose(beyond, wish, {.starts = 2, .guess = guess});
  if (!result.feasible) {
    wish.miss = 1e6;
    result = find_pose(beyond, wish, {.starts = 2, .guess = guess});
  }
  VectorXd c;
  MatrixXd jacobian;
  beyond.constraints(result.z, c, jacobian);
  miss = c.segment<3>(beyond.goal_row()).norm();
  return result;
}

}  // namespace

Motion move_freely(const BraceScene& scene, const FluidicArm& plant, const VectorXd& start, const StaticPose& pose,
                   const VectorXd& plan, const MotionOptions& options) {
  const double rotation = pose.rotation(plan);
  Run run(scene, plant, start, rotation, options);
  const Servo servo = run.servo();
  const VectorXd way = run.reference(pose.angles(plan), pose.torques(plan)) - start;
  VectorXd correction = VectorXd::Zero(way.size());
  const auto reference = [&](double t) -> VectorXd {
    return start + eased(t / options.approach_seconds) * way +
           eased((t - options.distal_start) / options.distal_seconds) * correction;
  };
  run.go(plant, servo, options.distal_start, reference);
  if (options.replan) correction = pose.angles(plan) - run.angles();
  run.go(plant, servo, options.end, reference);
  return run.finish(plant, in_plane(scene.goal, rotation));
}

BracedMotion move_braced(const BraceScene& scene, const FluidicArm& plant, const VectorXd& start,
                         const StaticPose& pose, const VectorXd& plan, const MotionOptions& options) {
  const int segment = pose.task().brace->segment;
  const Index bends = segment + 1;
  const double rotation = pose.rotation(plan);
  BracedMotion result;
  Run run(scene, plant, start, rotation, options);
  const auto brace_point = [&](const VectorXd& q) { return plant.point(q, segment, 1); };
  const auto touches = [&] { return (brace_point(run.angles()) - run.ball()).norm() <= scene.brace_distance(); };

  VectorXd target = start;
  target.head(bends) = pose.angles(plan).head(bends);
  target.head(bends) = run.reference(target, pose.torques(plan)).head(bends);
  Servo servo = run.servo();
  result.touched = run.go(
      plant, servo, options.approach_seconds,
      [&](double t) -> VectorXd { return start + eased(t / options.approach_seconds) * (target - start); }, touches);
  if (!result.touched) {
    Vector2d p;
    Eigen::Matrix2Xd dp;
    pose.arm().point(target, segment, 1, p, dp);
    const double phi = pose.contact(plan)[0];
    const VectorXd inwards = -dp.transpose() * Vector2d(std::cos(phi), std::sin(phi)) / dp.squaredNorm();
    result.touched = run.go(
        plant, servo, options.distal_start,
        [&](double t) -> VectorXd { return target + (t - options.approach_seconds) * options.press_speed * inwards; },
        touches);
  }
  if (!result.touched) {
    result.motion = run.finish(plant, in_plane(scene.goal, rotation));
    return result;
  }
  result.touched_at = run.time();
  const VectorXd measured = run.angles();
  double touched_place = 0;

  fluidic_arm::ArmDescription held = plant.description();
  if (options.hold == Hold::contact) {
    BallSkin skin{.segment = segment,
                  .ball = run.ball(),
                  .distance = scene.brace_distance(),
                  .arm_radius = scene.arm_radius,
                  .stiffness = scene.radial_stiffness,
                  .shear_stiffness = scene.shear_stiffness,
                  .friction = scene.friction};
    skin.anchor = touched_place = skin.place_on_ball(plant, measured);
    run.touch(skin);
  } else {
    for (std::size_t i = 0; i < static_cast<std::size_t>(bends); ++i) held.segments[i].damping = options.held_damping;
  }
  const FluidicArm braced(held);
  // The planned torques press on the ball; a servo about the measured pose only reacts to sliding.
  VectorXd aim = start;
  if (options.hold == Hold::damping) {
    servo.stiffness.head(bends).setZero();
    servo.damping.head(bends).setZero();
  } else {
    aim.head(bends) = measured.head(bends);
  }
  const auto press = [&](const VectorXd& z) { servo.forward.head(bends) = pose.torques(z).head(bends); };
  press(plan);
  run.go(braced, servo, options.distal_start, [&](double) { return aim; });

  VectorXd goal_pose = plan;
  if (options.replan) {
    result.plan = plan_beyond(pose, plan, run.angles(), run.ball(), result.planned_miss);
    goal_pose = result.plan.z;
  }
  press(goal_pose);
  VectorXd way = run.reference(pose.angles(goal_pose), pose.torques(goal_pose)) - aim;
  way.head(bends).setZero();
  run.go(braced, servo, options.end,
         [&](double t) -> VectorXd { return aim + eased((t - options.distal_start) / options.distal_seconds) * way; });
  result.motion = run.finish(braced, in_plane(scene.goal, rotation));
  const VectorXd last = run.angles();
  const Vector2d apart = brace_point(last) - run.ball();
  result.held_by = fluidic_arm::holding_force(plant, last, result.motion.torques.rightCols(1), segment,
                                              std::atan2(apart.y(), apart.x()), scene.arm_radius);
  const Vector2d touched = brace_point(measured) - run.ball();
  result.moved = scene.brace_distance() * std::acos(std::min(1., touched.dot(apart) / (touched.norm() * apart.norm())));
  if (run.skin()) {
    result.slip = std::abs(run.skin()->anchor - touched_place);
    const double place = run.skin()->place_on_ball(plant, last);
    result.friction_force = scene.shear_stiffness * std::abs(place - run.skin()->anchor);
  }
  return result;
}

}  // namespace studies::brace
