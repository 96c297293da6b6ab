// SPDX-License-Identifier: BSD-3-Clause
#include "panel_sums.hpp"

#include "quoin/util/instruction_set.hpp"

#include <cmath>
#include <cstddef>

#define QUOIN_PANEL_LANES 1
#define QUOIN_PANEL_NAMESPACE one_lane
#include "panel_sums.inc"

#if defined(__GNUC__)  // also Clang
#define QUOIN_PANEL_LANES 2
#define QUOIN_PANEL_NAMESPACE two_lanes
#include "panel_sums.inc"
#endif

#if defined(QUOIN_WIDE_REGISTERS)
QUOIN_COMPILE_FOR_AVX2
#define QUOIN_PANEL_LANES 4
#define QUOIN_PANEL_NAMESPACE four_lanes
#include "panel_sums.inc"
QUOIN_COMPILE_FOR_ALL
QUOIN_COMPILE_FOR_AVX512
#define QUOIN_PANEL_LANES 8
#define QUOIN_PANEL_NAMESPACE eight_lanes
#include "panel_sums.inc"
QUOIN_COMPILE_FOR_ALL
#endif

namespace quoin::swimmer {

std::size_t panel_scratch(const PanelMesh& mesh, int directions) {
  const std::size_t vertices = mesh.x.size(), edges = mesh.edges.size(), moving = static_cast<std::size_t>(directions);
  return tile_points * (vertices * (4 + moving) + edges * (1 + 2 * moving));
}

std::vector<PanelKernels> panel_kernels() {
  std::vector<PanelKernels> found{{one_lane::panel_sums, one_lane::contract}};
#if defined(__GNUC__)
  found.push_back({two_lanes::panel_sums, two_lanes::contract});
#endif
#if defined(QUOIN_WIDE_REGISTERS)
  if (instruction_set() >= InstructionSet::avx2) found.push_back({four_lanes::panel_sums, four_lanes::contract});
  if (instruction_set() >= InstructionSet::avx512) found.push_back({eight_lanes::panel_sums, eight_lanes::contract});
#endif
  return found;
}

void panel_sums_at_vertex(const PanelMesh& mesh, int vertex, double* scratch, double* influence, double* u) {
  // The kernel writes every eighth number, since it fills one point of a tile.
  const auto at = static_cast<std::size_t>(vertex);
  double points[3 * tile_points]{}, tile_u[3 * tile_points], winding[tile_points];
  points[0] = mesh.x[at];
  points[tile_points] = mesh.y[at];
  points[2 * tile_points] = mesh.z[at];
  one_lane::sums_of_lanes<0>(mesh, points, nullptr, vertex, scratch, {influence, tile_u, winding, nullptr, nullptr});
  for (int axis = 0; axis < 3; ++axis) u[axis] = tile_u[axis * tile_points];
}

}  // namespace quoin::swimmer
