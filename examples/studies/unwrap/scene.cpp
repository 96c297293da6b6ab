// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/scene.hpp"

#include "quoin/robots/geometry/margin_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/planning/aico/end_state_posterior.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace studies::unwrap {
namespace {

using rigid_body::TreePoints;

constexpr double pole_place = 0.25;  // m, along x, where the arm reaches the pole
constexpr double pole_radius = 0.03, pole_height = 1.2;
constexpr int pole_pieces = 20;
constexpr double pitch = 0.11;  // m per turn
constexpr double rod_radius = 0.035, rod_length = 0.16;
constexpr double clearance = 0.02;  // m, of the start

/// A point of the arm's axis at `length` from its base, wound `turns` around an axis along z through (pole_place,
/// radius, 0): straight, then a helix, then straight along its last tangent.
Eigen::Vector3d wound_point(double length, double turns, double radius) {
  if (length <= pole_place) return {length, 0, 0};
  const double rise = pitch / (2 * std::numbers::pi), slope = std::hypot(radius, rise);
  const double whole = 2 * std::numbers::pi * turns, angle = std::min(whole, (length - pole_place) / slope);
  const Eigen::Vector3d tangent(radius * std::cos(angle) / slope, radius * std::sin(angle) / slope,
                                turns > 0 ? rise / slope : 0);
  const Eigen::Vector3d leaves(pole_place + radius * std::sin(angle), radius - radius * std::cos(angle), rise * angle);
  return leaves + (length - pole_place - slope * angle) * tangent;
}

Eigen::Matrix3Xd wound_chain(double turns, double radius) {
  Eigen::Matrix3Xd points(3, rope_segments);
  for (int k = 0; k < rope_segments; ++k) points.col(k) = wound_point((k + 1) * segment_length, turns, radius);
  return points;
}

/// The joint angles of the wound arm, followed from the straight one as a rope is wound; nothing if they exceed a limit
/// or are nearer to contact than 18 mm.
std::optional<Eigen::VectorXd> wind(const Scene& scene, double radius) {
  const Eigen::Index d = scene.joints();
  const CollisionChecker checker(scene.arm.collision_model());
  const PointOffsets chain(TreePoints(scene.arm.tree, {scene.arm.chain.begin() + 1, scene.arm.chain.end()}));
  const MarginMap margins(scene.arm.points(), checker, clearance);
  const auto world = [&](int) -> const Obstacles& { return scene.obstacles; };
  planning::Gaussian prior{Eigen::VectorXd::Zero(2 * d), Eigen::MatrixXd::Zero(2 * d, 2 * d)};
  prior.covariance.diagonal().head(d).setConstant(0.1);
  const int stages = std::max(1, static_cast<int>(std::ceil(scene.winding / 0.1)));
  for (int k = 1; k <= stages; ++k) {
    const Eigen::Matrix3Xd wanted = wound_chain(scene.winding * k / stages, radius);
    const planning::TaskSum task(
        {{"chain", planning::map_residual(chain, [&](int) -> const Eigen::Matrix3Xd& { return wanted; }),
          planning::at_end(0, 1e4)},
         {"margins", planning::map_residual(margins, world), planning::at_end(0, 1e6)},
         {"limits", planning::limit_residual(scene.arm.lower(), scene.arm.upper(), 0.05), planning::at_end(0, 1e3)}});
    const auto result = planning::end_state_posterior(
        prior, [&](const Eigen::VectorXd& x, planning::LocalTask& local) { return task(0, x, local); },
        {.max_iterations = 60, .tolerance = 1e-4});
    prior.mean = result.posterior.mean;
  }
  Eigen::Matrix3Xd points;
  scene.arm.points().evaluate(prior.mean.head(d), points);
  const double left = checker.min_distance(points, scene.obstacles).distance;
  const Eigen::VectorXd q = prior.mean.head(d);
  const double within = std::min((scene.arm.upper() - q).minCoeff(), (q - scene.arm.lower()).minCoeff());
  if (!(left >= 0.9 * clearance && within >= 0)) return std::nullopt;
  return q;
}

}  // namespace

