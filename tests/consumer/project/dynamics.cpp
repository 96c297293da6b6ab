// SPDX-License-Identifier: BSD-3-Clause
// A sampled drive, 1 / (s + 1): compiled alone, linked with the component alone.
#include <quoin/robots/dynamics/linear_system.hpp>

#include <cmath>

int main() {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, 1);
  const quoin::LinearSystem sampled = quoin::discretized({-one, one, one, 0 * one, 0}, 0.1);
  const Eigen::MatrixXd y = quoin::simulate(sampled, Eigen::MatrixXd::Ones(1, 11));
  return std::abs(y(0, 10) - (1 - std::exp(-1.0))) < 1e-12 ? 0 : 1;
}
