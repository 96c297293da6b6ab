// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/soft_arm/shape_basis.hpp"

#include "quoin/core/to_text.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>

namespace quoin::soft_arm {

namespace {

std::string shape_of(const Eigen::MatrixXd& m) { return to_text(m.rows()) + " x " + to_text(m.cols()); }

void check_size(const char* function, Eigen::Index size, Eigen::Index wanted) {
  if (size != wanted) {
    throw std::invalid_argument(std::string("ShapeBasis::") + function + ": size " + to_text(size) + ", wanted " +
                                to_text(wanted));
  }
}

}  // namespace

ShapeBasis::ShapeBasis(const Eigen::MatrixXd& samples, const Eigen::VectorXd& mass, const Eigen::VectorXd& reference,
                       double tolerance)
    : mass_(mass), reference_(reference) {
  const Eigen::Index n = reference.size();
  if (n < 1 || mass.size() != n || samples.rows() != n || samples.cols() < 1) {
    throw std::invalid_argument("ShapeBasis: samples " + shape_of(samples) + ", " + to_text(mass.size()) +
                                " masses, a reference of size " + to_text(n));
  }
  if (!(mass.minCoeff() > 0)) throw std::invalid_argument("ShapeBasis: a mass of " + to_text(mass.minCoeff()));
  if (!(tolerance > 0 && tolerance < 1)) {
    throw std::invalid_argument("ShapeBasis: tolerance " + to_text(tolerance) + " is not between 0 and 1");
  }
  if (!samples.allFinite()) throw std::invalid_argument("ShapeBasis: a sample is not finite");
  if (samples.isZero(0)) throw std::invalid_argument("ShapeBasis: all samples are zero");

  const Eigen::VectorXd root = mass.cwiseSqrt();
  Eigen::MatrixXd vectors;  // orthonormal columns: the left singular vectors of sqrt(M) samples
  if (samples.cols() < n) {
    // Singular vectors of the small factor alone: a Gram matrix would lose everything below 1e-8.
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(root.asDiagonal() * samples);
    const Eigen::Index s = samples.cols();
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(Eigen::MatrixXd(qr.matrixQR().topRows(s).triangularView<Eigen::Upper>()),
                                             Eigen::ComputeThinU);
    singular_values_ = svd.singularValues();
    vectors = Eigen::MatrixXd::Zero(n, s);
    vectors.topRows(s) = svd.matrixU();
    vectors.applyOnTheLeft(qr.householderQ());
  } else {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(root.asDiagonal() * samples, Eigen::ComputeThinU);
    singular_values_ = svd.singularValues();
    vectors = svd.matrixU();
  }
  Eigen::Index rank = 0;
  while (rank < singular_values_.size() && singular_values_[rank] > tolerance * singular_values_[0]) ++rank;
  shapes_ = root.cwiseInverse().asDiagonal() * vectors.leftCols(rank);
}

Eigen::VectorXd ShapeBasis::coordinates(const Eigen::VectorXd& f) const {
  check_size("coordinates", f.size(), output_size());
  return shapes_.transpose() * mass_.cwiseProduct(f - reference_);
}

Eigen::VectorXd ShapeBasis::shape(const Eigen::VectorXd& q) const {
  check_size("shape", q.size(), size());
  return reference_ + shapes_ * q;
}

double ShapeBasis::remainder(const Eigen::VectorXd& f) const {
  check_size("remainder", f.size(), output_size());
  const auto norm = [&](const Eigen::VectorXd& v) { return std::sqrt(v.dot(mass_.cwiseProduct(v))); };
  const double moved = norm(f - reference_);
  return moved > 0 ? norm(f - shape(coordinates(f))) / moved : 0;
}

Eigen::MatrixXd ShapeBasis::functional(Eigen::Index lines, const Eigen::MatrixXd& more) const {
  const Eigen::Index n = output_size(), r = size();
  if (lines < 0 || (more.size() > 0 && more.cols() != n + lines)) {
    throw std::invalid_argument("ShapeBasis::functional: " + to_text(lines) + " lines and further rows " +
                                shape_of(more) + " for shapes of size " + to_text(n));
  }
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(r + lines + more.rows(), n + lines);
  rows.topLeftCorner(r, n) = shapes_.transpose() * mass_.asDiagonal();
  rows.block(r, n, lines, lines).setIdentity();
  if (more.size() > 0) rows.bottomRows(more.rows()) = more;
  return rows;
}

}  // namespace quoin::soft_arm
