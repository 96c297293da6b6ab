// SPDX-License-Identifier: BSD-3-Clause
#include <quoin/robots/identification/physical_consistency.hpp>

int main() {
  using namespace quoin::identification;
  Eigen::MatrixXd derivative;
  const LinearParameters ball =
      linear_parameters(InertiaForm::covariance, Eigen::VectorXd::Constant(10, 0.5), {}, derivative);
  return physical_consistency(ball).consistent && derivative.cols() == 10 ? 0 : 1;
}
