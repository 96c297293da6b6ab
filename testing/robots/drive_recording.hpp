// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/bretschneider_wave.hpp"
#include "testing/robots/drive.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <random>

namespace quoin::identification::test {

constexpr double sample_time = 0.01;  // s

inline Eigen::MatrixXd wave_input(std::uint64_t seed, Eigen::Index samples = 1000) {
  const BretschneiderWave wave({.significant_height = 2, .seed = seed});  // V_max = 1
  return Eigen::MatrixXd::NullaryExpr(1, samples,
                                      [&](Eigen::Index, Eigen::Index k) { return wave.at(sample_time * k); });
}

inline Eigen::MatrixXd noisy(const Eigen::MatrixXd& y, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  return y + Eigen::MatrixXd::NullaryExpr(y.rows(), y.cols(), [&] { return normal(random); });
}

}  // namespace quoin::identification::test
