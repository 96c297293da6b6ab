// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "testing/falling_remainders.hpp"
#include "testing/robots/collocation_systems.hpp"
#include "testing/robots/random_matrix.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::optimization;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// A chain's grab with all parts that a problem can have, each of them nonlinear.
CollocationProblem full_problem(const NodeDynamics& dynamics) {
  const Chain chain{.links = 2};
  CollocationProblem problem = grab(chain, dynamics, 4);
  problem.times << 0, 0.2, 0.5, 0.6, 1;
  problem.initial_state = {};
  problem.initial_control = {};
  problem.lower_state = Vector::Constant(4, -4);
  problem.upper_state = Vector::Constant(4, 3);
  problem.running_cost = [](double t, const Vector& x, const Vector& u, double& cost, Vector& dx, Vector& du) {
    const double c = std::cos(x[0] + t), s = std::sin(x[0] + t);
    cost = c * u[0] + u[0] * u[0] * x[2];
    dx.setZero(4);
    dx[0] = -s * u[0];
    dx[2] = u[0] * u[0];
    du = Vector::Constant(1, c + 2 * u[0] * x[2]);
    return true;
  };
  problem.terminal_cost = [](const Vector& x, double& cost, Vector& dx) {
    cost = std::pow(x.sum(), 3);
    dx.setConstant(4, 3 * x.sum() * x.sum());
    return true;
  };
  problem.path = [](double t, const Vector& x, const Vector& u, Vector& g, Matrix& g_x, Matrix& g_u) {
    g.resize(2);
    g << t * x[1] * x[3] + u[0], std::sin(u[0] * x[0]);
    g_x.setZero(2, 4);
    g_x(0, 1) = t * x[3];
    g_x(0, 3) = t * x[1];
    g_x(1, 0) = u[0] * std::cos(u[0] * x[0]);
    g_u.resize(2, 1);
    g_u << 1, x[0] * std::cos(u[0] * x[0]);
    return true;
  };
  problem.lower_path = Vector::Constant(2, -1);
  problem.upper_path = Vector::Constant(2, 1);
  return problem;
}

Matrix dense(const SparsityPattern& pattern, const Vector& entries, Eigen::Index rows, Eigen::Index columns) {
  Matrix matrix = Matrix::Zero(rows, columns);
  for (std::size_t k = 0; k < pattern.rows.size(); ++k)
    matrix(pattern.rows[k], pattern.columns[k]) += entries[static_cast<Eigen::Index>(k)];
  return matrix;
}

}  // namespace

