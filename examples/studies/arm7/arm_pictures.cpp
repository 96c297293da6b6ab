// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/arm_pictures.hpp"

#include "quoin/robots/geometry/shape_mesh.hpp"
#include "quoin/robots/io/vtu.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

namespace studies {
namespace {

/// The length of edges: twelve around a thick capsule, fewer around a thin one; a box has flat faces and needs none.
double edge_of(const Obstacle& shape) {
  if (const Capsule* capsule = std::get_if<Capsule>(&shape)) return std::max(0.5 * capsule->radius, 0.02);
  return 0.5 * std::get<Box>(shape).half_extents.maxCoeff();
}

bool has_surface(const Obstacle& shape) {
  const Capsule* capsule = std::get_if<Capsule>(&shape);
  return !capsule || capsule->radius > 0;
}

std::vector<SurfaceMesh> surfaces_of(const Obstacles& shapes) {
  std::vector<SurfaceMesh> surfaces;
  for (const Obstacle& shape : shapes)
    if (has_surface(shape)) surfaces.push_back(surface_of(shape, edge_of(shape)));
  return surfaces;
}

Obstacles bodies_of(const CapsuleArm& arm, const Eigen::Matrix3Xd& points) {
  const std::vector<Capsule> capsules = capsules_at(arm, points);
  return {capsules.begin(), capsules.end()};
}

}  // namespace

void add_arm(figures::SurfaceScene& scene, const CapsuleArm& arm, const Eigen::Matrix3Xd& points, double shade) {
  add_obstacles(scene, bodies_of(arm, points), shade);
}

void add_obstacles(figures::SurfaceScene& scene, const Obstacles& obstacles, double shade) {
  for (const SurfaceMesh& surface : surfaces_of(obstacles))
    scene.surface(surface, Eigen::VectorXd::Constant(surface.vertices.cols(), shade));
}

figures::SurfaceScene shaded_scene(const Eigen::Vector3d& from, int most_pieces) {
  return figures::SurfaceScene({.from = from, .range = {{-1, 1}}, .most_pieces = most_pieces, .color_bar = false});
}

void write_frames(const std::filesystem::path& file, const CapsuleArm& arm, const Eigen::MatrixXd& path, double dt,
                  const std::function<Obstacles(int frame)>& obstacles_at) {
  const rigid_body::TreePoints kinematics = arm.points();
  io::PvdWriter series(file);
  Eigen::Matrix3Xd points;
  for (Eigen::Index frame = 0; frame < path.cols(); ++frame) {
    kinematics.evaluate(path.col(frame), points);
    io::VtuFrame vtu;
    std::vector<double> numbers;
    const auto add = [&](const SurfaceMesh& surface, double number) {
      vtu.add_mesh(surface);
      numbers.insert(numbers.end(), static_cast<std::size_t>(surface.triangles.cols()), number);
    };
    double body = 0;
    for (const Obstacle& shape : bodies_of(arm, points)) {
      if (has_surface(shape)) add(surface_of(shape, edge_of(shape)), body);
      ++body;
    }
    for (const SurfaceMesh& surface : surfaces_of(obstacles_at(static_cast<int>(frame)))) add(surface, -1);
    vtu.cell_data("body", numbers);
    series.add(dt * static_cast<double>(frame), vtu);
  }
}

}  // namespace studies
