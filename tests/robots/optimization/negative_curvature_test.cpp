// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/optimization/dense_program.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace quoin::optimization;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

/// 1/2 z^T H z + g^T z.
DenseProgram quadratic(const Matrix& H, const Vector& g) {
  return {.start = Vector::Zero(g.size()), .objective = [H, g](const Vector& z, double& f, Vector& gradient) {
            gradient = H * z + g;
            f = 0.5 * z.dot(H * z) + g.dot(z);
            return true;
          }};
}

Vector direction_of(const DenseProgram& dense) {
  const NonlinearProgram program = nonlinear_program(dense);
  const NlpResult solved = solve_with_ipopt(program);
  REQUIRE(solved.stop == quoin::Stop::converged);
  const NegativeCurvature bends = negative_curvature(program, solved);
  REQUIRE(bends.computed);
  return bends.direction;
}

}  // namespace

TEST_CASE("a saddle's direction of negative curvature is found, and none where constraints or bounds hold it") {
  const Matrix H = Eigen::Vector2d(1, -1).asDiagonal();
  const Vector zero = Vector::Zero(2);
  const DenseProgram saddle = quadratic(H, zero);
  const Vector down = direction_of(saddle);
  REQUIRE(down.size() == 2);
  CHECK(std::abs(down[1]) == Approx(1));
  CHECK(std::abs(down[0]) < 0.7);

  DenseProgram held = saddle;
  held.constraint_lower = held.constraint_upper = Vector::Zero(1);
  held.constraints = [](const Vector& z, Vector& c, Matrix& jacobian) {
    c = z.tail(1);
    jacobian = Eigen::RowVector2d(0, 1);
    return true;
  };
  CHECK(direction_of(held).size() == 0);

  DenseProgram pressed = quadratic(H, Eigen::Vector2d(0, -1));  // y against its upper bound
  pressed.upper = Eigen::Vector2d(std::numeric_limits<double>::infinity(), 0.5);
  pressed.lower = Vector::Constant(2, -0.6);
  CHECK(direction_of(pressed).size() == 0);

  CHECK(direction_of(quadratic(Matrix::Identity(2, 2), zero)).size() == 0);
  CHECK(direction_of(quadratic(Eigen::Vector2d(1, 0).asDiagonal(), zero)).size() == 0);  // flat is no way down
}

TEST_CASE(
    "of drawn quadratic programs with equations those that bend down on their directions are told, no others, in any "
    "units of variables and rows") {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int saddles = 0;
  for (int draw = 0; draw < 400; ++draw) {
    const int n = 2 + draw % 9, m = draw % (n - 1);
    const bool moderate = draw < 200;
    const auto drawn = [&](int rows, int columns) {
      return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return uniform(generator); }));
    };
    Matrix A = drawn(m, n), root = drawn(n, n), H = root * root.transpose();
    H(0, 0) -= 3 * std::abs(uniform(generator));
    const Eigen::FullPivLU<Matrix> lu(m > 0 ? A : Matrix::Zero(1, n));
    const Matrix kernel = lu.kernel();
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix(kernel.transpose() * H * kernel), Eigen::EigenvaluesOnly);
    const double least = eigen.eigenvalues()[0];
    if (std::abs(least) < 1e-3) continue;
    const auto units = [&](int size) -> Vector {
      return Vector::NullaryExpr(size, [&] { return moderate ? 1 : std::pow(10, 6 * uniform(generator)); });
    };
    const Vector of_variables = units(n);
    H = of_variables.asDiagonal() * H * of_variables.asDiagonal();
    A = units(m).asDiagonal() * A * of_variables.asDiagonal();
    DenseProgram program = quadratic(H, Vector::Zero(n));
    program.constraint_lower = program.constraint_upper = Vector::Zero(m);
    program.constraints = [A](const Vector& z, Vector& c, Matrix& jacobian) {
      c = A * z;
      jacobian = A;
      return true;
    };
    const Vector down = direction_of(program);
    CAPTURE(draw, n, m, least);
    CHECK((down.size() > 0) == (least < 0));
    if (down.size() == 0) continue;
    ++saddles;
    CHECK(down.dot(H * down) < 0);
    for (int i = 0; i < m; ++i)
      CHECK(std::abs(A.row(i) * down) < 1e-6 * A.row(i).cwiseProduct(down.transpose()).cwiseAbs().maxCoeff());
  }
  CHECK(saddles > 100);
}
#endif
