// SPDX-License-Identifier: BSD-3-Clause
// The arm of the compiled component, called from a program that may be compiled for another processor.
#include <quoin/models/soft_arm/beam.hpp>
#include <quoin/models/soft_arm/statics.hpp>
#include <quoin/quoin.hpp>

#include <cstdio>

int main() {
  using namespace quoin::soft_arm;
  const Statics<2> statics{SoftArm<2>{make_beam<2>()}};
  static_assert(quoin::DifferentiableMap<Statics<2>, 2>);
  const quoin::Point<2> alpha(0.8, 0.1), change(0.01, -0.02);
  Eigen::VectorXd y, y_plus, y_minus;
  Eigen::MatrixXd J;
  statics.evaluate(alpha, y, J);
  statics.evaluate(alpha + change, y_plus);
  statics.evaluate(alpha - change, y_minus);
  const double error = (y_plus - y_minus - 2 * J * change).norm();
  const bool ok = y.size() == statics.output_size() && J.rows() == y.size() && J.cols() == 2 &&
                  error < 1e-3 * (y_plus - y_minus).norm();
  if (!ok) std::printf("FAILED: the Jacobian misses a central difference by %g\n", error);
  return !ok;
}