TreePoints Scene::palm() const {
  const TreePoints::Point& wrist = arm.chain.back();
  return {arm.tree, {wrist, {wrist.frame, wrist.place + palm_in_wrist()}}};
}

TreePoints Scene::tips() const {
  std::vector<TreePoints::Point> points;
  for (int f = 0; f < fingers; ++f)
    points.push_back(arm.others[static_cast<std::size_t>(tip_of(f)) - arm.chain.size()]);
  return {arm.tree, points};
}

namespace {

/// The scene with the arm wound at that radius and the rod's middle at `rod`, if it can be wound.
std::optional<Scene> scene_of(double winding, std::uint64_t seed, double radius, const Eigen::Vector3d& rod) {
  Scene scene{.winding = winding, .seed = seed, .arm = rope_arm()};
  scene.pole.resize(3, pole_pieces + 1);
  for (int k = 0; k <= pole_pieces; ++k)
    scene.pole.col(k) << pole_place, radius, pole_height * (k / static_cast<double>(pole_pieces) - 0.5);
  const Eigen::Vector3d half(0, 0, 0.5 * rod_length);
  scene.obstacles = {Capsule{scene.pole.col(0), scene.pole.col(pole_pieces), pole_radius},
                     Capsule{rod - half, rod + half, rod_radius}};
  for (int b = rope_bodies; b < static_cast<int>(scene.arm.bodies.size()); ++b)
    scene.arm.ignored_pairs.push_back({b, 1});

  // The palm faces the rod from the side of the base, thumb and fingers to the left and right of it.
  const Eigen::Vector3d towards = Eigen::Vector3d(rod.x(), rod.y(), 0).normalized();
  const Eigen::Vector3d left = Eigen::Vector3d::UnitZ().cross(towards);
  const double reach = rod_radius + finger_radius + 0.003;
  scene.palm_goals.resize(3, 2);
  scene.palm_goals.col(1) = rod - 0.055 * towards;
  scene.palm_goals.col(0) = scene.palm_goals.col(1) - palm_in_wrist().norm() * towards;
  scene.tip_goals.resize(3, fingers);
  for (int f = 0; f < fingers; ++f)
    scene.tip_goals.col(f) = rod + (f == 0 ? -reach : reach) * left + Eigen::Vector3d(0, 0, knuckle_in_wrist(f).z());

  const auto start = wind(scene, radius);
  if (!start) return std::nullopt;
  scene.start = *start;
  Eigen::VectorXd turns;
  topology::WritheMap(scene.arm.chain_points(), {.form = topology::WritheForm::scalar})
      .evaluate(scene.start, scene.pole, turns);
  scene.turns_at_start = turns[0];
  return scene;
}

}  // namespace

Scene make_scene(double winding, std::uint64_t seed) {
  if (!(winding >= 0 && winding <= 2.6))
    throw std::invalid_argument("unwrap: a winding of " + to_text(winding) + " turns is not within 0 to 2.6");
  std::mt19937_64 random(seed);
  // The same numbers with every standard library, whose distributions differ.
  const auto draw = [&](double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(random() >> 11U), -53);
  };
  constexpr int most_draws = 20;
  for (int k = 0; k < most_draws; ++k) {
    const double radius = draw(0.105, 0.115);
    const double away = draw(0.9, 1.6), azimuth = draw(-1, 1), height = draw(-0.3, 0.5);
    const Eigen::Vector3d rod(away * std::cos(azimuth), away * std::sin(azimuth), height);
    if (auto scene = scene_of(winding, seed, radius, rod)) return *std::move(scene);
  }
  throw std::runtime_error("unwrap: none of " + to_text(most_draws) + " draws of seed " + to_text(seed) +
                           " could be wound " + to_text(winding) + " turns within limits and 18 mm from contact");
}

}  // namespace studies::unwrap
