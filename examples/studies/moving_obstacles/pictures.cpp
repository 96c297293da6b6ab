// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/arm_pictures.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "examples/studies/moving_obstacles/sphere_results.hpp"
#include "quoin/robots/geometry/shape_mesh.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace studies::spheres {
namespace {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
namespace palette = figures::palette;

Matrix3Xd tips_of(const SphereScene& scene, const MatrixXd& path) {
  const rigid_body::TreePoints tip(scene.arm.tree, {scene.arm.chain.back()});
  Matrix3Xd tips(3, path.cols()), place;
  for (Index t = 0; t < path.cols(); ++t) {
    tip.evaluate(path.col(t), place);
    tips.col(t) = place.col(0);
  }
  return tips;
}

/// Coarser than the frames for ParaView, so that a picture of four moments stays small.
void add(figures::SurfaceScene& picture, const Capsule& capsule, double shade) {
  const SurfaceMesh surface = surface_of(capsule, 0.55 * capsule.radius);
  picture.surface(surface, Eigen::VectorXd::Constant(surface.vertices.cols(), shade));
}

/// What all moments have in common: panels that are compared show the same part of space.
struct Film {
  const SphereScene& scene;
  const MatrixXd &path, &planned;
  const SpheresAt& spheres;
  std::vector<int> moments;

  figures::SurfaceScene at(int t) const;
  /// Least and greatest x and y of all moments.
  std::array<Eigen::Vector2d, 2> corners() const;
};

figures::SurfaceScene Film::at(int t) const {
  figures::SurfaceScene picture = studies::shaded_scene({0.8, -0.5, 1.0}, 0);
  Matrix3Xd points;
  scene.arm.points().evaluate(path.col(t), points);
  for (const Capsule& link : studies::capsules_at(scene.arm, points)) add(picture, link, -0.35);
  const Matrix3Xd centers = spheres(t * scene.options.dt);
  for (Index s = 0; s < centers.cols(); ++s) add(picture, Capsule::sphere(centers.col(s), scene.options.radius), 0.6);
  return picture;
}

std::array<Eigen::Vector2d, 2> Film::corners() const {
  const double room = scene.options.radius + 0.02;  // m
  Eigen::Vector2d least = Eigen::Vector2d::Constant(1e9), most = -least;
  Matrix3Xd points;
  for (const int t : moments) {
    const figures::SurfaceScene picture = at(t);
    scene.arm.points().evaluate(path.col(t), points);
    for (const Matrix3Xd& shown : {points, spheres(t * scene.options.dt), tips_of(scene, planned)}) {
      const Eigen::Matrix2Xd places = picture.project(shown);
      least = least.cwiseMin(places.rowwise().minCoeff());
      most = most.cwiseMax(places.rowwise().maxCoeff());
    }
  }
  return {least.array() - room, most.array() + room};
}

void draw_moment(figures::SvgDrawing& drawing, const Film& film, int t) {
  const auto& [scene, path, planned, spheres, moments] = film;
  const double time = t * scene.options.dt;
  const figures::SurfaceScene picture = film.at(t);
  const auto [least, most] = film.corners();
  figures::SvgPanel& panel = drawing.panel({.title = figures::format_number(time, 2) + " s",
                                            .x_range = {{least.x(), most.x()}},
                                            .y_range = {{least.y(), most.y()}}});
  panel.scene(picture);
  Matrix3Xd drift(3, t + 1);
  for (Index s = 0; s < scene.centers.cols(); ++s) {
    for (int k = 0; k <= t; ++k) drift.col(k) = spheres(k * scene.options.dt).col(s);
    panel.line(picture.project(drift),
               {.color = palette::vermilion, .label = s == 0 ? "spheres, so far" : "", .width = 1.2});
  }
  panel.line(picture.project(tips_of(scene, planned)),
             {.color = palette::grey, .label = "tip, as planned", .width = 1.4, .dash = "4 3"});
  panel.line(picture.project(tips_of(scene, path.leftCols(t + 1))),
             {.color = palette::blue, .label = "tip, remapped, so far", .width = 2});
  panel.markers(picture.project(scene.goal),
                {.color = palette::black, .label = "goal", .marker = figures::Marker::cross, .marker_size = 10});
}

/// The motion at which blind execution costs most, among those in which the remapping stays free of collision and ends
/// at the goal.
SphereMotion telling_motion(const PlannedScene& planned) {
  std::vector<SphereMotion> motions = draw_motions(planned.scene, {.amplitude = tuned_displacement, .count = 12});
  std::size_t best = 0;
  double most = -1;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const SpheresAt spheres = spheres_of(motions[k]);
    FrameRule rule(planned.scene, planned.plan, remapping());
    const PathCost remapped_cost = planned.scene.cost(follow(rule, planned.scene, spheres), spheres);
    constexpr double at_goal = 0.01;  // m
    if (remapped_cost.collides() || remapped_cost.tip_error > at_goal) continue;
    const double cost = planned.scene.cost(planned.path(), spheres).collision;
    if (cost > most) {
      most = cost;
      best = k;
    }
  }
  return motions[best];
}

}  // namespace

std::string draw_scenes(const SphereResults& results, const figures::OutputFolder& out) {
  const PlannedScene& planned = results.scenes[std::min<std::size_t>(1, results.scenes.size() - 1)];
  const SphereScene& scene = planned.scene;
  const SphereMotion motion = telling_motion(planned);
  const SpheresAt spheres = spheres_of(motion);
  FrameRule rule(scene, planned.plan, remapping());
  const MatrixXd path = follow(rule, scene, spheres);
  figures::SvgDrawing drawing({.columns = 2, .panel_width = 420, .panel_height = 400});
  const MatrixXd as_planned = planned.path();
  const Film film{scene, path, as_planned, spheres, {0, 7, 20, scene.options.horizon}};
  for (const int t : film.moments) draw_moment(drawing, film, t);
  drawing.write(out / "spheres.svg");
  const auto obstacles_at = [&](int frame) { return scene.obstacles(spheres(frame * scene.options.dt)); };
  studies::write_frames(out / "remapped.pvd", scene.arm, path, scene.options.dt, obstacles_at);
  studies::write_frames(out / "blind.pvd", scene.arm, planned.path(), scene.options.dt, obstacles_at);
  return "  spheres.svg                one motion, remapped frame by frame\n"
         "  remapped.pvd, blind.pvd    the same for ParaView, and the old plan among the same spheres\n";
}

}  // namespace studies::spheres
