// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/task_residuals.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::planning;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The product of both coordinates, which is of the first half of x.
bool product(int t, const VectorXd& x, VectorXd& e, MatrixXd& J) {
  e = VectorXd::Constant(1, x[0] * x[1] - t);
  J = MatrixXd{{x[1], x[0]}};
  return true;
}

TaskResiduals tasks() {
  return {{{"product", product, throughout(2, 4)}, {"rest", rest_residual(), at_end(2, 9)}}, VectorXd{{0.25, 0}}};
}

}  // namespace

TEST_CASE("Tasks as residuals of a trajectory are the weighted terms and controls, with exact derivatives") {
  const TaskResiduals residuals = tasks();
  CHECK(residuals.horizon() == 2);
  const VectorXd x{{0.5, -2, 3, 4}}, u{{6, 7}};
  VectorXd r, stepped;
  MatrixXd dx, du;
  REQUIRE(residuals.residual(1, x, u, r, dx, du));
  CHECK(r == VectorXd{{0.5 * 6, 0, 2 * (-1 - 1.0)}});
  CHECK(dx == MatrixXd{{0, 0, 0, 0}, {0, 0, 0, 0}, {-4, 1, 0, 0}});
  CHECK(du == MatrixXd{{0.5, 0}, {0, 0}, {0, 0}});
  REQUIRE(residuals.residual(1, x, u, stepped));
  CHECK(stepped == r);

  REQUIRE(residuals.residual(2, x, VectorXd(), r, dx, du));  // the last state: no control
  CHECK(r == VectorXd{{2 * (-1 - 2.0), 3 * 3, 3 * 4}});
  CHECK(dx.row(2) == Eigen::RowVectorXd{{0, 0, 0, 3}});
  CHECK(du.rows() == 3);
  CHECK(du.cols() == 0);
}

TEST_CASE("Tasks as residuals fail where a term does, and refuse what does not fit with the numbers") {
  const TaskResidual fails = [](int, const VectorXd&, VectorXd&, MatrixXd&) { return false; };
  const VectorXd x = VectorXd::Zero(4), u = VectorXd::Zero(2);
  VectorXd r;
  const TaskResiduals late({{"later", fails, at_end(2, 1)}}, u);
  CHECK(late.residual(0, x, u, r));
  CHECK_FALSE(late.residual(2, x, VectorXd(), r));
  CHECK_THROWS_WITH(TaskResiduals({}, u), Catch::Contains("TaskResiduals: no terms"));
  CHECK_THROWS_WITH(TaskResiduals({{"a", fails, at_end(2, 1)}}, VectorXd{{1, -2}}),
                    Catch::Contains("precision -2 of control 1"));
  CHECK_THROWS_WITH(tasks().residual(3, x, u, r), Catch::Contains("step 3 of a horizon of 2"));
  CHECK_THROWS_WITH(tasks().residual(0, x, VectorXd::Zero(3), r), Catch::Contains("3 controls, and precisions of 2"));
  const TaskResidual wide = [](int, const VectorXd&, VectorXd& e, MatrixXd& J) {
    e.setZero(1);
    J.setZero(1, 7);
    return true;
  };
  CHECK_THROWS_WITH(TaskResiduals({{"wide", wide, at_end(0, 1)}}, u).residual(0, x, u, r),
                    Catch::Contains("'wide' has 1 residuals and a derivative of 1 x 7 for a state of 4"));
}
