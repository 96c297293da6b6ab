// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

namespace quoin::fluidic_arm::detail {

/// A point of an arm: straight + scale * (chord of the segment's arc up to `fraction`), from the segment's base.
struct ArmPoint {
  int segment = 0;
  double straight = 0;  ///< m
  double scale = 0;     ///< m
  double fraction = 0;  ///< of the bending piece
};

struct MassPoint {
  ArmPoint point;
  double share = 0;  ///< of the segment's mass
};

}  // namespace quoin::fluidic_arm::detail
