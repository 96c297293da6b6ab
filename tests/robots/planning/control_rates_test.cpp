// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/control_rates.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "testing/falling_remainders.hpp"

#include <catch2/catch.hpp>

using namespace quoin;
using namespace quoin::planning;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

/// Two pendulums coupled by a spring, one of them driven.
struct TwoPendulums {
  Eigen::Index coordinates() const { return 2; }
  Matrix actuation() const { return Eigen::Vector2d(0, 1); }
  StepStatus inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, Vector& forces) const {
    forces = 2 * a + 0.1 * v + q.array().sin().matrix() + 0.5 * Eigen::Vector2d(q[0] - q[1], q[1] - q[0]);
    return StepStatus::ok;
  }
  StepStatus inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, Vector& forces, Matrix& dq, Matrix& dv,
                              Matrix& da) const {
    dq = (Matrix(2, 2) << std::cos(q[0]) + 0.5, -0.5, -0.5, std::cos(q[1]) + 0.5).finished();
    dv = 0.1 * Matrix::Identity(2, 2);
    da = 2 * Matrix::Identity(2, 2);
    return inverse_dynamics(q, v, a, forces);
  }
};

}  // namespace

TEST_CASE("dynamics with control rates are those of the dynamics, and of controls that integrate their rates") {
  const NodeDynamics plain = node_dynamics(TwoPendulums{}), rates = with_control_rates(plain);
  const ControlRateState layout(plain);
  REQUIRE(rates.state_size == 5);
  REQUIRE(rates.rate_size == 3);
  REQUIRE(rates.control_size == 1);
  const Vector x = Eigen::Vector4d(0.3, -0.4, 1.2, 0.7), u = Vector::Constant(1, 0.6), du = Vector::Constant(1, -2);
  const Vector state = layout.state(x, u);
  CHECK(layout.x(state) == x);
  CHECK(layout.u(state) == u);
  NodeEquation room;
  Vector w, w_plain, rate(5), rate_plain(4);
  REQUIRE(rates.solve(state, du, w, room) == StepStatus::ok);
  REQUIRE(plain.solve(x, u, w_plain, room) == StepStatus::ok);
  rates.rate(state, w, rate);
  plain.rate(x, w_plain, rate_plain);
  CHECK((layout.x(rate) - rate_plain).norm() < 1e-14);
  CHECK((layout.u(rate) - du).norm() < 1e-14);

  const Vector dw = Eigen::Vector3d(0.2, -1, 0.5), dx = Vector::Constant(5, 0.3), ds = Vector::Constant(1, 0.8);
  REQUIRE(rates.derivatives(state, w, du, room) == StepStatus::ok);
  const Vector r = room.r, slope = room.dx * dx + room.dw * dw + room.du * ds;
  quoin::test::FallingRemainders remainders{.ratio = 10, .min_order = 1.9, .largest_order = 2.1};
  for (double h = 1e-1; h > 1e-4; h /= 10) {
    REQUIRE(rates.value(state + h * dx, w + h * dw, du + h * ds, room) == StepStatus::ok);
    remainders.add((room.r - r - h * slope).norm());
  }
}

#ifdef QUOIN_HAS_IPOPT
TEST_CASE("a plan with control rates keeps their bounds and ends where it should when it is run") {
  const NodeDynamics plain = node_dynamics(TwoPendulums{});
  const ControlRateState layout(plain);
  CollocationProblem problem{
      .dynamics = with_control_rates(plain), .times = Vector::LinSpaced(41, 0, 4), .initial_state = Vector::Zero(5)};
  problem.lower_control = Vector::Constant(1, -1.5);
  problem.upper_control = Vector::Constant(1, 1.5);
  problem.running_cost = effort(Matrix::Constant(1, 1, 1e-3));
  problem.boundary = [&](const Vector& state, Vector& h, Matrix& dx) {
    h = state.head(2);
    dx.setZero(2, 5);
    dx.leftCols(2).setIdentity();
    return true;
  };
  problem.lower_boundary = problem.upper_boundary = Eigen::Vector2d(0.4, 0.2);
  const CollocationPlan plan = collocation(problem, straight_guess(problem, Vector::Zero(5)));
  REQUIRE(plan.converged());
  CHECK(plan.controls.cwiseAbs().maxCoeff() <= 1.5 + 1e-9);
  const Vector end = replay(problem.dynamics, plan, 0.005).final_state();
  CHECK((end.head(2) - Eigen::Vector2d(0.4, 0.2)).norm() < 1e-4);
  // The same motion from the torques alone.
  Vector x = Vector::Zero(4);
  for (int i = 0; i < 4000; ++i) {
    NodeEquation room;
    Vector w, rate(4);
    REQUIRE(plain.solve(x, layout.u(plan.state(i * 1e-3)), w, room) == StepStatus::ok);
    plain.rate(x, w, rate);
    x += 1e-3 * rate;
  }
  CHECK((x - layout.x(end)).norm() < 5e-3);
}
#endif