TEST_CASE(
    "the assembled program's gradient and Jacobian leave Taylor remainders of second order, its Hessian is theirs") {
  const Chain chain{.links = 2};
  for (const bool explicit_form : {false, true}) {
    const CollocationProblem problem =
        full_problem(explicit_form ? node_dynamics(Solved{chain}) : node_dynamics(chain));
    for (const auto scheme :
         {CollocationScheme::euler, CollocationScheme::trapezoid, CollocationScheme::hermite_simpson}) {
      CAPTURE(explicit_form, to_string(scheme));
      const NonlinearProgram program = collocation_program(problem, straight_guess(problem, leaning(chain, 0.3)),
                                                           {.scheme = scheme, .cost_scale = 0.7});
      std::mt19937 generator(7);
      const auto size = program.start.size(), rows = program.constraint_lower.size();
      const Vector z = program.start + 0.1 * random_matrix(generator, static_cast<int>(size), 1);
      const Vector direction = random_matrix(generator, static_cast<int>(size), 1);
      double f = 0, f_ahead = 0;
      Vector gradient(size), c(rows), c_ahead(rows), entries(static_cast<Eigen::Index>(program.jacobian.rows.size()));
      REQUIRE(program.objective(z, f));
      REQUIRE(program.objective_gradient(z, gradient));
      REQUIRE(program.constraints(z, c));
      REQUIRE(program.constraint_jacobian(z, entries));
      const Matrix jacobian = dense(program.jacobian, entries, rows, size);
      quoin::test::FallingRemainders of_f{.ratio = 2, .min_order = 1.7, .largest_order = 2.4}, of_c = of_f;
      for (double h = 1e-2; h > 5e-4; h /= 2) {
        REQUIRE(program.objective(z + h * direction, f_ahead));
        REQUIRE(program.constraints(z + h * direction, c_ahead));
        of_f.add(std::abs(f_ahead - f - h * gradient.dot(direction)));
        of_c.add((c_ahead - c - h * jacobian * direction).norm());
      }

      const Vector multipliers = random_matrix(generator, static_cast<int>(rows), 1);
      const double weight = 1.3;
      const auto lagrangian_gradient = [&](const Vector& at) {
        Vector by_f(size), by_c(static_cast<Eigen::Index>(program.jacobian.rows.size()));
        REQUIRE(program.objective_gradient(at, by_f));
        REQUIRE(program.constraint_jacobian(at, by_c));
        return Vector(weight * by_f + dense(program.jacobian, by_c, rows, size).transpose() * multipliers);
      };
      entries.resize(static_cast<Eigen::Index>(program.hessian.rows.size()));
      REQUIRE(program.lagrangian_hessian(z, weight, multipliers, entries));
      const Matrix lower = dense(program.hessian, entries, size, size);
      CHECK(lower.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().norm() == 0);
      const Matrix hessian = lower.selfadjointView<Eigen::Lower>();
      // Each direction of the space, so that no block escapes; central differences are good to about 1e-9 here.
      for (Eigen::Index j = 0; j < size; ++j) {
        const Vector step = 1e-4 * Vector::Unit(size, j);
        const Vector column = (lagrangian_gradient(z + step) - lagrangian_gradient(z - step)) / 2e-4;
        CAPTURE(j);
        CHECK((hessian.col(j) - column).norm() < 2e-6 * (1 + column.norm()));
      }
    }
  }
}

TEST_CASE("quadratic costs have the gradients of u' R u and of the distance to their goal") {
  std::mt19937 generator(3);
  const Matrix R = random_matrix(generator, 3, 3), Q = random_matrix(generator, 2, 2);
  const Vector x = random_matrix(generator, 2, 1), goal = random_matrix(generator, 2, 1),
               u = random_matrix(generator, 3, 1);
  double cost = 0;
  Vector dx, du;
  REQUIRE(effort(R)(0, x, u, cost, dx, du));
  CHECK(cost == Approx(u.dot(R * u)));
  CHECK(dx.norm() == 0);
  CHECK((du - (R + R.transpose()) * u).norm() < 1e-14);
  REQUIRE(quadratic_cost(Q, goal, R)(0, x, u, cost, dx, du));
  CHECK(cost == Approx((x - goal).dot(Q * (x - goal)) + u.dot(R * u)));
  CHECK((dx - (Q + Q.transpose()) * (x - goal)).norm() < 1e-14);
}

TEST_CASE("Hessians step away from a bound, beyond which the dynamics cannot be computed") {
  struct Edge : DoubleIntegrator {
    using DoubleIntegrator::rate;
    StepStatus rate(const Vector& x, const Vector& u, Vector& f, Matrix& f_x, Matrix& f_u) const {
      return x[0] > 1 ? StepStatus::outside_domain : DoubleIntegrator::rate(x, u, f, f_x, f_u);
    }
  };
  CollocationProblem problem = unit_move(6);
  problem.dynamics = node_dynamics(Edge{});
  problem.upper_state = (Vector(2) << 1, 1e3).finished();
  const CollocationPlan plan = collocation(problem, straight_guess(problem, Vector::Unit(2, 0)));
  REQUIRE(plan.converged());
  CHECK(plan.cost == Approx(12).epsilon(1e-6));
}
#endif
