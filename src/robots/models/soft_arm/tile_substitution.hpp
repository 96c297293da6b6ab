// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pack.hpp"

#include <cstddef>
#include <vector>

namespace quoin::soft_arm {

inline constexpr int tile_size = 8;
inline constexpr int tile_entries = tile_size * tile_size;
static_assert(tile_size == pack_size);

// Forward and backward substitution of `count` right-hand sides at once. One right-hand side within one column of tiles
// is a pack; every tile stays in registers or in the nearest cache while all of them use it.
class TileSubstitution {
 public:
  TileSubstitution(const double* tiles, const std::vector<int>& column_begin, const std::vector<int>& row, int count)
      : tiles_(tiles), column_begin_(column_begin), row_(row), count_(count) {}

  // work: columns x count packs; inverses: `columns` tiles, overwritten with the inverses of the diagonal tiles of L.
  void run(double* work, double* inverses) const {
    const int columns = static_cast<int>(column_begin_.size()) - 1;
    for (int j = 0; j < columns; ++j) forward(j, work, inverses + static_cast<std::size_t>(j) * tile_entries);
    for (int j = columns - 1; j >= 0; --j) backward(j, work, inverses + static_cast<std::size_t>(j) * tile_entries);
  }

 private:
#ifdef __AVX512F__
  static constexpr int together = 2;  // right-hand sides, or tiles, whose sums fit into the registers
#else
  static constexpr int together = 1;
#endif

  const double* tile(int at) const { return tiles_ + static_cast<std::size_t>(at) * tile_entries; }
  double* part(int column, double* work) const { return work + static_cast<std::size_t>(column) * count_ * tile_size; }

  static constexpr double unit[2 * tile_size] = {0, 0, 0, 0, 0, 0, 0, 0, 1};

  // The inverse of a lower triangle, row by row.
  static void invert(const double* lower, double* inverse) {
    Pack rows[tile_size];
    for (int r = 0; r < tile_size; ++r) {
      load_pack(rows[r], unit + tile_size - r);
      for (int k = 0; k < r; ++k) rows[r] -= rows[k] * lower[k * tile_size + r];
      rows[r] *= 1 / lower[r * (tile_size + 1)];
      store_pack(inverse + r * tile_size, rows[r]);
    }
  }

  // Multiplies every right-hand side of a part by A, which is given by columns.
  void multiply(const Pack (&A)[tile_size], double* own) const {
    for (int m = 0; m < count_; ++m, own += tile_size) {
      Pack even = A[0] * own[0], odd = A[1] * own[1];
#pragma GCC unroll 8
      for (int c = 2; c < tile_size; c += 2) {
        even += A[c] * own[c];
        odd += A[c + 1] * own[c + 1];
      }
      store_pack(own, even + odd);
    }
  }

  template <int tiles>
  void subtract(int at, const double* own, double* work) const {
    Pack L[tiles][tile_size];
    double* target[tiles];
    for (int t = 0; t < tiles; ++t) {
      for (int c = 0; c < tile_size; ++c) load_pack(L[t][c], tile(at + t) + c * tile_size);
      target[t] = part(row_[at + t], work);
    }
    for (int m = 0; m < count_; ++m, own += tile_size) {
      Pack sum[tiles];
      for (int t = 0; t < tiles; ++t) load_pack(sum[t], target[t] + m * tile_size);
#pragma GCC unroll 8
      for (int c = 0; c < tile_size; ++c)
        for (int t = 0; t < tiles; ++t) sum[t] -= L[t][c] * own[c];
      for (int t = 0; t < tiles; ++t) store_pack(target[t] + m * tile_size, sum[t]);
    }
  }

  void forward(int j, double* work, double* inverse) const {
    double* const own = part(j, work);
    invert(tile(column_begin_[j]), inverse);
    Pack columns[tile_size];
    for (int r = 0; r < tile_size; ++r) load_pack(columns[r], inverse + r * tile_size);
    transpose_packs(columns);
    multiply(columns, own);
    int at = column_begin_[j] + 1;
    for (; at + together <= column_begin_[j + 1]; at += together) subtract<together>(at, own, work);
    for (; at < column_begin_[j + 1]; ++at) subtract<1>(at, own, work);
  }

  template <int sides>
  void gather(int j, int m, double* work) const {
    Pack sum[sides][tile_size] = {};
    for (int at = column_begin_[j] + 1; at < column_begin_[j + 1]; ++at) {
      const double* const L = tile(at);
      Pack other[sides], column;
      for (int s = 0; s < sides; ++s) load_pack(other[s], part(row_[at], work) + (m + s) * tile_size);
#pragma GCC unroll 8
      for (int c = 0; c < tile_size; ++c) {
        load_pack(column, L + c * tile_size);
        for (int s = 0; s < sides; ++s) sum[s][c] += column * other[s];
      }
    }
    for (int s = 0; s < sides; ++s) {
      double* const own = part(j, work) + (m + s) * tile_size;
      Pack value;
      load_pack(value, own);
      store_pack(own, value - sums_over_lanes(sum[s]));
    }
  }

  void backward(int j, double* work, const double* inverse) const {
    int m = 0;
    for (; m + together <= count_; m += together) gather<together>(j, m, work);
    for (; m < count_; ++m) gather<1>(j, m, work);
    Pack rows[tile_size];
    for (int r = 0; r < tile_size; ++r) load_pack(rows[r], inverse + r * tile_size);
    multiply(rows, part(j, work));
  }

  const double* const tiles_;
  const std::vector<int>& column_begin_;
  const std::vector<int>& row_;
  const int count_;
};

}  // namespace quoin::soft_arm
