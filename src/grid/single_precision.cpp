// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/single_precision.hpp"
#include "quoin/grid/detail/kernels/sweep.hpp"

namespace quoin {

const grid_detail::JetFormat* single_precision() { return &grid_detail::jet_format<float>; }

}  // namespace quoin
