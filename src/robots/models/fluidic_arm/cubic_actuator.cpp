// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/cubic_actuator.hpp"

#include <cmath>

namespace quoin::fluidic_arm {

double CubicActuator::volume(double torque) const {
  if (cubic == 0) return torque / linear;
  if (linear == 0) return std::cbrt(torque / cubic);
  // The one real root of V^3 + 3 a V = 2 b, without cancellation: 2 sqrt(a) sinh(asinh(b / a^1.5) / 3).
  const double a = linear / (3 * cubic), b = torque / (2 * cubic);
  return 2 * std::sqrt(a) * std::sinh(std::asinh(b / (a * std::sqrt(a))) / 3);
}

}  // namespace quoin::fluidic_arm
