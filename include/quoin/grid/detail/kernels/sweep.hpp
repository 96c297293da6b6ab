// SPDX-License-Identifier: BSD-3-Clause
// A query's last step: the sum itself, over the jets of the cell's corners.
#pragma once

#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/util/instruction_set.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(QUOIN_WIDE_REGISTERS)
#include <immintrin.h>
#endif

/// The one loop that a query spends its time in: weighted sums over the jets of a cell's corners.
///
/// A sweep over P outputs computes
/// out_p(row) = sum over corners c, derivatives a of w[(c * derivatives + a) * P + p] * jet_c(row, a). Each byte is
/// read once. Large jets that come from memory are read four corners at a time, asked for ahead, while sums wait in the
/// outputs, which the second-level cache keeps; others sixteen corners at a time. From memory it is bound by that: jets
/// of floats, whose sums are of doubles all the same, take two thirds of the time. The loop is compiled for AVX-512,
/// AVX2 and the baseline; the processor decides.
namespace quoin::grid_detail {

constexpr Eigen::Index tile_packs = 16;
constexpr int max_sweep_outputs = 8;

}  // namespace quoin::grid_detail

#define QUOIN_SWEEP_LANES 2
#define QUOIN_SWEEP_NAMESPACE baseline
#include "quoin/grid/detail/kernels/sweep_kernels.inc"

#if defined(QUOIN_WIDE_REGISTERS)
QUOIN_COMPILE_FOR_AVX2
#define QUOIN_SWEEP_LANES 4
#define QUOIN_SWEEP_NAMESPACE avx2
#include "quoin/grid/detail/kernels/sweep_kernels.inc"
QUOIN_COMPILE_FOR_ALL
QUOIN_COMPILE_FOR_AVX512
#define QUOIN_SWEEP_LANES 8
#define QUOIN_SWEEP_NAMESPACE avx512
#include "quoin/grid/detail/kernels/sweep_kernels.inc"
QUOIN_COMPILE_FOR_ALL
#endif

namespace quoin::grid_detail {

/// Asks for the first lines of the jets, all of small ones: they come while the weights are computed.
inline void prefetch(const PackedJets& jets) {
  constexpr std::size_t line = 64;
  const std::size_t bytes = packed_size(jets.rows, jets.derivatives) * jets.format->number_bytes;
  const std::size_t most = jets.count < 16 ? line * 64 / static_cast<std::size_t>(jets.count) : 4 * line;
  for (int c = 0; c < jets.count; ++c)
    for (std::size_t at = 0; at < bytes && at < most; at += line)
      __builtin_prefetch(static_cast<const char*>(jets.corners[c]) + at);
}

/// Whether they are so large that it matters whence they come, and not those that this thread has swept last, which the
/// caches still have.
inline bool come_from_memory(const PackedJets& jets) {
  constexpr std::size_t large = 10000;  // bytes
  thread_local const void* last = nullptr;
  if (packed_size(jets.rows, jets.derivatives) * jets.format->number_bytes < large) return false;
  return std::exchange(last, jets.corners[0]) != jets.corners[0];
}

/// Groups of outputs in one sweep, which share what a tile has brought into the cache.
/// weights: [group][corner and derivative][output], outputs: 1 to max_sweep_outputs in each group.
/// out: where the rows' numbers of each output go, group after group.
inline void sweep_groups(const PackedJets& jets, const double* weights, int outputs, int groups, double* const* out,
                         InstructionSet set = instruction_set()) {
  jets.format->sweep(jets, weights, outputs, groups, out, set);
}

/// out: where the rows' numbers of each output (1 to max_sweep_outputs) go.
inline void sweep(const PackedJets& jets, const double* weights, int outputs, double* const* out,
                  InstructionSet set = instruction_set()) {
  sweep_groups(jets, weights, outputs, 1, out, set);
}

/// moments[c * derivatives + a] = sum over rows of jet_c(row, a) v(row); v: pack_count(rows) * 8 numbers, 64-byte
/// aligned, padded with zeros.
inline void moments(const PackedJets& jets, const double* v, double* out, InstructionSet set = instruction_set()) {
  jets.format->moments(jets, v, out, set);
}

/// The functions of a JetFormat.
template <class Number>
struct JetsOf {
  static void pack(const Eigen::Ref<const Eigen::MatrixXd>& jet, void* packed) {
    const auto derivatives = static_cast<int>(jet.cols());
    for (int a = 0; a < derivatives; ++a)
      for (Eigen::Index row = 0; row < jet.rows(); ++row)
        static_cast<Number*>(packed)[packed_place(jet.rows(), derivatives, row, a)] = static_cast<Number>(jet(row, a));
  }
  static void unpack(const void* packed, Eigen::MatrixXd& jet) {
    const auto derivatives = static_cast<int>(jet.cols());
    for (int a = 0; a < derivatives; ++a)
      for (Eigen::Index row = 0; row < jet.rows(); ++row)
        jet(row, a) = static_cast<const Number*>(packed)[packed_place(jet.rows(), derivatives, row, a)];
  }
  static void sweep(const PackedJets& jets, const double* weights, int outputs, int groups, double* const* out,
                    InstructionSet set) {
    const bool from_memory = come_from_memory(jets);
#if defined(QUOIN_WIDE_REGISTERS)
    if (set == InstructionSet::avx512) return avx512::sweep<Number>(jets, from_memory, weights, outputs, groups, out);
    if (set == InstructionSet::avx2) return avx2::sweep<Number>(jets, from_memory, weights, outputs, groups, out);
#endif
    (void)set;
    baseline::sweep<Number>(jets, from_memory, weights, outputs, groups, out);
  }
  static void moments(const PackedJets& jets, const double* v, double* out, InstructionSet set) {
#if defined(QUOIN_WIDE_REGISTERS)
    if (set == InstructionSet::avx512) return avx512::moments<Number>(jets, v, out);
    if (set == InstructionSet::avx2) return avx2::moments<Number>(jets, v, out);
#endif
    (void)set;
    baseline::moments<Number>(jets, v, out);
  }
};

/// Number: double or float.
template <class Number>
inline constexpr JetFormat jet_format = {
    .number_bytes = sizeof(Number),
    .greatest = static_cast<double>(std::numeric_limits<Number>::max()),
    .rounding = std::is_same_v<Number, double> ? 0 : std::numeric_limits<Number>::epsilon() / 2,
    .pack = JetsOf<Number>::pack,
    .unpack = JetsOf<Number>::unpack,
    .sweep = JetsOf<Number>::sweep,
    .moments = JetsOf<Number>::moments};

}  // namespace quoin::grid_detail
