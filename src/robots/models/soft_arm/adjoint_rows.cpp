// SPDX-License-Identifier: BSD-3-Clause
#include "adjoint_rows.hpp"

#include <Eigen/QR>

#include <algorithm>

namespace quoin::soft_arm {

void AdjointRows::add(const Eigen::VectorXd& row, Eigen::Index index) {
  if (rank_ == here_.cols()) {
    const Eigen::Index room = std::max<Eigen::Index>(64, 2 * rank_);
    static_assert(64 % together == 0);
    here_.conservativeResizeLike(Columns::Zero(size_, room));
    earlier_.conservativeResizeLike(Columns::Zero(size_, room));
  }
  if (rank_ >= coefficients_.rows() || rows() >= coefficients_.cols())
    coefficients_.conservativeResize(std::max(here_.cols(), coefficients_.rows()),
                                     std::max<Eigen::Index>(64, 2 * rows()));
  coefficients_.row(rank_).head(rows()).setZero();
  coefficients_.col(rows()).head(rank_).setZero();
  coefficients_(rank_, rows()) = 1;
  here_.col(rank_) = row;
  earlier_.col(rank_).setZero();
  ++rank_;
  indices_.push_back(index);
}

// With the columns W = Q R and coefficients C, the rows are Q (R C). A pivoted factorization (R C) S = P T of these,
// with S the scales that make every row as long as 1, shows in the columns of T's lower part what each row loses.
void AdjointRows::compress(const Eigen::VectorXd& weights, double tolerance) {
  if (!(tolerance > 0) || rank_ <= compress_beyond_) return;
  Eigen::MatrixXd stacked(2 * size_, rank_);
  stacked << weights.asDiagonal() * here_.leftCols(rank_), earlier_.leftCols(rank_);
  const Eigen::HouseholderQR<Eigen::MatrixXd> columns(std::move(stacked));
  const Eigen::MatrixXd R =
      columns.matrixQR().topRows(std::min(rank_, 2 * size_)).template triangularView<Eigen::Upper>();
  Eigen::MatrixXd of_rows = R * coefficients_.topLeftCorner(rank_, rows());
  const Eigen::RowVectorXd lengths = of_rows.colwise().norm();
  of_rows *= lengths.unaryExpr([](double length) { return length > 0 ? 1 / length : 0.0; }).asDiagonal();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted(of_rows);
  const Eigen::MatrixXd T = pivoted.matrixR().template triangularView<Eigen::Upper>();
  Eigen::VectorXd lost = Eigen::VectorXd::Zero(T.cols());  // squared, of each row
  Eigen::Index kept = T.rows();
  for (; kept > 0; --kept) {
    lost += T.row(kept - 1).cwiseAbs2().transpose();
    if (lost.maxCoeff() > tolerance * tolerance) break;
  }
  compress_beyond_ = std::max(fewest, 3 * kept / 2);
  if (kept == rank_) return;
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(2 * size_, kept);
  basis.topRows(T.rows()) = pivoted.householderQ() * Eigen::MatrixXd::Identity(T.rows(), kept);
  basis.applyOnTheLeft(columns.householderQ());
  here_.leftCols(kept) = weights.cwiseInverse().asDiagonal() * basis.topRows(size_);
  earlier_.leftCols(kept) = basis.bottomRows(size_);
  const Eigen::MatrixXd in_order = T.topRows(kept) * pivoted.colsPermutation().transpose();
  coefficients_.topLeftCorner(kept, rows()) = in_order * lengths.asDiagonal();
  rank_ = kept;
}

}  // namespace quoin::soft_arm
