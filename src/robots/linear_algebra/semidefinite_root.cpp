// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/linear_algebra/semidefinite_root.hpp"

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>

namespace quoin::linear_algebra {
namespace {

constexpr double rounding = 1e-12;

}  // namespace

SemidefiniteRoot::SemidefiniteRoot(const Eigen::Ref<const Eigen::MatrixXd>& S, const std::string& what) {
  const Eigen::VectorXd sizes = S.diagonal().cwiseAbs().cwiseSqrt();
  const Eigen::VectorXd units = (sizes.array() > 0).select(sizes, 1.0);
  const Eigen::MatrixXd scaled = units.cwiseInverse().asDiagonal() * S * units.cwiseInverse().asDiagonal();
  const SymmetricEigen eigen(scaled);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const double least = values.minCoeff(), skew = (scaled - scaled.transpose()).cwiseAbs().maxCoeff();
  const double tolerance = rounding * values.cwiseAbs().maxCoeff();
  if (!(least >= -tolerance && skew <= tolerance))
    throw std::invalid_argument(what + " has an eigenvalue of " + to_text(least) +
                                " and differs from its transpose by " + to_text(skew) +
                                ", both where its diagonal is scaled to 1");
  rank_ = (values.array() > tolerance).count();
  const Eigen::ArrayXd roots = (values.array() > tolerance).select(values.array().max(0).sqrt(), 0.0);
  root_ = units.asDiagonal() * eigen.eigenvectors() * roots.matrix().asDiagonal();
  inverse_ = units.cwiseInverse().asDiagonal() * eigen.eigenvectors() *
             (roots > 0).select(roots.inverse(), 0.0).matrix().asDiagonal();
}

}  // namespace quoin::linear_algebra
