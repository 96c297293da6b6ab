// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/output_error.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>

/// What disturbs measured points of two coordinates, and how well a fit takes it.
namespace quoin::test {

enum class NoiseLaw { normal, growing, heavy_tails, outliers };
inline constexpr auto noise_laws = {NoiseLaw::normal, NoiseLaw::growing, NoiseLaw::heavy_tails, NoiseLaw::outliers};
inline const char* name_of(NoiseLaw law) {
  return law == NoiseLaw::normal        ? "normal"
         : law == NoiseLaw::growing     ? "growing"
         : law == NoiseLaw::heavy_tails ? "heavy tails"
                                        : "outliers";
}

/// Independent from point to point, isotropic, of about this size.
inline Eigen::MatrixXd noise_of(NoiseLaw law, double scale, Eigen::Index frames, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Eigen::MatrixXd noise(2, frames);
  for (Eigen::Index i = 0; i < frames; ++i) {
    double size = scale;
    if (law == NoiseLaw::growing) size *= 0.3 + 2.7 * static_cast<double>(i) / static_cast<double>(frames);
    if (law == NoiseLaw::heavy_tails)
      size /= std::sqrt((std::pow(normal(random), 2) + std::pow(normal(random), 2)) / 2);
    if (law == NoiseLaw::outliers && uniform(random) < 0.08) size *= 20;
    noise.col(i) << size * normal(random), size * normal(random);
  }
  return noise;
}

/// How many intervals of fits were given, and how many of these hold the truth.
struct Coverage {
  int held = 0, intervals = 0;

  void add(const identification::OutputErrorFit& fit, const Eigen::VectorXd& truth) {
    for (Eigen::Index j = 0; j < truth.size(); ++j) {
      if (std::isinf(fit.margins[j])) continue;
      ++intervals;
      held += std::abs(fit.p[j] - truth[j]) <= fit.margins[j];
    }
  }
  double share() const { return static_cast<double>(held) / intervals; }
};

}  // namespace quoin::test
