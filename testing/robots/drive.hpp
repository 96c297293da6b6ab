// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/linear_system.hpp"

#include <numbers>

namespace quoin::test {

/// A position-controlled drive: 3 Hz, damping ratio 0.6, gain 0.95.
inline LinearSystem drive() {
  using Eigen::MatrixXd;
  const double w = 2 * std::numbers::pi * 3;
  return {MatrixXd{{0, 1}, {-w * w, -2 * 0.6 * w}}, MatrixXd{{0}, {0.95 * w * w}}, MatrixXd{{1, 0}}, MatrixXd{{0}}, 0};
}

}  // namespace quoin::test
