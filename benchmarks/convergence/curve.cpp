// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/convergence/curve.hpp"

#include <Eigen/Core>

#include <iterator>

namespace benchmarks {

double fitted_order(const std::vector<double>& spacings, const std::vector<double>& errors) {
  const Eigen::ArrayXd h = Eigen::Map<const Eigen::ArrayXd>(spacings.data(), std::ssize(spacings)).log();
  const Eigen::ArrayXd e = Eigen::Map<const Eigen::ArrayXd>(errors.data(), std::ssize(errors)).log();
  return ((h - h.mean()) * (e - e.mean())).sum() / (h - h.mean()).square().sum();
}

}  // namespace benchmarks
