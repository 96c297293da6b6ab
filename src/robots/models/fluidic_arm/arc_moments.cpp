// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/arc_moments.hpp"

#include <cmath>

namespace quoin::fluidic_arm {

ArcMoments arc_moments(double angle) {
  const std::complex<double> turn(std::cos(angle), std::sin(angle)), i_angle(0, angle);
  ArcMoments moments;
  // By parts, j F_{j-1} = e^{i angle} - i angle F_j. Going up in j divides by the angle, going down never does.
  if (std::abs(angle) > 1.5) {
    moments.f0 = (turn - 1.) / i_angle;
    moments.f1 = (turn - moments.f0) / i_angle;
    moments.f2 = (turn - 2. * moments.f1) / i_angle;
    moments.f3 = (turn - 3. * moments.f2) / i_angle;
    return moments;
  }
  // F_3 = sum over k of (i angle)^k / (k! (k + 4)); at 1.5 the first term left out is below 1e-16.
  const double square = angle * angle;
  double even = 1, odd = angle, real = 0, imaginary = 0;
  for (int k = 0; k <= 18; k += 2) {
    real += even / (k + 4);
    imaginary += odd / (k + 5);
    even *= -square / ((k + 1) * (k + 2));
    odd *= -square / ((k + 2) * (k + 3));
  }
  moments.f3 = {real, imaginary};
  moments.f2 = (turn - i_angle * moments.f3) / 3.;
  moments.f1 = (turn - i_angle * moments.f2) / 2.;
  moments.f0 = turn - i_angle * moments.f1;
  return moments;
}

}  // namespace quoin::fluidic_arm
