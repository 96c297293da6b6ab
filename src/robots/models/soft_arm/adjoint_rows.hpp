// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::soft_arm {

/// The adjoints of many rows on their way back through the steps of a motion, each a combination of a few columns that
/// are propagated for all of them: what damping and implicit Euler leave of the rows is soon of low rank.
///
/// A column is a pair: what it asks of the position where the sweep has come to, and of the one before. In a step the
/// first is replaced by the solution y with the step's matrix.
class AdjointRows {
 public:
  using Columns = TileCholesky::RowMatrix;  ///< side by side in each row
  static constexpr Eigen::Index together = 8;
  static constexpr Eigen::Index fewest = 16;  ///< columns that are not worth a compression

  /// size: of a position.
  explicit AdjointRows(Eigen::Index size) : size_(size) {}

  /// Another row, that acts on the position where the sweep has come to. index: its own, for index() below.
  void add(const Eigen::VectorXd& row, Eigen::Index index);

  Eigen::Index rows() const { return static_cast<Eigen::Index>(indices_.size()); }
  Eigen::Index rank() const { return rank_; }
  Eigen::Index index(Eigen::Index row) const { return indices_[static_cast<std::size_t>(row)]; }

  auto here() { return here_.leftCols(rank_); }        ///< size x rank
  auto earlier() { return earlier_.leftCols(rank_); }  ///< size x rank
  /// here(), and numbers without meaning up to a multiple of `together` columns.
  auto padded_here() const { return here_.leftCols((rank_ + together - 1) / together * together); }
  /// What a product with the columns, rank x m, is for each row: rows x m.
  Eigen::MatrixXd combined(const Eigen::MatrixXd& of_columns) const {
    return coefficients_.topLeftCorner(rank_, rows()).transpose() * of_columns;
  }

  /// Replaces the columns by fewer, if there are many more than were left the last time. Each row's pair, stacked as
  /// [weights * here; earlier], changes by at most `tolerance` times its Euclidean length.
  void compress(const Eigen::VectorXd& weights, double tolerance);

 private:
  Eigen::Index size_;
  Columns here_, earlier_;        // with room for more columns than the rank
  Eigen::MatrixXd coefficients_;  // with room for more rows and columns
  Eigen::Index rank_ = 0, compress_beyond_ = fewest;
  std::vector<Eigen::Index> indices_;
};

}  // namespace quoin::soft_arm
