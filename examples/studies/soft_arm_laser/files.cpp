// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/soft_arm_laser/pictures.hpp"
#include "quoin/robots/io/vtu.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace studies::laser {
namespace {

template <int SpaceDim>
std::string prefix() {
  return SpaceDim == 2 ? "_2d" : "_3d";
}

/// The part that a cell of a frame belongs to.
enum Part { soft, stiff, line, beam, plate };

}  // namespace

template <int SpaceDim>
void write_csv(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  std::vector<std::string> header = {"time"};
  for (const char* name : {"u", "alpha"})
    for (int k = 1; k <= lines; ++k) header.push_back(name + to_text(k));
  for (const char* name : {"spot_", "spot_on_eq2_", "spot_finished_", "target_"})
    for (int k = 0; k < SpaceDim - 1; ++k) header.push_back(name + std::string(1, "xy"[k]));
  std::vector<const PlannerResult*> all;
  for (const PlannerResult& planner : result.planners) all.push_back(&planner);
  if (result.obstacles) all.push_back(&result.obstacles->planner);

  const Setup& setup = result.arm.setup;
  for (const PlannerResult* planner : all) {
    figures::CsvWriter csv(out / ("plan" + prefix<SpaceDim>() + "_" + planner->key + ".csv"), header);
    for (int i = 0; i <= setup.steps; ++i) {
      std::vector<double> row = {i * setup.time_step};
      const auto append = [&](const Eigen::MatrixXd& values, int rows, int column) {
        for (int k = 0; k < rows; ++k)
          row.push_back(column < values.cols() ? values(k, column) : std::numeric_limits<double>::quiet_NaN());
      };
      append(planner->plan.controls, lines, std::min(i, setup.steps - 1));
      append(planner->plan.points, lines, i);
      append(planner->plan.spots, SpaceDim - 1, i);
      append(planner->replay.spots, SpaceDim - 1, i);
      append(planner->polished ? planner->polished->spots : Eigen::MatrixXd(), SpaceDim - 1, i);
      append(setup.laser_on(i) ? Eigen::MatrixXd(target<SpaceDim>(setup, i)) : Eigen::MatrixXd(), SpaceDim - 1,
             setup.laser_on(i) ? 0 : 1);
      csv.row(row);
    }
    csv.close();
  }
}

template <int SpaceDim>
void write_frames(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out, int every) {
  using Points = Eigen::Matrix<double, SpaceDim, Eigen::Dynamic>;
  const auto& mesh = result.arm.body.mesh();
  const Setup& setup = result.arm.setup;
  const Replay& replay = result.shown().replay;
  const Eigen::MatrixXd tip_rows = result.arm.body.tip_rows().leftCols(result.arm.body.size());
  const double softest = *std::min_element(mesh.young.begin(), mesh.young.end());

  Points circle(SpaceDim, 121);
  for (Eigen::Index p = 0; p < circle.cols(); ++p) {
    const int i = setup.approach + static_cast<int>(p * (setup.steps - setup.approach) / (circle.cols() - 1));
    circle.col(p) << target<SpaceDim>(setup, i), setup.plate;
  }
  io::PvdWriter series(out / ("arm" + prefix<SpaceDim>() + ".pvd"));
  for (Eigen::Index i = 0; i < replay.positions.cols(); i += every) {
    const Points positions = replay.positions.col(i).reshaped(SpaceDim, mesh.vertices.cols());
    const bool on = setup.laser_on(static_cast<int>(i));
    io::VtuFrame frame;
    frame.add_mesh(static_cast<const SimplexMesh<SpaceDim>&>(mesh), positions);
    std::vector<double> part;
    for (const double young : mesh.young) part.push_back(young > 1.5 * softest ? stiff : soft);
    for (const std::vector<int>& chain : mesh.lines) {
      frame.add_polyline(positions(Eigen::all, chain));
      part.push_back(line);
    }
    Points ray(SpaceDim, 2);
    ray.col(0) = Beam<SpaceDim>(tip_rows * replay.positions.col(i)).tip;
    ray.col(1) << replay.spots.col(i), setup.plate;
    frame.add_polyline(ray);
    part.push_back(beam);
    frame.add_points(ray.rightCols(1));
    part.push_back(beam);
    frame.add_polyline(circle);
    part.push_back(plate);
    Eigen::MatrixXd displacement =
        Eigen::MatrixXd::Constant(SpaceDim, frame.point_count(), std::numeric_limits<double>::quiet_NaN());
    displacement.leftCols(positions.cols()) = positions - mesh.vertices;
    Eigen::Index next = positions.cols();
    for (const std::vector<int>& chain : mesh.lines)
      for (const int vertex : chain) displacement.col(next++) = positions.col(vertex) - mesh.vertices.col(vertex);
    frame.point_data("displacement", displacement);
    frame.cell_data("part", part);
    frame.cell_data("laser_on", std::vector<double>(part.size(), on));
    series.add(static_cast<double>(i) * setup.time_step, frame);
  }
}

template void write_csv<2>(const ArmResult<2>&, const figures::OutputFolder&);
template void write_csv<3>(const ArmResult<3>&, const figures::OutputFolder&);
template void write_frames<2>(const ArmResult<2>&, const figures::OutputFolder&, int);
template void write_frames<3>(const ArmResult<3>&, const figures::OutputFolder&, int);

}  // namespace studies::laser
