// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_stroke/own_link.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"
#include "quoin/robots/io/surface_files.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace studies::stroke {
namespace {

/// Vertices of one link beyond which the boundary elements of four would not fit into usual memory.
constexpr Eigen::Index most_vertices = 2500;

void require_room(const swimmer::Swimmer& fish, const std::string& name, const Setup& setup) {
  const swimmer::SwimmerFlow flow(fish);
  Eigen::VectorXd unused;
  for (int corner = 0; corner < 1 << joints; ++corner) {
    Eigen::Vector3d q;
    for (int k = 0; k < joints; ++k) q[k] = (corner >> k) % 2 == 0 ? -setup.domain : setup.domain;
    try {
      flow.added_mass(q, swimmer::Motion::planar, unused, nullptr);
    } catch (const swimmer::BodiesTouch& touch) {
      throw std::runtime_error(name + ": links " + to_text(touch.first) + " and " + to_text(touch.second) +
                               " touch at hinges of (" + figures::format_number(q[0]) + ", " +
                               figures::format_number(q[1]) + ", " + figures::format_number(q[2]) +
                               ") rad; take a slimmer surface or a wider --gap");
    }
  }
}

}  // namespace

swimmer::Swimmer swimmer_of(const std::filesystem::path& file, double gap, const Setup& setup) {
  const std::string name = file.string();
  SurfaceMesh surface = io::read_surface(file);
  require_closed_surface(surface, name);
  if (surface.vertices.cols() > most_vertices)
    throw std::runtime_error(name + ": " + to_text(surface.vertices.cols()) + " vertices, at most " +
                             to_text(most_vertices) + " can be swum with; make it coarser");
  surface.vertices.colwise() -= solid_moments(surface).centroid;
  const auto length = [&] { return surface.vertices.row(0).maxCoeff() - surface.vertices.row(0).minCoeff(); };
  surface.vertices *= 2 * setup.chain.semi_axes.x() / length();
  const double front = surface.vertices.row(0).maxCoeff(), back = surface.vertices.row(0).minCoeff();
  const swimmer::Link link{.surface = std::move(surface), .density = setup.chain.density};
  std::vector<swimmer::Hinge> hinges;
  for (int k = 0; k < joints; ++k)
    hinges.push_back({.parent = k,
                      .axis = Eigen::Vector3d::UnitZ(),
                      .in_parent = {back - gap / 2, 0, 0},
                      .in_link = {front + gap / 2, 0, 0}});
  swimmer::Swimmer fish(std::vector(joints + 1, link), hinges, setup.chain.fluid_density);
  fish.require_planar(name);
  require_room(fish, name, setup);
  return fish;
}

}  // namespace studies::stroke
