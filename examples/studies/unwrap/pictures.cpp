// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/arm_pictures.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "examples/studies/unwrap/report.hpp"

#include <array>
#include <string>
#include <variant>

namespace studies::unwrap {
namespace {

using figures::SvgDrawing;
using figures::SvgPanel;
namespace palette = figures::palette;

const Eigen::Vector3d viewer(0.35, -1, 0.55);

Eigen::Matrix3Xd points_at(const rigid_body::TreePoints& points, const Eigen::VectorXd& q) {
  Eigen::Matrix3Xd places;
  points.evaluate(q, places);
  return places;
}

void draw_poses(const Shown& shown, const figures::OutputFolder& out) {
  SvgDrawing drawing({.title = "The arm, wound and unwound (Fig. 5)", .columns = 2, .panel_width = 520});
  const Scene& scene = shown.scene;
  const std::array<Eigen::VectorXd, 2> poses{shown.plan.q.col(0), shown.plan.q.rightCols(1)};
  for (const Eigen::VectorXd& q : poses) {
    figures::SurfaceScene view = studies::shaded_scene(viewer);
    studies::add_obstacles(view, {scene.obstacles[0]}, 0.05);
    studies::add_obstacles(view, {scene.obstacles[1]}, 0.9);
    studies::add_arm(view, scene.arm, points_at(scene.arm.points(), q), -0.7);
    drawing.panel().scene(view);
  }
  drawing.write(out / "unwrap_poses.svg");
}

/// Animates the arm's axis as lines, frame by frame.
void draw_motion(const Shown& shown, const figures::OutputFolder& out) {
  SvgDrawing drawing({.title = "Unwinding", .panel_width = 560, .panel_height = 420, .frame_seconds = 0.1});
  SvgPanel& panel = drawing.panel();
  const figures::SurfaceScene view = studies::shaded_scene(viewer);
  const auto line = [&](const Eigen::Matrix3Xd& points, const char* color, double width, int frame) {
    panel.line(view.project(points), {.color = color, .width = width, .frame = frame});
  };
  const Capsule& rod = std::get<Capsule>(shown.scene.obstacles[1]);
  Eigen::Matrix3Xd ends(3, 2);
  ends << rod.a, rod.b;
  line(shown.scene.pole, palette::grey, 14, -1);
  line(ends, palette::vermilion, 14, -1);
  const auto kinematics = shown.scene.arm.points();
  for (Eigen::Index t = 0; t < shown.plan.q.cols(); ++t) {
    const Eigen::Matrix3Xd points = points_at(kinematics, shown.plan.q.col(t));
    line(points.leftCols(rope_segments + 1), palette::blue, 7, static_cast<int>(t));
    for (int f = 0; f < fingers; ++f) {
      Eigen::Matrix3Xd finger(3, 5);
      finger << points.col(rope_segments), points.middleCols(tip_of(f) - 3, 4);
      line(finger, palette::sky, 4, static_cast<int>(t));
    }
  }
  drawing.write(out / "unwrap_motion.svg");
}

}  // namespace

std::string draw(const Shown& shown, const StudyChoice& choice, const figures::OutputFolder& out) {
  draw_poses(shown, out);
  draw_motion(shown, out);
  studies::write_frames(out / "unwrap.pvd", shown.scene.arm, shown.plan.q, choice.inference.dt,
                        [&](int) { return shown.scene.obstacles; });
  return "- unwrap_poses.svg: the arm wound and unwound (Fig. 5)\n"
         "- unwrap_motion.svg: the motion, an animation\n"
         "- unwrap.pvd: the same for ParaView, with frames .vtu\n";
}

}  // namespace studies::unwrap
