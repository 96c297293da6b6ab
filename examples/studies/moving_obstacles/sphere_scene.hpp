// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/geometry/collision_checker.hpp"
#include "quoin/planning/aico/aico.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <vector>

namespace studies::spheres {

/// The running cost of a motion (Zarubin et al. 2012, Fig. 9): 1/2 position |tip - goal|^2 at every time, 1/2 end |.|^2
/// besides at the last, 1/2 collision sum max(0, margin - distance)^2 over all pairs, 1/2 control |u|^2, u = qdd; and, which
/// the paper does not name, 1/2 limits |.|^2 of what a joint is within `limit_margin` of its limits or beyond them.
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

/// What a motion costs, and whether it may be executed.
struct PathCost {
  double position = 0, collision = 0, control = 0, limits = 0;
  double clearance = 0;      ///< the least distance of any pair, between frames too, m
  double tip_error = 0;      ///< at the end, m
  double beyond_limits = 0;  ///< rad, by how much a joint leaves its limits at most

  double total() const { return position + collision + control + limits; }
  bool collides() const { return clearance < 0; }
};

/// Where spheres are at a time: 3 x S, m.
using SpheresAt = std::function<Eigen::Matrix3Xd(double time)>;

/// Something pushes the arm: at the time t its joints are `offset` from where it went, their velocity is as before.
struct Push {
  int t = -1;  ///< 1 to T; negative: nothing pushes
  Eigen::VectorXd offset = {};
};

/// An iiwa 7 with a rod that reaches for a point among spheres; T steps of dt, at rest in the beginning.
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
  /// Whether a sphere lies over the goal at any frame, so that the tip cannot be there.
  bool covers_goal(const SpheresAt& spheres) const;
  /// path: 7 x (T+1). Velocities and accelerations follow from it, from rest. Column push.t is where the push has put
  /// the joints: its jump is nobody's control, no collision is looked for on it, and u is that of the pieces before and
  /// after.
  PathCost cost(const Eigen::MatrixXd& path, const SpheresAt& spheres, const Push& push = {}) const;
  /// Throws std::invalid_argument for a push at another time, or of other joints.
  void check(const Push& push) const;
  /// AICO with that cost, under spheres known at all times, from each path (7 x (T+1); none: from rest); the cheapest.
  planning::AicoResult plan(const SpheresAt& spheres, const std::vector<Eigen::MatrixXd>& starts = {}) const;
};

/// A scene with its plan for spheres that stand.
struct PlannedScene {
  SphereScene scene;
  planning::AicoResult plan;

  Eigen::MatrixXd path() const { return plan.states.topRows(scene.start.size()); }
};

/// Spheres at random, each less than 5 cm from where the arm would go without them (and not at its start, its base or
/// its goal), such that the plan that knows nothing of them collides, and the one that is returned, which knows them,
/// does not. That is AICO's from the colliding plan and from rest, whichever is cheaper. Throws std::runtime_error
/// without urdfdom, or if there are no such spheres among 1000 draws, or no place for one among 10000.
PlannedScene draw_scene(const SceneOptions& options);

}  // namespace studies::spheres
