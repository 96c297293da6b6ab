// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

namespace quoin {

/// What may answer in place of a function f.
enum class SurrogateKind {
  function,        ///< f itself
  grid,            ///< an AdaptiveGrid, at level 0
  grid_tolerance,  ///< an AdaptiveGrid in tolerance mode: where f is not resolved by the samples taken
  kernel           ///< a kernel of samples: KernelSurrogate, KernelInterpolant
};

}  // namespace quoin
