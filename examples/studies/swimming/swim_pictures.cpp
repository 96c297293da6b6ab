// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimming/swim_pictures.hpp"

#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/surface_scene.hpp"
#include "examples/studies/figures/svg_drawing.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/robots/io/vtu.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace studies::stroke {
namespace {

using namespace figures;

/// Potentials of a small swimmer are a few cm^2/s, the unit of the pictures.
constexpr double square_centimetres = 1e4;

Eigen::Matrix3Xd placed(const SwimFrame& frame, const Fish& fish, int link) {
  const Eigen::Isometry3d& pose = frame.poses[static_cast<std::size_t>(link)];
  return (pose.linear() * fish.body.link(link).surface.vertices).colwise() + pose.translation();
}

void add_swimmer(SurfaceScene& scene, const SwimFrame& frame, const Fish& fish, const Eigen::Vector3d& offset) {
  for (int b = 0; b < fish.body.links(); ++b)
    scene.surface(fish.body.link(b).surface, placed(frame, fish, b).colwise() + offset,
                  square_centimetres * frame.potential[static_cast<std::size_t>(b)]);
}

/// A symmetric range of colours for all frames that contains 98 % of the values, rounded up to
/// half a unit of the first digit.
std::pair<double, double> common_range(const std::vector<SwimFrame>& frames) {
  std::vector<double> sizes;
  for (const SwimFrame& frame : frames)
    for (const Eigen::VectorXd& potential : frame.potential)
      for (const double value : potential) sizes.push_back(square_centimetres * std::abs(value));
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), at, sizes.end());
  const double large = std::max(*at, 1e-9), unit = std::pow(10.0, std::floor(std::log10(large)));
  const double rounded = std::ceil(2 * large / unit) / 2 * unit;
  return {-rounded, rounded};
}

/// The least and the greatest y of the swimmer.
std::pair<double, double> breadth(const SwimFrame& frame, const Fish& fish) {
  std::pair<double, double> range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int b = 0; b < fish.body.links(); ++b) {
    const Eigen::Matrix3Xd vertices = placed(frame, fish, b);
    range.first = std::min(range.first, vertices.row(1).minCoeff());
    range.second = std::max(range.second, vertices.row(1).maxCoeff());
  }
  return range;
}

SurfaceSceneOptions from_above(const std::vector<SwimFrame>& frames, int most_pieces) {
  return {.from = {0, 0, 1},
          .up = {0, 1, 0},
          .range = common_range(frames),
          .most_pieces = most_pieces,
          .color_label = "potential on the surface [cm\u00b2/s]"};
}

Eigen::Index instant(const SwimFrame& frame, const Fish& fish) {
  return std::lround(frame.time / fish.setup.time_step);
}

/// Draws a ruler of 0.1 m, its left end at (x, y).
void draw_ruler(SvgPanel& panel, double x, double y) {
  panel.line(Eigen::Matrix2Xd{{x, x + 0.1}, {y, y}}, {.color = palette::black, .width = 3});
  panel.text(x + 0.05, y - 0.035, "0.1 m", {.anchor = figures::Anchor::middle});
}

}  // namespace

void write_frames(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
                  const figures::OutputFolder& out) {
  const Eigen::Matrix3Xd path = locus(fish, states);
  io::PvdWriter series(out / "swim.pvd");
  for (const SwimFrame& frame : frames) {
    io::VtuFrame vtu;
    std::vector<double> link;
    for (int b = 0; b < fish.body.links(); ++b) {
      const SurfaceMesh& surface = fish.body.link(b).surface;
      vtu.add_mesh(surface, placed(frame, fish, b));
      link.insert(link.end(), static_cast<std::size_t>(surface.triangles.cols()), b);
    }
    vtu.add_polyline(path);
    vtu.add_points(path.col(instant(frame, fish)));
    link.resize(link.size() + 2, std::numeric_limits<double>::quiet_NaN());
    Eigen::VectorXd potential = Eigen::VectorXd::Constant(vtu.point_count(), std::numeric_limits<double>::quiet_NaN());
    Eigen::MatrixXd velocity =
        Eigen::MatrixXd::Constant(3, vtu.point_count(), std::numeric_limits<double>::quiet_NaN());
    Eigen::Index first = 0;
    for (std::size_t b = 0; b < frame.potential.size(); ++b) {
      const Eigen::Index count = frame.potential[b].size();
      potential.segment(first, count) = frame.potential[b];
      velocity.middleCols(first, count) = frame.velocity[b];
      first += count;
    }
    vtu.point_data("potential", potential);
    vtu.point_data("velocity", velocity);
    vtu.cell_data("link", link);
    series.add(frame.time, vtu);
  }
}

