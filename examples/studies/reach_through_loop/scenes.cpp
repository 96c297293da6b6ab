// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/arm_pictures.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "quoin/robots/geometry/shape_mesh.hpp"

#include <string>
#include <vector>

namespace studies::loop {
namespace {

constexpr double arm_shade = -0.15, rim_shade = 0.9;

/// Draws the rim as bars, in few pieces; walls would hide the inside of the box.
void add_rim(figures::SurfaceScene& scene, const HollowBox& box) {
  const Eigen::Matrix3Xd rim = box.rim();
  for (Eigen::Index i = 0; i < 4; ++i) {
    const SurfaceMesh bar = surface_of(Capsule{rim.col(i), rim.col(i + 1), box.thickness / 2}, 2 * box.thickness);
    scene.surface(bar, Eigen::VectorXd::Constant(bar.vertices.cols(), rim_shade));
  }
}

void draw_walls(figures::SvgPanel& panel, const figures::SurfaceScene& scene, const HollowBox& box) {
  const Eigen::Matrix3Xd rim = box.rim();
  const Eigen::Matrix3Xd back = rim.colwise() + box.depth * box.pose.linear().col(2);
  const figures::SvgStyle style{.color = figures::palette::grey, .width = 1};
  panel.line(scene.project(back), style);
  for (Eigen::Index i = 0; i < 4; ++i) {
    Eigen::Matrix3Xd edge(3, 2);
    edge << rim.col(i), back.col(i);
    panel.line(scene.project(edge), style);
  }
}

void draw_arm_and_box(figures::SvgPanel& panel, const ReachScene& scene, const Eigen::VectorXd& q, const HollowBox& box,
                      const Eigen::Matrix3Xd& tip_way) {
  // The view is from beside the box, so that the way in is seen from the side, and a little from its open mouth.
  const Eigen::Vector3d axis = box.pose.linear().col(2), up = Eigen::Vector3d::UnitZ();
  figures::SurfaceScene picture = studies::shaded_scene(axis.cross(up).normalized() + 0.4 * up - 0.4 * axis, 1500);
  Eigen::Matrix3Xd points;
  scene.arm.points().evaluate(q, points);
  draw_walls(panel, picture, box);
  studies::add_arm(picture, scene.arm, points, arm_shade);
  add_rim(picture, box);
  panel.scene(picture);
  if (tip_way.cols() > 1) panel.line(picture.project(tip_way), {.color = figures::palette::black, .width = 1.5});
  panel.markers(picture.project(box.goal()), {.color = figures::palette::green, .marker_size = 7});
}

Eigen::Matrix3Xd tip_way(const ReachScene& scene, const Eigen::MatrixXd& path) {
  const rigid_body::TreePoints tip = scene.tip();
  Eigen::Matrix3Xd way(3, path.cols()), point;
  for (Eigen::Index t = 0; t < path.cols(); ++t) {
    tip.evaluate(path.col(t), point);
    way.col(t) = point.col(0);
  }
  return way;
}

}  // namespace

void draw_reach(const StudyResults& results, const figures::OutputFolder& out) {
  const HollowBox& box = results.first().poses.boxes.front();
  const Eigen::MatrixXd path = results.first().of(Side::topology).trials.front().plan.path();
  figures::SvgDrawing drawing({.panel_width = 420, .panel_height = 380});
  for (const int t : {0, horizon / 2, horizon})
    draw_arm_and_box(drawing.panel({.title = figures::format_number(t * time_step) + " s"}), results.scene, path.col(t),
                     box, tip_way(results.scene, path.leftCols(t + 1)));
  drawing.write(out / "reach.svg");
  studies::write_frames(out / "plan.pvd", results.scene.arm, path, time_step, [&](int) { return box.obstacles(); });
}

void draw_chase(const StudyResults& results, std::uint64_t seed, const figures::OutputFolder& out) {
  const HollowBox& box = results.first().poses.boxes.front();
  const Plan& plan = results.first().of(Side::topology).trials.front().plan;
  const BoxMotion motion(most_turned, frames * frame_time, seed + motion_seed_offset);
  const Chase run = chase(results.scene, box, plan, motion, Follower::topology_tip,
                          results.of(Follower::topology_tip, most_turned).metric);
  figures::SvgDrawing drawing({.panel_width = 420, .panel_height = 380});
  for (const int part : {2, 3, 4}) {
    const int frame = frames * part / 4;
    Eigen::Matrix3Xd goals(3, frame + 1);
    for (int i = 0; i <= frame; ++i) goals.col(i) = motion.of(box, i * frame_time).goal();
    draw_arm_and_box(drawing.panel({.title = figures::format_number(frame * frame_time) + " s; the goal's way"}),
                     results.scene, run.path.col(frame), motion.of(box, frame * frame_time), goals);
  }
  drawing.write(out / "chase.svg");
  Eigen::MatrixXd shown(run.path.rows(), frames / frames_per_step + 1);
  for (Eigen::Index i = 0; i < shown.cols(); ++i) shown.col(i) = run.path.col(i * frames_per_step);
  studies::write_frames(out / "chase.pvd", results.scene.arm, shown, time_step,
                        [&](int i) { return motion.of(box, i * time_step).obstacles(); });
}

}  // namespace studies::loop
