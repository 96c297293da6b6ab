// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/linear_algebra/pivoted_lu.hpp"
#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using quoin::linear_algebra::PivotedLu;

namespace {

MatrixXd drawn(std::mt19937& random, Eigen::Index rows, Eigen::Index columns) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

}  // namespace

TEST_CASE("pivoted factors solve drawn systems as Eigen's do, of all sizes and of any condition") {
  std::mt19937 random(1);
  PivotedLu lu;
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Index n = 1 + trial % PivotedLu::max_size;
    MatrixXd A = drawn(random, n, n);
    for (Eigen::Index i = 0; i < n; ++i) A.row(i) *= std::exp2(std::uniform_int_distribution(-20, 20)(random));
    const MatrixXd B = drawn(random, n, 3);
    MatrixXd X = B;
    lu.compute(A);
    REQUIRE(lu.is_invertible());
    lu.solve_in_place(X);
    const MatrixXd expected = A.fullPivLu().solve(B);
    INFO("size " << n << ", trial " << trial);
    // both are exact of a matrix that is off by some roundings of the largest entry
    const double size = A.cwiseAbs().maxCoeff() * expected.cwiseAbs().maxCoeff();
    CHECK((A * X - B).cwiseAbs().maxCoeff() <= 1e-13 * size);
  }
}

TEST_CASE("pivoted factors know the rank of drawn matrices as Eigen's do") {
  std::mt19937 random(2);
  PivotedLu lu;
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Index n = 2 + trial % 7,
                       rank = trial % 2 ? n : std::uniform_int_distribution<Eigen::Index>(0, n)(random);
    const MatrixXd A = drawn(random, n, rank) * drawn(random, rank, n);
    lu.compute(A);
    CHECK(lu.is_invertible() == (rank == n));
    CHECK(lu.is_invertible() == A.fullPivLu().isInvertible());
  }
  MatrixXd A = MatrixXd::Identity(3, 3);
  A(2, 2) = 1e-3;
  lu.compute(A);
  CHECK(lu.is_invertible(1e-4));
  CHECK(!lu.is_invertible(1e-2));
  A(1, 1) = std::numeric_limits<double>::quiet_NaN();
  lu.compute(A);
  CHECK(!lu.is_invertible());
}

TEST_CASE("pivoted factors refuse what does not fit") {
  PivotedLu lu;
  CHECK_THROWS_AS(lu.compute(MatrixXd::Zero(2, 3)), std::invalid_argument);
  CHECK_THROWS_AS(lu.compute(MatrixXd::Zero(25, 25)), std::invalid_argument);
}

TEST_CASE("symmetric eigenvalues and vectors of drawn matrices are Eigen's, ascending, of the lower triangle") {
  std::mt19937 random(4);
  for (Eigen::Index n = 1; n <= 9; ++n) {
    MatrixXd A = drawn(random, n, n);
    A = (A + A.transpose()).eval();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> expected(A);
    for (Eigen::Index j = 1; j < n; ++j) A.col(j).head(j).setConstant(7);  // is not read
    const quoin::linear_algebra::SymmetricEigen eigen(A);
    CHECK(eigen.eigenvalues() == expected.eigenvalues());
    CHECK(eigen.eigenvectors() == expected.eigenvectors());
  }
}
