// SPDX-License-Identifier: BSD-3-Clause
#include "examples/soft_arm_laser/pictures.hpp"
#include "examples/soft_arm_laser/scene.hpp"
#include "quoin/io/svg_plot.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace quoin::laser {
namespace {

using io::SvgPanel;
using io::SvgPlot;
namespace palette = io::palette;

/// Evenly spread instants of the cut.
std::vector<int> instants(const Setup& setup, int count) {
  std::vector<int> steps;
  for (int k = 0; k < count; ++k) steps.push_back(setup.approach + k * (setup.steps - setup.approach) / count);
  return steps;
}

/// Arms of several instants over each other, the farthest first.
template <int SpaceDim>
void draw_instants(SvgPanel& panel, const Scene<SpaceDim>& scene, const Setup& setup, const Replay& replay, int count) {
  std::vector<std::pair<double, int>> order;
  for (const int i : instants(setup, count))
    if (i < replay.positions.cols()) order.emplace_back(scene.nearness(scene.beam(replay.positions.col(i)).tip), i);
  std::sort(order.begin(), order.end());
  for (const auto& [nearness, i] : order) scene.draw_beam(panel, replay.positions.col(i), true);
  for (const auto& [nearness, i] : order) scene.draw_arm(panel, replay.positions.col(i));
}

io::PanelOptions drawing(const std::string& title) {
  return {.title = title, .equal_aspect = true, .axes = false, .legend = io::Legend::none};
}

}  // namespace

template <int SpaceDim>
void draw_arm(const ArmResult<SpaceDim>& result, const io::OutputFolder& out, int every) {
  const Setup& setup = result.arm.setup;
  const Replay& replay = result.grid().replay;
  const Scene<SpaceDim> scene(result.arm);
  const std::string name = SpaceDim == 2 ? "arm_2d" : "arm_3d";
  const Eigen::Index cut = std::min<Eigen::Index>(setup.approach, replay.spots.cols() - 1);

  SvgPlot still({.panel_width = 640, .panel_height = 560});
  SvgPanel& overlay = still.panel(drawing(""));
  scene.draw_plate(overlay);
  scene.draw_path(overlay, replay.spots.rightCols(replay.spots.cols() - cut), {.color = palette::blue, .width = 1.6});
  draw_instants(overlay, scene, setup, replay, SpaceDim == 2 ? 7 : 6);
  still.write(out / (name + ".svg"));

  SvgPlot moving({.panel_width = 640, .panel_height = 560, .frame_seconds = every * setup.time_step, .still_frame = 0});
  SvgPanel& panel = moving.panel(drawing(""));
  scene.draw_plate(panel);
  int frame = 0;
  for (Eigen::Index i = 0; i < replay.positions.cols(); i += every, ++frame) {
    const bool on = setup.laser_on(static_cast<int>(i));
    if (i > cut)
      scene.draw_path(panel, replay.spots.middleCols(cut, i - cut + 1), {.color = palette::blue, .width = 2, .frame = frame});
    scene.draw_beam(panel, replay.positions.col(i), on, {.frame = frame});
    scene.draw_arm(panel, replay.positions.col(i), {.frame = frame});
  }
  moving.write(out / (name + "_moving.svg"));
}

void draw_obstacles(const ArmResult<3>& result, const io::OutputFolder& out) {
  const Setup& setup = result.arm.setup;
  const ObstacleResult& obstacles = *result.obstacles;
  const Replay& replay = obstacles.planner.replay;
  const Scene<3> scene(result.arm);
  SvgPlot plot({.panel_width = 640, .panel_height = 560});
  SvgPanel& panel = plot.panel(drawing(""));
  const Eigen::Index cut = std::min<Eigen::Index>(setup.approach, replay.spots.cols() - 1);
  scene.draw_plate(panel);
  const auto& free = result.grid().replay.spots;
  scene.draw_path(panel, free.rightCols(free.cols() - cut), {.color = palette::blue, .width = 1.2});
  scene.draw_path(panel, replay.spots.rightCols(replay.spots.cols() - cut), {.color = palette::purple, .width = 2});
  for (const Ball& ball : obstacles.balls) scene.draw_ball(panel, ball);
  draw_instants(panel, scene, setup, replay, 12);
  plot.write(out / "obstacles.svg");
}

template void draw_arm<2>(const ArmResult<2>&, const io::OutputFolder&, int);
template void draw_arm<3>(const ArmResult<3>&, const io::OutputFolder&, int);

}  // namespace quoin::laser
