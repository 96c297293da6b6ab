// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <complex>

namespace quoin::fluidic_arm {

/// F_j(angle) = integral over s in [0, 1] of s^j e^{i s angle}, j = 0..3. F_0 is the chord of an arc of unit length
/// that begins along the real axis and turns by `angle`; the others are, up to factors of i, its derivatives:
/// dF_j/d angle = i F_{j+1}. Smooth through angle 0, accurate to rounding everywhere.
struct ArcMoments {
  /// F_0 to F_3 of the angle.
  std::complex<double> f0, f1, f2, f3;
};

/// angle: rad, of any size.
ArcMoments arc_moments(double angle);

}  // namespace quoin::fluidic_arm
