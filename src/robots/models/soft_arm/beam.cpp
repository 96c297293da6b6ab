// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/beam.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/LU>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::soft_arm {
namespace {

void check(const BeamOptions& options) {
  const auto positive = [](double value, const char* name) {
    if (!(value > 0) || !std::isfinite(value))
      throw std::invalid_argument(std::string("make_beam: ") + name + " = " + to_text(value) +
                                  " must be positive and finite");
  };
  positive(options.length, "length");
  positive(options.width, "width");
  positive(options.young, "young");
  positive(options.stiff_ratio, "stiff_ratio");
  positive(options.density, "density");
  if (options.line_force) positive(*options.line_force, "line_force");
  if (!(options.poisson > -1 && options.poisson < 0.5))
    throw std::invalid_argument("make_beam: poisson = " + to_text(options.poisson) + " must lie in (-1, 0.5)");
  if (options.cells_across < 2 || options.cells_across % 2 != 0)
    throw std::invalid_argument("make_beam: cells_across = " + to_text(options.cells_across) +
                                " must be even and positive");
  if (options.cells_along < 2)
    throw std::invalid_argument("make_beam: cells_along = " + to_text(options.cells_along) + " must be at least 2");
  if (options.stiff_every < 0)
    throw std::invalid_argument("make_beam: stiff_every = " + to_text(options.stiff_every) + " must not be negative");
}

bool is_stiff(const BeamOptions& options, int layer) {
  return (options.stiff_cap && layer == options.cells_along - 1) ||
         (options.stiff_every > 0 && (layer + 1) % options.stiff_every == 0);
}

// Corners of a square or cube are numbered by bits, one per axis. Odd cells are the mirror image of even ones.
constexpr std::array<std::array<int, 3>, 2> triangles{{{0, 1, 3}, {0, 3, 2}}};
constexpr std::array<std::array<int, 4>, 5> tetrahedra{
    {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}}};

}  // namespace

template <int SpaceDim>
ArmMesh<SpaceDim> make_beam(const BeamOptions& options) {
  check(options);
  const int across = options.cells_across, along = options.cells_along;
  const int deep = SpaceDim == 3 ? across : 0;  // cells along the second lateral axis
  const int layer_size = (across + 1) * (deep + 1);
  const auto vertex = [&](int i, int j, int k) { return k * layer_size + j * (across + 1) + i; };

  ArmMesh<SpaceDim> arm;
  arm.vertices.resize(SpaceDim, static_cast<Eigen::Index>(layer_size) * (along + 1));
  const auto lateral = [&](int i) { return options.width * (static_cast<double>(i) / across - 0.5); };
  for (int k = 0; k <= along; ++k)
    for (int j = 0; j <= deep; ++j)
      for (int i = 0; i <= across; ++i) {
        auto position = arm.vertices.col(vertex(i, j, k));
        position[0] = lateral(i);
        if constexpr (SpaceDim == 3) position[1] = lateral(j);
        position[SpaceDim - 1] = options.length * k / along;
      }

  constexpr int per_cell = SpaceDim == 3 ? 5 : 2;
  arm.elements.resize(SpaceDim + 1, static_cast<Eigen::Index>(across) * (SpaceDim == 3 ? deep : 1) * along * per_cell);
  Eigen::Index element = 0;
  for (int k = 0; k < along; ++k)
    for (int j = 0; j < (SpaceDim == 3 ? deep : 1); ++j)
      for (int i = 0; i < across; ++i)
        for (int part = 0; part < per_cell; ++part, ++element) {
          for (int corner = 0; corner <= SpaceDim; ++corner) {
            int bits;
            if constexpr (SpaceDim == 3)
              bits = tetrahedra[part][corner];
            else
              bits = triangles[part][corner];
            bits ^= (i + j + k) & 1;
            arm.elements(corner, element) = SpaceDim == 3
                                                ? vertex(i + (bits & 1), j + ((bits >> 1) & 1), k + (bits >> 2))
                                                : vertex(i + (bits & 1), 0, k + (bits >> 1));
          }
          Eigen::Matrix<double, SpaceDim, SpaceDim> edges;
          for (int axis = 0; axis < SpaceDim; ++axis)
            edges.col(axis) =
                arm.vertices.col(arm.elements(axis + 1, element)) - arm.vertices.col(arm.elements(0, element));
          if (edges.determinant() < 0) std::swap(arm.elements(0, element), arm.elements(1, element));
          const bool stiff = is_stiff(options, k);
          arm.element_group.push_back(stiff);
          arm.young.push_back(options.young * (stiff ? options.stiff_ratio : 1));
        }
  arm.element_group_names = {"soft", "stiff"};

  for (int at = 0; at < layer_size; ++at) {
    arm.clamped.push_back(at);
    arm.before_tip.push_back((along - 1) * layer_size + at);
    arm.tip.push_back(along * layer_size + at);
  }
  std::vector<std::array<int, 2>> corners{{0, 0}, {across, 0}};
  if constexpr (SpaceDim == 3) corners.insert(corners.end(), {{across, across}, {0, across}});
  for (const auto& corner : corners) {
    arm.lines.emplace_back();
    for (int k = 0; k <= along; ++k) arm.lines.back().push_back(vertex(corner[0], corner[1], k));
    arm.vertex_groups["line " + to_text(arm.lines.size())] = arm.lines.back();
  }
  arm.vertex_groups["clamped"] = arm.clamped;
  arm.vertex_groups["tip"] = arm.tip;
  arm.vertex_groups["before_tip"] = arm.before_tip;

  arm.poisson = options.poisson;
  arm.density = options.density;
  arm.thickness = SpaceDim == 2 ? options.width : 1;
  if (options.line_force) {
    arm.line_force = *options.line_force;
  } else {
    const double w = options.width;
    // Bending stiffness E W^4 / 12, lever W / sqrt(2); in plane strain E W^3 t / (12 (1 - nu^2)), lever W / 2.
    arm.line_force = options.young / options.length *
                     (SpaceDim == 3 ? std::sqrt(2.0) * w * w * w / 12
                                    : w * w * arm.thickness / (6 * (1 - options.poisson * options.poisson)));
  }
  return arm;
}

template ArmMesh<2> make_beam<2>(const BeamOptions&);
template ArmMesh<3> make_beam<3>(const BeamOptions&);

}  // namespace quoin::soft_arm
