// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/task_constraints.hpp"

#include <catch2/catch.hpp>

using namespace quoin::planning;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// x_0^2 x_1, of the first half of x.
bool cubic(int, const VectorXd& x, VectorXd& e, MatrixXd& J) {
  e = VectorXd::Constant(1, x[0] * x[0] * x[1]);
  J = MatrixXd{{2 * x[0] * x[1], x[0] * x[0]}};
  return true;
}

const TaskResidual fails = [](int, const VectorXd&, VectorXd&, MatrixXd&) { return false; };

}  // namespace

TEST_CASE("tasks at the end of a motion stand one below the other, with derivatives by the whole state") {
  const VectorXd x{{2, 3, 5, 7}};
  VectorXd h;
  MatrixXd dx;
  REQUIRE(end_constraint({cubic, rest_residual()})(x, h, dx));
  CHECK(h == VectorXd{{12, 5, 7}});
  CHECK(dx == MatrixXd{{12, 4, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
  CHECK_FALSE(end_constraint({cubic, fails})(x, h, dx));
}

TEST_CASE("effort and tasks are a running cost with its exact gradient") {
  const MatrixXd R{{2, 0.5}, {0.5, 1}};
  const RunningCost cost = effort_and_tasks(R, {{"cubic", cubic, throughout(0, 3)}});
  const VectorXd x{{2, 3, 5, 7}}, u{{1, -2}};
  double value = 0;
  VectorXd dx, du;
  REQUIRE(cost(0.7, x, u, value, dx, du));
  CHECK(value == Approx(u.dot(R * u) + 3 * 12 * 12));
  CHECK(dx.isApprox(VectorXd{{2 * 3 * 12 * 12, 2 * 3 * 12 * 4, 0, 0}}));
  CHECK(du.isApprox(2 * R * u));
  CHECK_FALSE(effort_and_tasks(R, {{"fails", fails, throughout(0, 1)}})(0, x, u, value, dx, du));
  CHECK_THROWS_WITH(effort_and_tasks(R, {}), Catch::Contains("effort_and_tasks: no terms"));
}
