// SPDX-License-Identifier: BSD-3-Clause
// A query's last step: the sum itself, over the jets of the cell's corners.
#pragma once

#include "quoin/core/instruction_set.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstring>

#if defined(QUOIN_WIDE_REGISTERS)
#include <immintrin.h>
#endif

/// The one loop that a query spends its time in: weighted sums over the jets of a cell's corners.
///
/// A corner's jet is packed [rows / 8][derivative][8], 64-byte aligned, and then [derivative][rows % 8], without
/// padding (packed_place) but for zeros behind a jet of less than 8 numbers. A sweep over P outputs
/// computes out_p(row) = sum over corners c, derivatives a of w[(c * derivatives + a) * P + p] * jet_c(row, a), eight
/// corners at a time: each byte is read once, in streams that the processor's own prefetching follows, and sums beyond
/// eight corners wait in the outputs, which the second-level cache keeps. It is bound by memory. The loop is compiled
/// for AVX-512, AVX2 and the baseline; the processor decides.
namespace quoin::grid_detail {

constexpr Eigen::Index pack_rows = 8;
constexpr Eigen::Index tile_packs = 16;
constexpr int max_sweep_outputs = 8;

constexpr Eigen::Index pack_count(Eigen::Index rows) { return (rows + pack_rows - 1) / pack_rows; }

/// Doubles in one packed jet.
constexpr std::size_t packed_size(Eigen::Index rows, int derivatives) {
  return static_cast<std::size_t>(rows * derivatives);
}

/// Where in a packed jet an entry lies.
constexpr Eigen::Index packed_place(Eigen::Index rows, int derivatives, Eigen::Index row, Eigen::Index derivative) {
  const Eigen::Index first = row / pack_rows * pack_rows;  // of its pack
  return first * derivatives + derivative * (rows - first < pack_rows ? rows - first : pack_rows) + row - first;
}

struct SweepInput {
  const double* const* corners;  ///< packed jets, `count` of them
  int count;
  int derivatives;
  Eigen::Index rows;
};

}  // namespace quoin::grid_detail

#define QUOIN_SWEEP_LANES 2
#define QUOIN_SWEEP_NAMESPACE baseline
#include "quoin/grid/detail/sweep_kernels.inc"

#if defined(QUOIN_WIDE_REGISTERS)
QUOIN_COMPILE_FOR_AVX2
#define QUOIN_SWEEP_LANES 4
#define QUOIN_SWEEP_NAMESPACE avx2
#include "quoin/grid/detail/sweep_kernels.inc"
QUOIN_COMPILE_FOR_ALL
QUOIN_COMPILE_FOR_AVX512
#define QUOIN_SWEEP_LANES 8
#define QUOIN_SWEEP_NAMESPACE avx512
#include "quoin/grid/detail/sweep_kernels.inc"
QUOIN_COMPILE_FOR_ALL
#endif

namespace quoin::grid_detail {

/// Asks for the first lines of the jets, all of small ones: they come while the weights are computed.
inline void prefetch(const SweepInput& input) {
  const Eigen::Index lines = (input.rows * input.derivatives + pack_rows - 1) / pack_rows;  // of 64 bytes, in a jet
  const Eigen::Index most = input.count < 16 ? 64 / input.count : 4;
  for (int c = 0; c < input.count; ++c)
    for (Eigen::Index line = 0; line < lines && line < most; ++line)
      __builtin_prefetch(input.corners[c] + line * pack_rows);
}

/// Groups of outputs in one sweep, which share what a tile has brought into the cache.
/// weights: [group][corner and derivative][output], outputs: 1 to max_sweep_outputs in each group.
/// out: where the rows' numbers of each output go, group after group.
inline void sweep_groups(const SweepInput& input, const double* weights, int outputs, int groups, double* const* out,
                         InstructionSet set = instruction_set()) {
#if defined(QUOIN_WIDE_REGISTERS)
  if (set == InstructionSet::avx512) return avx512::sweep(input, weights, outputs, groups, out);
  if (set == InstructionSet::avx2) return avx2::sweep(input, weights, outputs, groups, out);
#endif
  (void)set;
  baseline::sweep(input, weights, outputs, groups, out);
}

/// out: where the rows' numbers of each output (1 to max_sweep_outputs) go.
inline void sweep(const SweepInput& input, const double* weights, int outputs, double* const* out,
                  InstructionSet set = instruction_set()) {
  sweep_groups(input, weights, outputs, 1, out, set);
}

/// moments[c * derivatives + a] = sum over rows of jet_c(row, a) v(row); v: pack_count(rows) * 8 numbers, 64-byte
/// aligned, padded with zeros.
inline void moments(const SweepInput& input, const double* v, double* out, InstructionSet set = instruction_set()) {
#if defined(QUOIN_WIDE_REGISTERS)
  if (set == InstructionSet::avx512) return avx512::moments(input, v, out);
  if (set == InstructionSet::avx2) return avx2::moments(input, v, out);
#endif
  (void)set;
  baseline::moments(input, v, out);
}

}  // namespace quoin::grid_detail
