// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/detail/swimmer_step.hpp"

namespace quoin::swimmer::detail {

QUOIN_SWIMMER_STEP(, 3, 3, Momentum::zero);
QUOIN_SWIMMER_STEP(, 3, 3, Momentum::free);

}  // namespace quoin::swimmer::detail
