// SPDX-License-Identifier: BSD-3-Clause
// Steps of swimmers with two hinges, compiled here; those with three are in the library.
#pragma once

#include "quoin/robots/models/swimmer/detail/swimmer_step.hpp"

namespace quoin::swimmer::detail {

QUOIN_SWIMMER_STEP(extern, 2, 3, Momentum::zero);
QUOIN_SWIMMER_STEP(extern, 2, 3, Momentum::free);
QUOIN_SWIMMER_STEP(extern, 2, 6, Momentum::zero);
QUOIN_SWIMMER_STEP(extern, 2, 6, Momentum::free);

}  // namespace quoin::swimmer::detail
