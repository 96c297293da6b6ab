// SPDX-License-Identifier: BSD-3-Clause
#include "leverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace quoin::identification::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Leverage::Leverage(MatrixXd seen, MatrixXd back) : seen_(std::move(seen)), back_(std::move(back)) {
  // A number that alone tells of a parameter has no error but rounding.
  left_ = (1 - seen_.rowwise().squaredNorm().array()).max(1e-9);
}

double Leverage::deviation(Index j, const VectorXd& errors) const {
  return influence(j).cwiseProduct(errors).cwiseQuotient(left_.cwiseSqrt()).norm();
}

// The estimate's variance is a quadratic form of errors; it is taken for the chi^2 of the same mean and variance, for
// errors of one size.
double Leverage::degrees_of_freedom(Index j) const {
  const VectorXd squares = influence(j).cwiseAbs2(), weights = squares.cwiseQuotient(left_);
  const MatrixXd shared = seen_.transpose() * weights.asDiagonal() * seen_;
  const double mean = squares.sum(),
               half_variance = (weights.array().square() * (2 * left_.array() - 1)).sum() + shared.squaredNorm();
  return std::min(mean * mean / half_variance, static_cast<double>(seen_.rows() - seen_.cols()));
}

}  // namespace quoin::identification::detail
