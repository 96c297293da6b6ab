// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace quoin::soft_arm {

inline constexpr int tile_size = 8;
inline constexpr int tile_entries = tile_size * tile_size;
using TilePack = double __attribute__((vector_size(tile_size * sizeof(double))));

// Tiles live in a std::vector, aligned for doubles only.
inline void load_pack(TilePack& pack, const double* from) { std::memcpy(&pack, from, sizeof(TilePack)); }
inline void store_pack(double* to, const TilePack& pack) { std::memcpy(to, &pack, sizeof(TilePack)); }

// Right-hand sides side by side in a row: one factor of L meets `eights` packs of eight and, if `four`, one of four.
using HalfPack = double __attribute__((vector_size(4 * sizeof(double))));

template <int eights, bool four>
struct RightHandSides {
  static constexpr int width = 8 * eights + 4 * four;
  TilePack wide[eights > 0 ? eights : 1];
  HalfPack narrow;

  void read(const double* from) {
    for (int e = 0; e < eights; ++e) load_pack(wide[e], from + 8 * e);
    if constexpr (four) std::memcpy(&narrow, from + 8 * eights, sizeof narrow);
  }
  void write(double* to) const {
    for (int e = 0; e < eights; ++e) store_pack(to + 8 * e, wide[e]);
    if constexpr (four) std::memcpy(to + 8 * eights, &narrow, sizeof narrow);
  }
  void subtract(double factor, const RightHandSides& other) {
    for (int e = 0; e < eights; ++e) wide[e] -= factor * other.wide[e];
    if constexpr (four) narrow -= factor * other.narrow;
  }
  void scale(double factor) {
    for (int e = 0; e < eights; ++e) wide[e] *= factor;
    if constexpr (four) narrow *= factor;
  }
};

// Forward and backward substitution in place; work: tile_size rows of `width` per column of tiles.
template <int eights, bool four>
void substitute(const double* base, const std::vector<int>& column_begin, const std::vector<int>& row, int columns,
                double* work) {
  using R = RightHandSides<eights, four>;
  constexpr int width = R::width;
  for (int j = 0; j < columns; ++j) {
    const double* const diagonal = base + static_cast<std::size_t>(column_begin[j]) * tile_entries;
    double* const own = work + static_cast<std::size_t>(j) * tile_size * width;
    R solved[tile_size];
    for (int r = 0; r < tile_size; ++r) {
      solved[r].read(own + r * width);
      for (int c = 0; c < r; ++c) solved[r].subtract(diagonal[c * tile_size + r], solved[c]);
      solved[r].scale(1 / diagonal[r * tile_size + r]);
      solved[r].write(own + r * width);
    }
    for (int tile = column_begin[j] + 1; tile < column_begin[j + 1]; ++tile) {
      const double* const below = base + static_cast<std::size_t>(tile) * tile_entries;
      double* const target = work + static_cast<std::size_t>(row[tile]) * tile_size * width;
      R sum[tile_size];
      for (int r = 0; r < tile_size; ++r) sum[r].read(target + r * width);
      for (int c = 0; c < tile_size; ++c) {
        R factor;
        factor.read(own + c * width);
        for (int r = 0; r < tile_size; ++r) sum[r].subtract(below[c * tile_size + r], factor);
      }
      for (int r = 0; r < tile_size; ++r) sum[r].write(target + r * width);
    }
  }
  for (int j = columns - 1; j >= 0; --j) {
    const double* const diagonal = base + static_cast<std::size_t>(column_begin[j]) * tile_entries;
    double* const own = work + static_cast<std::size_t>(j) * tile_size * width;
    R sum[tile_size];
    for (int c = 0; c < tile_size; ++c) sum[c].read(own + c * width);
    for (int tile = column_begin[j] + 1; tile < column_begin[j + 1]; ++tile) {
      const double* const below = base + static_cast<std::size_t>(tile) * tile_entries;
      const double* const other = work + static_cast<std::size_t>(row[tile]) * tile_size * width;
      for (int r = 0; r < tile_size; ++r) {
        R factor;
        factor.read(other + r * width);
        for (int c = 0; c < tile_size; ++c) sum[c].subtract(below[c * tile_size + r], factor);
      }
    }
    for (int c = tile_size - 1; c >= 0; --c) {
      for (int r = c + 1; r < tile_size; ++r) sum[c].subtract(diagonal[c * tile_size + r], sum[r]);
      sum[c].scale(1 / diagonal[c * tile_size + c]);
      sum[c].write(own + c * width);
    }
  }
}

}  // namespace quoin::soft_arm
