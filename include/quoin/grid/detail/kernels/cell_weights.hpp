// SPDX-License-Identifier: BSD-3-Clause
// In a query's third step: the numbers themselves, for one corner in each lane of the processor's vectors.
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/instruction_set.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace quoin::grid_detail {

/// The one-dimensional functions D_l of JetCell, on an edge of length 1 from the end that a derivative belongs to. For
/// derivative a, D_l = q^l (at_end - fall s) with q = s (1 - s): all derivatives below the l-th vanish at both ends.
struct EndFunction {
  double at_end, fall;
};

inline constexpr int most_order = 3;  ///< of jets

/// [a][l], a <= l: at_end = C(2l - 1 - a, l - a) / a!, fall = C(2l - a, l - a) / a!. docs/notes/grid.md derives them.
inline constexpr auto end_functions = [] {
  std::array<std::array<EndFunction, most_order + 1>, most_order + 1> all{};
  const auto choose = [](int n, int k) {
    double product = 1;
    for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
    return product;
  };
  double factorial = 1;
  for (int a = 0; a <= most_order; ++a) {
    factorial *= a > 0 ? a : 1;
    for (int l = a; l <= most_order; ++l)
      all[static_cast<std::size_t>(a)][static_cast<std::size_t>(l)] = {
          (l == 0 ? 1 : choose(2 * l - 1 - a, l - a)) / factorial, choose(2 * l - a, l - a) / factorial};
  }
  return all;
}();

/// For each axis and corner, 1 if the corner is the upper one, else 0: as the lanes read it.
template <int Dim>
inline constexpr auto upper_sides = [] {
  std::array<std::array<double, std::size_t{1} << Dim>, std::size_t{Dim}> all{};
  for (std::size_t i = 0; i < Dim; ++i)
    for (std::size_t c = 0; c < all[i].size(); ++c) all[i][c] = static_cast<double>(c >> i & 1);
  return all;
}();

/// What of a JetCell its weights depend on besides the place.
template <int Dim>
struct CellBasis {
  int order;
  const MultiIndex<Dim>* indices;  ///< of the derivatives, `count` of them
  int count;
};

}  // namespace quoin::grid_detail

#define QUOIN_WEIGHT_LANES 2
#define QUOIN_WEIGHT_NAMESPACE baseline
#include "quoin/grid/detail/kernels/weight_kernels.inc"

#if defined(QUOIN_WIDE_REGISTERS)
QUOIN_COMPILE_FOR_AVX2
#define QUOIN_WEIGHT_LANES 4
#define QUOIN_WEIGHT_NAMESPACE avx2
#include "quoin/grid/detail/kernels/weight_kernels.inc"
QUOIN_COMPILE_FOR_ALL
QUOIN_COMPILE_FOR_AVX512
#define QUOIN_WEIGHT_LANES 8
#define QUOIN_WEIGHT_NAMESPACE avx512
#include "quoin/grid/detail/kernels/weight_kernels.inc"
QUOIN_COMPILE_FOR_ALL
#endif

namespace quoin::grid_detail {

/// Writes the weights of a place t in [0, 1]^Dim of a cell with edges h, as JetCell packs them.
template <int Dim>
void cell_weights(const CellBasis<Dim>& basis, const Point<Dim>& t, const Point<Dim>& h, double* w,
                  InstructionSet set = instruction_set()) {
#if defined(QUOIN_WIDE_REGISTERS)
  if (set == InstructionSet::avx512) return avx512::CellWeights<Dim>::write(basis, t.data(), h.data(), w);
  if (set == InstructionSet::avx2) return avx2::CellWeights<Dim>::write(basis, t.data(), h.data(), w);
#endif
  (void)set;
  baseline::CellWeights<Dim>::write(basis, t.data(), h.data(), w);
}

}  // namespace quoin::grid_detail
