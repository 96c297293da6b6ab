// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/arm_description.hpp"

namespace quoin::fluidic_arm {

void set_stiffness_along_length(ArmDescription& arm, double first_stiffness) {
  for (Segment& segment : arm.segments) segment.stiffness = first_stiffness * segment.length / arm.segments[0].length;
}

void set_stiffness_of_beam(ArmDescription& arm, double bending_stiffness) {
  for (Segment& segment : arm.segments) segment.stiffness = bending_stiffness / segment.length;
}

}  // namespace quoin::fluidic_arm
