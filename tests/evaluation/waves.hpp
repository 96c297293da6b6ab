// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace quoin::test {

/// A pure function of two variables with three outputs; jet: 3 x 3, values and Jacobian, column by column.
inline void waves(const double* x, double* jet) {
  for (int i = 0; i < 3; ++i) {
    const double phase = 0.7 * x[0] - 0.4 * x[1] + i;
    jet[i] = std::sin(phase);
    jet[3 + i] = 0.7 * std::cos(phase);
    jet[6 + i] = -0.4 * std::cos(phase);
  }
}

}  // namespace quoin::test
