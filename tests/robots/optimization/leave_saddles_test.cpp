// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/optimization/dense_program.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"
#include "testing/drawn.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace quoin::optimization;
using Vector = Eigen::VectorXd;

namespace {

/// z = R (x, y, ...), R a rotation: height (1 + sum x^2 + ... - y^2 + y^4 / 2 + offset), a saddle at 0 between two
/// wells that are a quarter below, in units of `unit`.
DenseProgram wells(const Eigen::MatrixXd& R, double unit, double height, double offset) {
  return {.start = Vector::Zero(R.rows()), .objective = [=](const Vector& z, double& f, Vector& gradient) {
            const Vector at = R.transpose() * z / unit;
            const double y = at[0];
            f = height * (offset + at.squaredNorm() - 2 * y * y + y * y * y * y);
            Vector slope = 2 * at;
            slope[0] = -2 * y + 4 * y * y * y;
            gradient = height / unit * R * slope;
            return true;
          }};
}

}  // namespace

TEST_CASE("a saddle is left for a well, in whatever units, and where the objective is zero there") {
  for (int draw = 0; draw < quoin::test::draws_wanted(40); ++draw) {
    std::mt19937 random(1000 * quoin::test::seed_wanted() + static_cast<unsigned>(draw));
    std::uniform_real_distribution<double> uniform(-1, 1);
    const int n = 1 + draw % 5;
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return uniform(random); });
    const Eigen::MatrixXd R = Eigen::HouseholderQR<Eigen::MatrixXd>(root).householderQ();
    const double unit = std::pow(10, 3 * uniform(random));
    const double height =
        std::max(1., unit) * std::pow(10, 2 * std::abs(uniform(random)));  // Ipopt's tolerance is absolute
    const double offset = draw % 3 == 0 ? 0 : std::pow(10, 2 * uniform(random));
    CAPTURE(draw, n, unit, height, offset);
    const NonlinearProgram program = nonlinear_program(wells(R, unit, height, offset));
    const NlpResult solved = solve_with_ipopt(program), left = leave_saddles(program, solved);
    CHECK(solved.objective == Approx(height * offset));
    CHECK(left.stop == quoin::Stop::converged);
    CHECK(left.objective == Approx(height * (offset - 0.25)));
    CHECK(left.iterations > solved.iterations);
  }
}

TEST_CASE("saddles are left where equations stand as pairs of inequalities, some of them as sums of others") {
  const double infinity = std::numeric_limits<double>::infinity();
  int minima = 0, draws = quoin::test::draws_wanted(80);
  for (int draw = 0; draw < draws; ++draw) {
    std::mt19937 random(1000 * quoin::test::seed_wanted() + static_cast<unsigned>(draw));
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto drawn = [&](Eigen::Index rows, Eigen::Index columns) {
      return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); }));
    };
    const Eigen::Index n = 3 + draw % 8, m = 1 + draw % (n - 1);
    Eigen::MatrixXd A = drawn(m, n), root = drawn(n, n), H = root * root.transpose();
    H(0, 0) -= 4 * std::abs(uniform(random));
    if (draw % 4 == 0 && m > 2) A.row(m - 1) = 2 * A.row(0) - A.row(1);
    Eigen::MatrixXd twice(2 * m, n);
    twice << A, (draw % 2 ? -1 : -3) * A;
    DenseProgram dense{.start = Vector::Zero(n), .objective = [H](const Vector& z, double& f, Vector& gradient) {
                         const double square = z.squaredNorm();
                         f = 1 + 0.5 * z.dot(H * z) + square * square;
                         gradient = H * z + 4 * square * z;
                         return true;
                       }};
    dense.constraint_lower = Vector::Constant(2 * m, -infinity);
    dense.constraint_upper = Vector::Zero(2 * m);
    dense.constraints = [twice](const Vector& z, Vector& c, Eigen::MatrixXd& jacobian) {
      c = twice * z;
      jacobian = twice;
      return true;
    };
    const NonlinearProgram program = nonlinear_program(dense);
    const IpoptOptions options{.tolerance = 1e-9};
    const NlpResult left = leave_saddles(program, solve_with_ipopt(program, options), options);
    if (left.stop != quoin::Stop::converged) continue;
    ++minima;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
    if (lu.dimensionOfKernel() == 0) continue;
    const Eigen::MatrixXd basis = lu.kernel(), curved = H + 4 * left.z.squaredNorm() * Eigen::MatrixXd::Identity(n, n) +
                                                        8 * left.z * left.z.transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(basis.transpose() * curved * basis);
    CAPTURE(draw, n, m);
    CHECK(eigen.eigenvalues()[0] > -1e-4);
  }
  CHECK(20 * minima >= 19 * draws);
}

TEST_CASE("at a minimum nothing changes, and without iterations left or where an observer stops the word says so") {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(2, 2);
  const NonlinearProgram program = nonlinear_program(wells(I, 1, 1, 1));
  NonlinearProgram beside = program;
  beside.start = Eigen::Vector2d(0.5, 0.2);
  const NlpResult minimum = solve_with_ipopt(beside), same = leave_saddles(beside, minimum);
  CHECK(same.stop == quoin::Stop::converged);
  CHECK(same.z == minimum.z);
  CHECK(same.iterations == minimum.iterations);

  const NlpResult saddle = solve_with_ipopt(program);
  CHECK(leave_saddles(program, saddle, {.max_iterations = saddle.iterations}).stop == quoin::Stop::saddle);
  CHECK(leave_saddles(program, saddle, {.max_seconds = 0}).stop == quoin::Stop::saddle);
  CHECK(leave_saddles(program, saddle, {.observer = [](const NlpIteration&, const Vector&) { return false; }}).stop ==
        quoin::Stop::stopped_by_observer);
  CHECK_THROWS_WITH(leave_saddles(program, saddle, {}, -1), Catch::Contains("curvature_tolerance"));
}
#endif
