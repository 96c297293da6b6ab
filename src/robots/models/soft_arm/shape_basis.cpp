// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/shape_basis.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>
#include <utility>

namespace quoin::soft_arm {

namespace {

std::string shape_of(const Eigen::MatrixXd& m) { return shape_text(m); }

void check_size(const char* function, Eigen::Index size, Eigen::Index wanted) {
  if (size != wanted) {
    throw std::invalid_argument(std::string("ShapeBasis::") + function + ": size " + to_text(size) + ", wanted " +
                                to_text(wanted));
  }
}

void check_tolerance(double tolerance) {
  if (!(tolerance > 0 && tolerance < 1))
    throw std::invalid_argument("ShapeBasis: tolerance " + to_text(tolerance) + " is not between 0 and 1");
}

struct Singular {
  Eigen::VectorXd values;   // descending
  Eigen::MatrixXd vectors;  // orthonormal columns, on the left

  auto above(double least) const {
    Eigen::Index rank = 0;
    while (rank < values.size() && values[rank] > least) ++rank;
    return vectors.leftCols(rank);
  }
};

// Of the columns, pivoted, only those not far below `least` come to the slow decomposition, of a small triangle. A Gram
// matrix would lose everything below 1e-8.
Singular singular_vectors(const Eigen::MatrixXd& samples, double least) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(samples);
  const Eigen::VectorXd pivots = qr.matrixQR().diagonal().cwiseAbs();
  Eigen::Index rank = 1;
  while (rank < pivots.size() && pivots[rank] > 1e-6 * least) ++rank;
  const Eigen::MatrixXd triangle = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(triangle.transpose(), Eigen::ComputeThinV);
  Eigen::MatrixXd vectors = Eigen::MatrixXd::Zero(samples.rows(), rank);
  vectors.topRows(rank) = svd.matrixV();
  vectors.applyOnTheLeft(qr.householderQ());
  return {svd.singularValues(), std::move(vectors)};
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
  for (const double m : mass)
    if (!(m > 0)) throw std::invalid_argument("ShapeBasis: a mass of " + to_text(m));
  check_tolerance(tolerance);
  if (!samples.allFinite()) throw std::invalid_argument("ShapeBasis: a sample is not finite");
  if (samples.isZero(0)) throw std::invalid_argument("ShapeBasis: all samples are zero");

  const Eigen::VectorXd root = mass.cwiseSqrt();
  const Eigen::MatrixXd weighted = root.asDiagonal() * samples;
  const Singular singular =
      singular_vectors(weighted, tolerance * std::sqrt(weighted.colwise().squaredNorm().maxCoeff()));
  singular_values_ = singular.values;
  shapes_ = root.cwiseInverse().asDiagonal() * singular.above(tolerance * singular_values_[0]);
}

ShapeBasis ShapeBasis::grown(const Eigen::MatrixXd& samples, double tolerance) const {
  if (samples.rows() != output_size())
    throw std::invalid_argument("ShapeBasis::grown: samples " + shape_of(samples) + " for shapes of size " +
                                to_text(output_size()));
  check_tolerance(tolerance);
  if (!samples.allFinite()) throw std::invalid_argument("ShapeBasis::grown: a sample is not finite");

  const double least = tolerance * singular_values_[0];
  const Eigen::VectorXd root = mass_.cwiseSqrt();
  const Eigen::MatrixXd known = root.asDiagonal() * shapes_;
  Eigen::MatrixXd missed = root.asDiagonal() * samples;
  missed -= known * (known.transpose() * missed);
  Eigen::Index used = 0;
  for (Eigen::Index c = 0; c < missed.cols(); ++c)
    if (missed.col(c).norm() > least) missed.col(used++) = missed.col(c);
  ShapeBasis larger = *this;
  if (used == 0) return larger;
  Eigen::MatrixXd further = singular_vectors(missed.leftCols(used), least).above(least);
  // A second time: the missed parts are small compared with the samples, so rounding matters
  further -= known * (known.transpose() * further);
  larger.shapes_.resize(output_size(), size() + further.cols());
  larger.shapes_ << shapes_, root.cwiseInverse().asDiagonal() * further;
  return larger;
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
