// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace quoin::identification {

/// The desired motion of the joints at one instant, n each: rad or m, and their rates.
struct JointReference {
  /// n each.
  Eigen::VectorXd q, qd, qdd;
};

/// Every joint swings by itself, q_i(t) = amplitude_i sin(2 pi t / period_i), to excite the robot's dynamics (Sutanto
/// et al. 2020, section 4.1). Periods without a common multiple take the joints through ever new combinations.
///
///     SineExcitation excitation{.amplitudes = 0.5 * limits, .periods = Eigen::Vector3d(23, 19, 17)};
///     JointReference now = excitation.at(1.5);
struct SineExcitation {
  Eigen::VectorXd amplitudes;  ///< n, rad or m
  Eigen::VectorXd periods;     ///< n, s

  /// Throws std::invalid_argument for sizes that differ and periods that are not positive.
  JointReference at(double time) const {
    if (amplitudes.size() != periods.size() || !(periods.array() > 0).all())
      throw std::invalid_argument("SineExcitation: " + to_text(amplitudes.size()) + " amplitudes, " +
                                  to_text(periods.size()) + " periods; the periods must be positive");
    const Eigen::ArrayXd rate = 2 * std::numbers::pi / periods.array(), phase = rate * time;
    return {.q = amplitudes.array() * phase.sin(),
            .qd = amplitudes.array() * rate * phase.cos(),
            .qdd = -amplitudes.array() * rate.square() * phase.sin()};
  }
};

}  // namespace quoin::identification
