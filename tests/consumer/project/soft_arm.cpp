// SPDX-License-Identifier: BSD-3-Clause
// The arm of the compiled component, called from a program that may be compiled for another processor.
#include "central_difference.hpp"

#include <quoin/robots/models/soft_arm/beam.hpp>
#include <quoin/robots/models/soft_arm/statics.hpp>

int main() {
  using namespace quoin::soft_arm;
  const Statics<2> statics{SoftArm<2>{make_beam<2>()}};
  return !agrees_with_central_difference<2>(statics, {0.8, 0.1}, {0.01, -0.02});
}
