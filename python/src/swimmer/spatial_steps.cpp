// SPDX-License-Identifier: BSD-3-Clause
#include "steps.hpp"

namespace quoin::swimmer::detail {

QUOIN_SWIMMER_STEP(, 2, 6, Momentum::zero);
QUOIN_SWIMMER_STEP(, 2, 6, Momentum::free);

}  // namespace quoin::swimmer::detail
