// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/arm_pictures.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/moving_obstacles/sphere_results.hpp"
#include "quoin/geometry/shape_mesh.hpp"

#include <algorithm>
#include <array>

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

void draw_moment(figures::SvgPlot& plot, const SphereScene& scene, const MatrixXd& path, const MatrixXd& planned,
                 const SpheresAt& spheres, int t) {
  const double time = t * scene.options.dt;
  figures::SurfaceScene picture = studies::shaded_scene({0.8, -0.5, 1.0}, 0);
  Matrix3Xd points;
  scene.arm.points().evaluate(path.col(t), points);
  for (const Capsule& link : studies::capsules_at(scene.arm, points)) add(picture, link, -0.35);
  const Matrix3Xd centers = spheres(time);
  for (Index s = 0; s < centers.cols(); ++s) add(picture, Capsule::sphere(centers.col(s), scene.options.radius), 0.6);
  figures::SvgPanel& panel = plot.panel({.title = figures::format_number(time, 2) + " s",
                                         .equal_aspect = true,
                                         .axes = false,
                                         .legend = figures::Legend::none});
  panel.scene(picture);
  Matrix3Xd drift(3, t + 1);
  for (Index s = 0; s < scene.centers.cols(); ++s) {
    for (int k = 0; k <= t; ++k) drift.col(k) = spheres(k * scene.options.dt).col(s);
    panel.line(picture.project(drift), {.color = palette::vermilion, .width = 1.2});
  }
  panel.line(picture.project(tips_of(scene, planned)), {.color = palette::grey, .width = 1.4, .dash = "4 3"});
  panel.line(picture.project(tips_of(scene, path.leftCols(t + 1))), {.color = palette::blue, .width = 2});
  const Eigen::Matrix2Xd goal = picture.project(scene.goal);
  panel.markers(goal.row(0), goal.row(1),
                {.color = palette::black, .marker = figures::Marker::cross, .marker_size = 10});
}

/// The motion at which blind execution costs most, among those in which the remapping stays free of collision.
SphereMotion telling_motion(const PlannedScene& planned) {
  std::vector<SphereMotion> motions = draw_motions(planned.scene, {.amplitude = checked_displacement, .count = 12});
  std::size_t best = 0;
  double most = -1;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const SpheresAt spheres = spheres_of(motions[k]);
    FrameRule rule(planned.scene, planned.plan, remapping());
    if (planned.scene.cost(follow(rule, planned.scene, spheres), spheres).collides()) continue;
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
  figures::SvgPlot plot({.columns = 2, .panel_width = 420, .panel_height = 400});
  for (const int t : {0, 7, 20, 40}) draw_moment(plot, scene, path, planned.path(), spheres, t);
  plot.write(out / "spheres.svg");
  const auto obstacles_at = [&](int frame) { return scene.obstacles(spheres(frame * scene.options.dt)); };
  studies::write_frames(out / "remapped.pvd", scene.arm, path, scene.options.dt, obstacles_at);
  studies::write_frames(out / "blind.pvd", scene.arm, planned.path(), scene.options.dt, obstacles_at);
  return "  spheres.svg                one motion, remapped frame by frame\n"
         "  remapped.pvd, blind.pvd    the same for ParaView, and the old plan among the same spheres\n";
}

}  // namespace studies::spheres
