// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "panel_mesh.hpp"

#include <cstddef>
#include <vector>

namespace quoin::swimmer {

/// The panels' integrals over one body, seen from a tile of points, with their derivatives as the points move.
///
/// With R_i = y_i - x, r = |R|, h = normal . R, d_i = m_i . R on edge i, gamma_i = ln((r_a + r_b + L)/(r_a + r_b - L))
/// and the solid angle Omega after van Oosterom and Strackee, a panel contributes
///
///   to the double layer of its vertex i:  -scale_i (d_i Omega + h sum_e (m_i . m_e) gamma_e)
///   to u = int normal / |y - x|:           normal (sum_e d_e gamma_e - h Omega)
///
/// The integral of G (y x normal) over a closed surface is x cross u / 4 pi: that of (y - x) x normal / r, a curl,
/// vanishes. As x moves with velocity w: dh = -normal . w, dd_i = -m_i . w, dgamma = 2 L / ((r_a + r_b)^2 - L^2)
/// (R_a/r_a + R_b/r_b) . w, dOmega by Biot and Savart along the edges, and du = sum normal (dd_e gamma_e - dh
/// Omega): no further logarithms.
constexpr int tile_points = 8;

struct TileSums {
  double* influence;   ///< [vertex][point]: minus the double layer
  double* u;           ///< [3][point]
  double* winding;     ///< [point]: sum of the solid angles over 4 pi; 1 inside, 0 outside
  double* dinfluence;  ///< [direction][vertex][point]
  double* du;          ///< [direction][3][point]
};

/// Doubles of scratch memory that `panel_sums` needs.
std::size_t panel_scratch(const PanelMesh& mesh, int directions);

/// points is [3][point], velocities [direction][3][point].
using PanelSums = void (*)(const PanelMesh& mesh, const double* points, int directions, const double* velocities,
                           double* scratch, const TileSums& sums);

/// out[column][point] += sum over vertices of tile[vertex][point] * values[vertex * columns + column].
using Contract = void (*)(const double* tile, const double* values, int vertices, int columns, double* out);

struct PanelKernels {
  PanelSums sums;
  Contract contract;
};

/// All kernels that this processor can run. The first takes one point at a time with the standard library's
/// functions, on any processor and compiler; the others use wider and wider registers, with a logarithm and
/// an arctangent of our own.
std::vector<PanelKernels> panel_kernels();

/// `influence` ([vertex][tile_points], of which the first is written) and `u` at one vertex of the mesh itself, where
/// the panels around it contribute no double layer.
void panel_sums_at_vertex(const PanelMesh& mesh, int vertex, double* scratch, double* influence, double* u);

}  // namespace quoin::swimmer