void draw_swim(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
               const figures::OutputFolder& out) {
  const Eigen::Matrix3Xd path = locus(fish, states);
  const double between = 0.045;  // m, between two instants
  constexpr std::size_t count = 6;
  SurfaceScene scene(from_above(frames, 8000));
  std::vector<const SwimFrame*> shown;
  std::vector<double> offsets;
  double low = 0, back = std::numeric_limits<double>::infinity(), front = -back;
  for (std::size_t k = 0; k < count; ++k) {
    const SwimFrame& frame = frames[k * (frames.size() - 1) / (count - 1)];
    const auto [least, greatest] = breadth(frame, fish);
    offsets.push_back(low - between - greatest);
    low = offsets.back() + least;
    for (int b = 0; b < fish.body.links(); ++b) {
      const auto along = placed(frame, fish, b).row(0).eval();
      back = std::min(back, along.minCoeff());
      front = std::max(front, along.maxCoeff());
    }
    add_swimmer(scene, frame, fish, {0, offsets.back(), 0});
    shown.push_back(&frame);
  }

  SvgDrawing drawing({.panel_width = 620, .panel_height = 900});
  const double room_for_times = 0.14;  // m
  SvgPanel& panel = drawing.panel({.x_range = {{back - room_for_times, front + between}}});
  const double start = path(0, 0);
  panel.line(Eigen::Matrix2Xd{{start, start}, {0, low - between}}, {.color = palette::grey, .width = 1, .dash = "3 4"});
  panel.scene(scene);
  for (std::size_t k = 0; k < count; ++k) {
    Eigen::Matrix2Xd walked = scene.project(path.leftCols(instant(*shown[k], fish) + 1));
    walked.row(1).array() += offsets[k];
    panel.line(walked, {.color = palette::black, .width = 2});
    panel.markers(walked.rightCols<1>(), {.color = palette::black, .marker_size = 6});
    panel.text(back - 0.03, walked(1, 0) - 0.01,
               figures::format_number(shown[k]->time, shown[k]->time < 1 ? 1 : 2) + " s",
               {.font_size = 14, .anchor = figures::Anchor::end});
  }
  draw_ruler(panel, start, low - between - 0.01);
  drawing.write(out / "swim.svg");
}

void draw_moving(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
                 const figures::OutputFolder& out) {
  const Eigen::Matrix3Xd path = locus(fish, states);
  const double seconds = frames.size() > 1 ? frames[1].time - frames[0].time : fish.setup.time_step;
  SvgDrawing drawing({.panel_width = 760,
                      .panel_height = 330,
                      .frame_seconds = seconds,
                      .still_frame = static_cast<int>(frames.size()) / 2});
  SvgPanel& panel = drawing.panel();
  const SurfaceSceneOptions options = from_above(frames, 0);
  const double start = path(0, 0);
  panel.line(Eigen::Matrix2Xd{{start, start}, {0.14, -0.14}}, {.color = palette::grey, .width = 1, .dash = "3 4"});
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const int number = static_cast<int>(f);
    SurfaceScene scene(options);
    add_swimmer(scene, frames[f], fish, Eigen::Vector3d::Zero());
    panel.scene(scene, number);
    const Eigen::Matrix2Xd walked = scene.project(path.leftCols(instant(frames[f], fish) + 1));
    panel.line(walked, {.color = palette::black, .width = 2, .frame = number});
    panel.markers(walked.rightCols<1>(), {.color = palette::black, .marker_size = 6, .frame = number});
  }
  draw_ruler(panel, start, -0.17);
  drawing.write(out / "swim_moving.svg");
}

void write_swim(const Fish& fish, const Eigen::MatrixXd& torques, const Eigen::MatrixXd& states,
                const std::filesystem::path& file) {
  std::vector<std::string> header = {"time"};
  for (const char* name : {"torque", "q", "dq_dt"})
    for (int k = 1; k <= joints; ++k) header.push_back(name + to_text(k));
  for (const char* name : {"head_theta", "head_x", "head_y", "centre_x", "centre_y"}) header.emplace_back(name);
  const CentreOfMass centre(fish.body);
  figures::CsvWriter csv(file, header);
  for (Eigen::Index i = 0; i < states.cols(); ++i) {
    const Eigen::VectorXd x = states.col(i);
    std::vector<double> row = {static_cast<double>(i) * fish.setup.time_step};
    for (int k = 0; k < joints; ++k) row.push_back(torques(k, std::min(i, torques.cols() - 1)));
    row.insert(row.end(), x.begin(), x.end());
    const Eigen::Vector2d point = centre(x);
    row.insert(row.end(), point.begin(), point.end());
    csv.row(row);
  }
  csv.close();
}

}  // namespace studies::stroke
