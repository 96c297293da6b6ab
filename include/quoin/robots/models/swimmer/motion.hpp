// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <array>

namespace quoin::swimmer {

/// How a swimmer may move.
enum class Motion {
  planar,  ///< in the plane z = 0 of its base: all hinges turn about z, all links are symmetric about z = 0
  spatial  ///< freely
};

/// Twists are [omega; v], of the origin of the link's frame, expressed in that frame ("body twist"). A planar one keeps
/// three of the six components, (omega_z, v_x, v_y).
constexpr int twist_size(Motion motion) { return motion == Motion::planar ? 3 : 6; }

/// The components of a spatial twist that a planar one keeps.
inline constexpr std::array<int, 3> planar_components{2, 3, 4};

/// Number of entries in the upper triangle of a symmetric n x n matrix.
constexpr Eigen::Index packed_size(Eigen::Index n) { return n * (n + 1) / 2; }

/// Index of entry (i, j), i <= j, in the packed upper triangle, column after column.
constexpr Eigen::Index packed_index(Eigen::Index i, Eigen::Index j) { return j * (j + 1) / 2 + i; }

/// The symmetric matrix with the given packed upper triangle.
template <class Packed, class Matrix>
void unpack_symmetric(const Packed& packed, Matrix& full) {
  for (Eigen::Index j = 0, at = 0; j < full.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i, ++at) full(j, i) = full(i, j) = packed[at];
}

/// Packs the upper triangle of the symmetric part of a square matrix.
template <class Matrix, class Packed>
void pack_symmetric(const Matrix& full, Packed&& packed) {
  for (Eigen::Index j = 0, at = 0; j < full.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i, ++at) packed[at] = 0.5 * (full(i, j) + full(j, i));
}

}  // namespace quoin::swimmer
