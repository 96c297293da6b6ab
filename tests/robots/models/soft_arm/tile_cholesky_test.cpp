// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Cholesky>

#include <random>

using quoin::soft_arm::TileCholesky;

namespace {

// A random symmetric matrix, diagonally dominant, with a few entries far from the diagonal.
Eigen::SparseMatrix<double> random_lower(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int> index(0, n - 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 12 + value(random));
  for (int i = 0; i < 3 * n; ++i) {
    const int a = index(random), b = std::max(0, a - index(random) % 9);
    if (a != b) entries.emplace_back(a, b, value(random));
  }
  for (int i = 0; i < 5; ++i) {
    const int a = index(random), b = index(random);
    if (a != b) entries.emplace_back(std::max(a, b), std::min(a, b), value(random));
  }
  Eigen::SparseMatrix<double> lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  lower.makeCompressed();
  return lower;
}

}  // namespace

TEST_CASE("TileCholesky solves as a dense factorization does, at any size") {
  for (const int n : {1, 7, 8, 9, 64, 131}) {
    const auto lower = random_lower(n, 40 + n);
    const Eigen::MatrixXd triangle = lower;
    const Eigen::MatrixXd dense = triangle.selfadjointView<Eigen::Lower>();
    TileCholesky cholesky(lower);
    REQUIRE(cholesky.factorize(lower));
    const Eigen::MatrixXd right =
        Eigen::MatrixXd::NullaryExpr(n, 5, [](auto i, auto j) { return std::sin(i + 7.0 * j); });
    Eigen::MatrixXd x = right;
    cholesky.solve(x);
    CHECK((x - dense.llt().solve(right)).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("TileCholesky solves any number of right-hand sides side by side, in a part of a matrix too") {
  for (const int n : {1, 8, 131}) {
    const auto lower = random_lower(n, 40 + n);
    TileCholesky cholesky(lower);
    REQUIRE(cholesky.factorize(lower));
    for (const int columns : {1, 4, 7, 10, 16, 20, 33}) {
      const TileCholesky::RowMatrix right =
          TileCholesky::RowMatrix::NullaryExpr(n, columns + 3, [](auto i, auto j) { return std::sin(i + 7.0 * j); });
      Eigen::MatrixXd one_by_one = right.leftCols(columns);
      cholesky.solve(one_by_one);
      TileCholesky::RowMatrix x = right;
      cholesky.solve_rows(x.leftCols(columns));
      CHECK((x.leftCols(columns) - one_by_one).cwiseAbs().maxCoeff() < 1e-13);
      CHECK(x.rightCols(3) == right.rightCols(3));
    }
  }
}

TEST_CASE("TileCholesky refuses matrices that are not positive definite or not finite, and a shift repairs them") {
  auto lower = random_lower(50, 1);
  TileCholesky cholesky(lower);
  lower.coeffRef(20, 20) = -3;
  CHECK_FALSE(cholesky.factorize(lower));
  CHECK(cholesky.factorize(lower, 10));
  lower.coeffRef(20, 20) = std::nan("");
  CHECK_FALSE(cholesky.factorize(lower));
}

TEST_CASE("TileCholesky refuses matrices of another pattern or shape") {
  const auto lower = random_lower(50, 1);
  TileCholesky cholesky(lower);
  CHECK_THROWS_AS(cholesky.factorize(random_lower(50, 2)), std::invalid_argument);
  Eigen::MatrixXd wrong(49, 1);
  CHECK_THROWS_AS(cholesky.solve(wrong), std::invalid_argument);
  CHECK_THROWS_AS(TileCholesky(Eigen::SparseMatrix<double>(3, 4)), std::invalid_argument);
}
