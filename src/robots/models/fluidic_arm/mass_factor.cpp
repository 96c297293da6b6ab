// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/detail/mass_factor.hpp"

namespace quoin::fluidic_arm::detail {

bool MassFactor::compute(const Eigen::Ref<const Eigen::MatrixXd>& M) {
  if (!(M.diagonal().array() > 0).all() || !M.allFinite()) return false;
  root_ = M.diagonal().cwiseSqrt();
  Eigen::MatrixXd scaled = M;
  for (Eigen::Index j = 0; j < M.cols(); ++j) scaled.col(j).array() /= root_.array() * root_[j];
  factor_.compute(scaled);
  return factor_.info() == Eigen::Success && factor_.rcond() > 3e-11;
}

Eigen::MatrixXd MassFactor::solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const {
  Eigen::MatrixXd X = B.array().colwise() / root_.array();
  factor_.solveInPlace(X);
  X.array().colwise() /= root_.array();
  return X;
}

}  // namespace quoin::fluidic_arm::detail
