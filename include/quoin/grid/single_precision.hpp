// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/detail/kernels/packed_jet.hpp"

#ifndef QUOIN_LINKS_COMPILED_GRID
#include "quoin/grid/detail/kernels/sweep.hpp"
#else
#include "quoin/util/abi_check.hpp"
#endif

namespace quoin {

/// For GridOptions::precision: jets are kept in single precision, in half the memory, and queries whose corners come
/// from memory take about half as long. Weights and sums stay in double precision.
///
///   options.precision = quoin::single_precision();
///
/// An answer's error gains 2^-24 = 6e-8 of its value, and the Jacobian's about 1e-7/h of the value, which stated errors
/// take in: no tolerance below is reached, and answers are not certified. A corner with a number above 3.4e38 has
/// failed. Numbers below 1e-38 lose digits.
#ifdef QUOIN_LINKS_COMPILED_GRID
const grid_detail::JetFormat* single_precision();
#else
inline const grid_detail::JetFormat* single_precision() { return &grid_detail::jet_format<float>; }
#endif

}  // namespace quoin
