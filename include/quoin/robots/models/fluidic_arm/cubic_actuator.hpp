// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

namespace quoin::fluidic_arm {

/// The torque of a fluidic elastomer actuator, N m, as a function of the volume V moved into its channels, mL, signed
/// by the side that bulges: torque = linear V + cubic V^3. Eq. 20 of the paper has linear = 0, Eq. 12 has both.
///
///     const CubicActuator actuator{.cubic = 8e-7};
///     actuator.torque(50);         // 0.1
///     actuator.volume(0.1);        // 50, Eq. 28
struct CubicActuator {
  double cubic = 0;   ///< c, N m / mL^3, not negative
  double linear = 0;  ///< N m / mL, not negative; not both zero

  /// N m at a volume in mL.
  double torque(double volume) const { return volume * (linear + cubic * volume * volume); }
  /// d torque / d volume, N m / mL.
  double slope(double volume) const { return linear + 3 * cubic * volume * volume; }
  /// The volume for a torque: the real root, of either sign (Eq. 28). With linear = 0 its slope at 0 is infinite: a
  /// torque that crosses zero needs a volume that changes faster than any cylinder can.
  double volume(double torque) const;
};

}  // namespace quoin::fluidic_arm
