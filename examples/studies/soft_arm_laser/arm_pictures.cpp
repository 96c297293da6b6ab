// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_drawing.hpp"
#include "examples/studies/soft_arm_laser/pictures.hpp"
#include "examples/studies/soft_arm_laser/scene.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace studies::laser {
namespace {

using figures::SvgDrawing;
using figures::SvgPanel;
namespace palette = figures::palette;

/// Evenly spread instants of the cut; in the plane of its first half only, since the spot returns the same way.
template <int SpaceDim>
std::vector<int> instants(const Setup& setup, int count) {
  std::vector<int> steps;
  const int length = setup.steps - setup.approach;
  for (int k = 0; k < count; ++k)
    steps.push_back(setup.approach + (SpaceDim == 2 ? k * length / (2 * (count - 1)) : k * length / count));
  return steps;
}

/// Draws arm and beam of one instant, the nearer of them last.
template <int SpaceDim>
void draw_instant(SvgPanel& panel, const Scene<SpaceDim>& scene, const Eigen::VectorXd& positions, bool on,
                  const figures::SvgStyle& style = {}) {
  const bool beam_in_front = scene.nearness(scene.beam(positions).direction) > 0;
  if (!beam_in_front) scene.draw_beam(panel, positions, on, style);
  scene.draw_arm(panel, positions, style);
  if (beam_in_front) scene.draw_beam(panel, positions, on, style);
}

/// Sorts the arms of several instants for drawing over each other, the farthest first.
template <int SpaceDim>
std::vector<int> farthest_first(const Scene<SpaceDim>& scene, const Eigen::MatrixXd& positions,
                                std::vector<int> steps) {
  const auto nearness = [&](int i) { return scene.nearness(scene.beam(positions.col(i)).tip); };
  std::erase_if(steps, [&](int i) { return i >= positions.cols(); });
  std::stable_sort(steps.begin(), steps.end(), [&](int a, int b) { return nearness(a) < nearness(b); });
  return steps;
}

/// Whether a ball hides a part of the beam from the viewer.
bool hidden(const Scene<3>& scene, const Beam<3>& beam, const Ball& ball) {
  const Eigen::Vector2d from = scene.project(beam.tip), along = scene.project(beam.direction);
  const double t = along.dot(Eigen::Vector2d(scene.project(ball.centre)) - from) / along.squaredNorm();
  const Eigen::Vector3d closest = beam.tip + t * beam.direction;
  const bool overlaps = (scene.project(closest) - scene.project(ball.centre)).norm() < 1.1 * ball.radius;
  return overlaps && scene.nearness(closest) < scene.nearness(ball.centre);
}

}  // namespace

template <int SpaceDim>
void draw_arm(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out, int every) {
  const Setup& setup = result.arm.setup;
  const Replay& replay = result.shown().replay;
  const Scene<SpaceDim> scene(result.arm);
  const std::string name = SpaceDim == 2 ? "arm_2d" : "arm_3d";
  const Eigen::Index cut = std::min<Eigen::Index>(setup.approach, replay.spots.cols() - 1);

  SvgDrawing still({.panel_width = 640, .panel_height = 470});
  SvgPanel& overlay = still.panel();
  scene.draw_plate(overlay, "target");
  scene.draw_path(overlay, replay.spots.rightCols(replay.spots.cols() - cut),
                  {.color = palette::blue, .label = "spot, full dynamics", .width = 1.6});
  std::string label = "laser";
  for (const int i : farthest_first(scene, replay.positions, instants<SpaceDim>(setup, SpaceDim == 2 ? 5 : 6)))
    draw_instant(overlay, scene, replay.positions.col(i), true, {.label = std::exchange(label, "")});
  still.write(out / (name + ".svg"));

  SvgDrawing moving({.panel_width = 640,
                     .panel_height = 470,
                     .frame_seconds = every * setup.time_step,
                     .still_frame = (setup.approach + setup.steps) / (2 * every)});
  SvgPanel& panel = moving.panel();
  scene.draw_plate(panel);
  int frame = 0;
  for (Eigen::Index i = 0; i < replay.positions.cols(); i += every, ++frame) {
    const bool on = setup.laser_on(static_cast<int>(i));
    if (i > cut)
      scene.draw_path(panel, replay.spots.middleCols(cut, i - cut + 1),
                      {.color = palette::blue, .width = 2, .frame = frame});
    draw_instant(panel, scene, replay.positions.col(i), on, {.frame = frame});
  }
  moving.write(out / (name + "_moving.svg"));
}

void draw_obstacles(const ArmResult<3>& result, const figures::OutputFolder& out) {
  const Setup& setup = result.arm.setup;
  const ObstacleResult& obstacles = *result.obstacles;
  const Replay& truth = *obstacles.planner.polished;  // on Eq. 2
  const Eigen::MatrixXd& positions = truth.positions;
  const Scene<3> scene(result.arm);
  SvgDrawing drawing({.panel_width = 640, .panel_height = 500});
  SvgPanel& panel = drawing.panel();
  scene.draw_plate(panel, "target");
  const auto cut = [&](const Eigen::MatrixXd& spots) {
    return spots.rightCols(std::max<Eigen::Index>(spots.cols() - setup.approach, 1)).eval();
  };
  scene.draw_path(panel, cut(obstacles.planner.replay.spots),
                  {.color = palette::purple, .label = "plan on the grid, run on Eq. 2", .width = 1.3, .dash = "5 4"});
  scene.draw_path(panel, cut(truth.spots), {.color = palette::green, .label = "finished on Eq. 2", .width = 2});
  const std::vector<int> order = farthest_first(scene, positions, instants<3>(setup, 10));
  const auto behind = [&](int i) {
    return std::any_of(obstacles.balls.begin(), obstacles.balls.end(),
                       [&](const Ball& ball) { return hidden(scene, scene.beam(positions.col(i)), ball); });
  };
  for (const int i : order)
    if (behind(i)) scene.draw_beam(panel, positions.col(i), true);
  for (const Ball& ball : obstacles.balls) scene.draw_ball(panel, ball);
  for (const int i : order)
    if (behind(i))
      scene.draw_arm(panel, positions.col(i));
    else
      draw_instant(panel, scene, positions.col(i), true);
  drawing.write(out / "obstacles.svg");
}

template void draw_arm<2>(const ArmResult<2>&, const figures::OutputFolder&, int);
template void draw_arm<3>(const ArmResult<3>&, const figures::OutputFolder&, int);

}  // namespace studies::laser
