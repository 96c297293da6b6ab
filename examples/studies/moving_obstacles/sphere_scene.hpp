// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"
#include "quoin/robots/planning/aico/aico.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <vector>

namespace studies::spheres {

/// The running cost of a motion (Zarubin et al. 2012, Fig. 9): 1/2 position |tip - goal|^2 at every time, 1/2 end
/// |.|^2 in addition at the last, 1/2 collision sum max(0, margin - distance)^2 over all pairs, 1/2 control |u|^2,
/// u = qdd; and, not named in the paper, 1/2 limits |.|^2 of how far a joint is into the last `limit_margin`
/// before its limits or beyond them.
struct CostWeights {
  double position = 10, end = 1000, collision = 1000, control = 0.1, limits = 1000;
  double margin = 0.03;        ///< m
  double limit_margin = 0.02;  ///< rad
};

struct SceneOptions {
  int spheres = 3;
  double radius = 0.08;  ///< of the spheres, m
  std::uint64_t seed = 1;
  int horizon = 50;
  double dt = 0.1;
  CostWeights weights = {};
};

/// The cost of a motion, and whether it may be executed.
struct PathCost {
  double position = 0, collision = 0, control = 0, limits = 0;
  double clearance = 0;      ///< least distance over all pairs, between frames too, m
  double tip_error = 0;      ///< at the end, m
  double beyond_limits = 0;  ///< rad, most that a joint exceeds its limits

  double total() const { return position + collision + control + limits; }
  bool collides() const { return clearance < 0; }
};

/// Positions of the spheres at a time: 3 x S, m.
using SpheresAt = std::function<Eigen::Matrix3Xd(double time)>;

/// A push on the arm: at time t its joints are displaced by `offset`, their velocity is unchanged.
struct Push {
  int t = -1;  ///< 1 to T; negative: no push
  Eigen::VectorXd offset = {};
};

/// An iiwa 7 with a rod reaches for a point among spheres; T steps of dt, at rest in the beginning.
struct SphereScene {
  SceneOptions options;
  studies::CapsuleArm arm;
  Eigen::VectorXd start;     ///< 7
  Eigen::Vector3d goal;      ///< for the tip of the rod
  Eigen::Matrix3Xd centers;  ///< 3 x S, in the beginning
  CollisionChecker checker;

  double seconds() const { return options.horizon * options.dt; }
  Obstacles obstacles(const Eigen::Matrix3Xd& places) const;
  SpheresAt standing() const {
    return [places = centers](double) { return places; };
  }
  /// Whether a sphere covers the goal at any frame, so that the tip cannot be there.
  bool covers_goal(const SpheresAt& spheres) const;
  /// path: 7 x (T+1). Velocities and accelerations follow from it, from rest. In column push.t the joints
  /// are where the push has put them: its jump is no control, no collision is checked on it, and u is that
  /// of the pieces before and after.
  PathCost cost(const Eigen::MatrixXd& path, const SpheresAt& spheres, const Push& push = {}) const;
  /// Throws std::invalid_argument for a push at a time outside 1 to T, or with the wrong number of joints.
  void check(const Push& push) const;
  /// AICO with that cost, under spheres known at all times, from each path (7 x (T+1); none: from rest); the cheapest.
  planning::AicoResult plan(const SpheresAt& spheres, const std::vector<Eigen::MatrixXd>& starts = {}) const;
};

/// A scene with its plan for spheres at rest.
struct PlannedScene {
  SphereScene scene;
  planning::AicoResult plan;

  Eigen::MatrixXd path() const { return plan.states.topRows(scene.start.size()); }
};

/// Spheres at random, each less than 5 cm from where the arm would go without them (and not at its start, its base or
/// its goal), such that the plan made without them collides and the returned plan, made with them, does not. The
/// returned one is AICO's from the colliding plan and from rest, whichever is cheaper. Throws std::runtime_error
/// without urdfdom, or if 1000 draws give no such spheres, or 10000 no place for one.
PlannedScene draw_scene(const SceneOptions& options);

}  // namespace studies::spheres
