// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <numbers>

namespace quoin::identification {

/// The spectrum of a random wave, and how it is drawn.
struct BretschneiderOptions {
  int waves = 50;                                ///< W, sinusoids
  double peak_frequency = 2 * std::numbers::pi;  ///< omega_p, rad/s
  double significant_height = 2;  ///< zeta, four deviations of the wave: 2 V_max gives a deviation of V_max / 2
  double lowest = 0.4;            ///< of the band, as a multiple of the peak frequency
  double highest = 4;             ///< likewise; 99.5 % of the spectrum's variance lies in this band
  std::uint64_t seed = 1;         ///< of frequencies and phases
};

/// A random reference that excites a drive around a frequency, as the sea does a ship (Marchese, Tedrake, Rus 2015,
/// Eqs. 18 and 19):
///
///     u(t) = sum_w a_w sin(omega_w t + phi_w),
///     S(omega) = 1.25/4 omega_p^4 / omega^5 zeta^2 exp(-1.25 (omega_p / omega)^4),   a_w = sqrt(2 S(omega_w) d omega)
///
///     BretschneiderWave wave({.significant_height = 2 * max_volume, .seed = trial});
///     double u = wave.at(t), du_dt = wave.rate(t);
///
/// The paper leaves the draw open: the band is cut into W parts of equal width d omega, omega_w is uniform in part w,
/// the amplitude is the spectrum's there, phases are uniform in [0, 2 pi). The frequencies have no common multiple: the
/// wave does not repeat. Its variance is sum a_w^2 / 2, about zeta^2 / 16. It exceeds zeta / 2 about 4.6 % of the time:
/// clip it where that must not be. The numbers are the same with every standard library, up to the last digits of exp
/// and sin. Throws std::invalid_argument for waves < 1, and for numbers or a band that are not positive.
class BretschneiderWave {
 public:
  /// Draws the frequencies and phases.
  explicit BretschneiderWave(const BretschneiderOptions& options = {});

  /// u, in the units of significant_height, at a time in s.
  double at(double time) const;
  /// Du/dt at a time in s.
  double rate(double time) const;
  /// Over all time: sum a_w^2 / 2.
  double variance() const { return 0.5 * amplitudes_.square().sum(); }

  /// a_w, in the order of the frequencies.
  const Eigen::ArrayXd& amplitudes() const { return amplitudes_; }
  const Eigen::ArrayXd& frequencies() const { return frequencies_; }  ///< rad/s, ascending
  /// phi_w, rad, in the order of the frequencies.
  const Eigen::ArrayXd& phases() const { return phases_; }

 private:
  Eigen::ArrayXd amplitudes_, frequencies_, phases_;
};

/// S+ of Eq. 19; 0 at frequencies that are not positive. Its integral from 0 to omega is
/// zeta^2 / 16 exp(-1.25 (omega_p / omega)^4).
double bretschneider_spectrum(double frequency, double peak_frequency, double significant_height);

}  // namespace quoin::identification
