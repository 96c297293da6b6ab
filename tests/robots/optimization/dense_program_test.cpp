// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/optimization/dense_program.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <stdexcept>

using namespace quoin::optimization;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

/// Hock, Schittkowski 1981, problem 71.
DenseProgram problem_71() {
  return {.start = (Vector(4) << 1, 5, 5, 1).finished(),
          .lower = Vector::Constant(4, 1),
          .upper = Vector::Constant(4, 5),
          .objective =
              [](const Vector& z, double& f, Vector& gradient) {
                const double s = z[0] + z[1] + z[2];
                f = z[0] * z[3] * s + z[2];
                gradient.resize(4);
                gradient << z[3] * (s + z[0]), z[0] * z[3], z[0] * z[3] + 1, z[0] * s;
                return true;
              },
          .constraints =
              [](const Vector& z, Vector& c, Matrix& jacobian) {
                c.resize(2);
                c << z.prod(), z.squaredNorm();
                jacobian.resize(2, 4);
                jacobian << z[1] * z[2] * z[3], z[0] * z[2] * z[3], z[0] * z[1] * z[3], z[0] * z[1] * z[2], 2 * z[0],
                    2 * z[1], 2 * z[2], 2 * z[3];
                return true;
              },
          .constraint_lower = (Vector(2) << 25, 40).finished(),
          .constraint_upper = (Vector(2) << 1e30, 40).finished()};
}

}  // namespace

TEST_CASE("Hock and Schittkowski's problem 71 is solved to its printed solution, in Newton's few iterations") {
  const NlpResult result = solve_with_ipopt(nonlinear_program(problem_71()), {.tolerance = 1e-9});
  REQUIRE(result.stop == quoin::Stop::converged);
  CHECK(result.objective == Approx(17.0140173).epsilon(1e-8));
  CHECK((result.z - (Vector(4) << 1, 4.7429994, 3.8211503, 1.3794082).finished()).norm() < 1e-6);
  CHECK(result.iterations < 15);
}

TEST_CASE("the differenced Hessian is the Lagrangian's, to 1e-6, at an upper bound too") {
  const NonlinearProgram program = nonlinear_program(problem_71());
  const Vector z = (Vector(4) << 1.5, 5, 2.5, 3).finished(), multipliers = (Vector(2) << 0.3, -0.8).finished();
  Vector entries(10);
  REQUIRE(program.lagrangian_hessian(z, 0.7, multipliers, entries));
  const double a = z[0], b = z[1], c = z[2], d = z[3];
  Matrix truth(4, 4);  // of the objective, then of the product, then of the sum of squares
  truth << 2 * d, d, d, 2 * a + b + c, d, 0, 0, a, d, 0, 0, a, 2 * a + b + c, a, a, 0;
  truth *= 0.7;
  Matrix product(4, 4);
  product << 0, c * d, b * d, b * c, c * d, 0, a * d, a * c, b * d, a * d, 0, a * b, b * c, a * c, a * b, 0;
  truth += 0.3 * product - 1.6 * Matrix::Identity(4, 4);
  REQUIRE(program.hessian.rows.size() == 10);
  for (int k = 0; k < 10; ++k) {
    CAPTURE(k);
    CHECK(program.hessian.rows[k] >= program.hessian.columns[k]);
    CHECK(entries[k] == Approx(truth(program.hessian.rows[k], program.hessian.columns[k])).margin(1e-6));
  }
}

TEST_CASE("a dense program without objective finds a feasible point, and one without constraints a minimum") {
  DenseProgram feasible = problem_71();
  feasible.objective = nullptr;
  const NlpResult point = solve_with_ipopt(nonlinear_program(feasible));
  REQUIRE(point.stop == quoin::Stop::converged);
  CHECK(point.z.squaredNorm() == Approx(40).epsilon(1e-6));
  CHECK(point.z.prod() > 25 - 1e-5);

  const DenseProgram rosenbrock{.start = Vector::Constant(2, -1),
                                .objective = [](const Vector& z, double& f, Vector& g) {
                                  const double r = z[1] - z[0] * z[0];
                                  f = 100 * r * r + (1 - z[0]) * (1 - z[0]);
                                  g.resize(2);
                                  g << -400 * r * z[0] - 2 * (1 - z[0]), 200 * r;
                                  return true;
                                }};
  const NlpResult valley = solve_with_ipopt(nonlinear_program(rosenbrock));
  REQUIRE(valley.stop == quoin::Stop::converged);
  CHECK((valley.z - Vector::Ones(2)).norm() < 1e-5);
}

TEST_CASE("a dense program refuses what does not fit, with the numbers, and its exceptions pass through Ipopt") {
  DenseProgram wrong = problem_71();
  wrong.lower.resize(3);
  CHECK_THROWS_WITH(nonlinear_program(wrong), Catch::Contains("4 entries, a bound 3"));
  wrong = problem_71();
  wrong.lower[2] = 6;
  CHECK_THROWS_WITH(nonlinear_program(wrong), Catch::Contains("entry 2"));
  wrong = problem_71();
  wrong.constraint_upper.resize(1);
  CHECK_THROWS_AS(nonlinear_program(wrong), std::invalid_argument);
  wrong = problem_71();
  wrong.constraint_lower = wrong.constraint_upper = Vector::Zero(3);
  CHECK_THROWS_WITH(solve_with_ipopt(nonlinear_program(wrong)), Catch::Contains("2 x 1, must be 3 x 1"));
  wrong = problem_71();
  wrong.objective = [](const Vector&, double&, Vector&) -> bool { throw std::runtime_error("the objective broke"); };
  CHECK_THROWS_WITH(solve_with_ipopt(nonlinear_program(wrong)), "the objective broke");
}
#endif
