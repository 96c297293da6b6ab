// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

namespace quoin::rigid_body::detail {

/// Beyond it the reduction to a quarter turn loses digits.
inline constexpr double largest_angle = 1e5;

/// Sine and cosine of an angle of at most `largest_angle`, without a branch, so that loops over it vectorize: the angle
/// less whole quarter turns (three parts of pi/2, as in fdlibm), then fdlibm's polynomials on [-pi/4, pi/4].
inline void sine_cosine(double angle, double& sine, double& cosine) {
  constexpr double two_over_pi = 6.36619772367581382433e-01, whole = 6755399441055744.0;  // 1.5 * 2^52 rounds
  constexpr double pi_2[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21};
  const double shifted = angle * two_over_pi + whole;
  const double quarters = shifted - whole;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double x = ((angle - quarters * pi_2[0]) - quarters * pi_2[1]) - quarters * pi_2[2];
  const double z = x * x;
  double s = 1.58969099521155010221e-10;
  s = s * z - 2.50507602534068634195e-08;
  s = s * z + 2.75573137070700676789e-06;
  s = s * z - 1.98412698298579493134e-04;
  s = s * z + 8.33333333332248946124e-03;
  s = s * z - 1.66666666666666324348e-01;
  s = x + x * (z * s);
  double c = -1.13596475577881948265e-11;
  c = c * z + 2.08757232129817482790e-09;
  c = c * z - 2.75573143513906633035e-07;
  c = c * z + 2.48015872894767294178e-05;
  c = c * z - 1.38888888888741095749e-03;
  c = c * z + 4.16666666666666019037e-02;
  c = 1.0 - (0.5 * z - z * z * c);
  const auto sine_bits = std::bit_cast<std::uint64_t>(s), cosine_bits = std::bit_cast<std::uint64_t>(c);
  // Odd quadrants exchange the two; the sine is negated in the lower half plane, the cosine in the left one.
  const std::uint64_t odd = std::uint64_t{0} - (quadrant & 1);
  const std::uint64_t exchange = (sine_bits ^ cosine_bits) & odd;
  sine = std::bit_cast<double>((sine_bits ^ exchange) ^ ((quadrant & 2) << 62));
  cosine = std::bit_cast<double>((cosine_bits ^ exchange) ^ (((quadrant + 1) & 2) << 62));
}

}  // namespace quoin::rigid_body::detail
