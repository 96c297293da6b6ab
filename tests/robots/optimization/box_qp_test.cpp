// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/box_qp.hpp"
#include "testing/robots/random_matrix.hpp"

#include <catch2/catch.hpp>

#include <Eigen/QR>

#include <cmath>
#include <random>

using namespace quoin::optimization;
using namespace quoin::planning::test;

namespace {

/// Largest violation of the optimality conditions: x = clamp(x - gradient).
double optimality(const Matrix& H, const Vector& g, const Vector& lower, const Vector& upper, const Vector& x) {
  return (x - (x - H * x - g).cwiseMax(lower).cwiseMin(upper)).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("box QP satisfies its optimality conditions on random problems of 1 to 60 unknowns") {
  std::mt19937 generator(7);
  BoxQp qp;
  int with_active = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int size = 1 + trial % 60;
    const Matrix root = random_matrix(generator, size, size);
    const Matrix H = root * root.transpose() + 1e-3 * Matrix::Identity(size, size);
    const Vector g = random_matrix(generator, size, 1);
    const Vector lower = -0.5 * random_matrix(generator, size, 1).cwiseAbs();
    const Vector upper = 0.5 * random_matrix(generator, size, 1).cwiseAbs();
    Vector x = random_matrix(generator, size, 1);
    REQUIRE(qp.solve(H, g, lower, upper, x) == BoxQpStatus::optimal);
    CHECK(optimality(H, g, lower, upper, x) < 1e-10 * (1 + H.norm()));
    CHECK((x.array() >= lower.array()).all());
    CHECK((x.array() <= upper.array()).all());
    CHECK(qp.iterations() <= 60);
    with_active += qp.free().size() < static_cast<std::size_t>(size);
  }
  CHECK(with_active > 200);
}

TEST_CASE("box QP without bounds is the linear solve, and solve_free inverts the Hessian") {
  std::mt19937 generator(8);
  const Matrix root = random_matrix(generator, 6, 6);
  const Matrix H = root * root.transpose() + Matrix::Identity(6, 6);
  const Vector g = random_matrix(generator, 6, 1), infinite = Vector::Constant(6, 1e300);
  Vector x = Vector::Zero(6);
  BoxQp qp;
  REQUIRE(qp.solve(H, g, -infinite, infinite, x) == BoxQpStatus::optimal);
  CHECK((H * x + g).norm() < 1e-13);
  Matrix inverse = Matrix::Identity(6, 6);
  qp.solve_free(inverse);
  CHECK((H * inverse - Matrix::Identity(6, 6)).norm() < 1e-13);
}

TEST_CASE("box QP with coinciding bounds keeps the variable there and frees the rest") {
  const Matrix H = (Matrix(2, 2) << 2, 1, 1, 2).finished();
  const Vector g = Vector::Constant(2, -1), lower = (Vector(2) << 0.25, -9).finished(),
               upper = (Vector(2) << 0.25, 9).finished();
  Vector x = Vector::Zero(2);
  BoxQp qp;
  REQUIRE(qp.solve(H, g, lower, upper, x) == BoxQpStatus::optimal);
  CHECK(x[0] == 0.25);
  CHECK(x[1] == Approx(0.375).epsilon(1e-14));
}

TEST_CASE("box QP says that a Hessian is indefinite on the free variables") {
  const Matrix H = (Matrix(2, 2) << 1, 0, 0, -1).finished();
  Vector x = Vector::Zero(2);
  BoxQp qp;
  CHECK(qp.solve(H, Vector::Ones(2), Vector::Constant(2, -9), Vector::Constant(2, 9), x) == BoxQpStatus::indefinite);
  CHECK_THROWS_AS(qp.solve(H, Vector::Ones(3), Vector::Zero(2), Vector::Zero(2), x), std::invalid_argument);
  qp.max_iterations = -1;
  CHECK_THROWS_WITH(qp.solve(H, Vector::Ones(2), Vector::Zero(2), Vector::Zero(2), x),
                    Catch::Contains("max_iterations = -1"));
}

TEST_CASE("box QP says optimal of an ill-conditioned Hessian only where it is, and finds the optimum") {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> uniform;
  BoxQp qp;
  for (const double decades : {3., 6., 9.})
    for (int trial = 0; trial < 2000; ++trial) {
      const int size = 2 + trial % 7;
      const Matrix Q = Eigen::HouseholderQR<Matrix>(random_matrix(generator, size, size)).householderQ();
      const Vector values = Vector::NullaryExpr(size, [&] { return std::pow(10, -decades * uniform(generator)); });
      Matrix H = Q * values.asDiagonal() * Q.transpose();
      H = (0.5 * (H + H.transpose())).eval();
      const Vector g =
          trial % 3 ? Vector(H * random_matrix(generator, size, 1)) : Vector(random_matrix(generator, size, 1));
      Vector lower(size), upper(size);
      for (int i = 0; i < size; ++i) {
        lower[i] = uniform(generator) < 0.3 ? -1e30 : uniform(generator) < 0.3 ? 0 : -uniform(generator);
        upper[i] = uniform(generator) < 0.3 ? 1e30 : uniform(generator) < 0.2 ? 0 : uniform(generator);
      }
      Vector x = Vector::Zero(size);
      CAPTURE(decades, trial, size);
      REQUIRE(qp.solve(H, g, lower, upper, x) == BoxQpStatus::optimal);
      // No gradient leads into the box but for the rounding of the sums that it is made of.
      const Vector gradient = g + H * x, sums = g.cwiseAbs() + H.cwiseAbs() * x.cwiseAbs();
      for (int i = 0; i < size; ++i) {
        const bool pressed = gradient[i] > 0 ? x[i] <= lower[i] : x[i] >= upper[i];
        if (!pressed) CHECK(std::abs(gradient[i]) <= 1e-12 * sums[i]);
      }
    }
}
