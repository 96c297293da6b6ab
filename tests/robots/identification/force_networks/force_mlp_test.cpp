// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/force_mlp.hpp"
#include "testing/robots/sine_motion.hpp"

#include <catch2/catch.hpp>

using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd predicted(const ForceMlp& mlp, const RobotMotion& motion) {
  MatrixXd tau(motion.joints(), motion.instants());
  mlp.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau);
  return tau;
}

}  // namespace

TEST_CASE("an MLP's answer for one state is its column of the answer for many", "[networks]") {
  const RobotMotion motion = motion_of(arm(), VectorXd::Zero(3));
  const ForceMlp mlp = ForceMlp::random(motion, 2);
  const MatrixXd tau = predicted(mlp, motion);
  CHECK(mlp.joints() == 3);
  for (const Eigen::Index t : {0, 255, 256, 399})
    CHECK((predicted(mlp, motion.columns(t, 1)) - tau.col(t)).norm() < 1e-12 * tau.norm());
}

TEST_CASE("units mean nothing to an MLP: inputs and forces are standardized by the motion", "[networks]") {
  const RobotMotion motion = motion_of(arm(), VectorXd::Zero(3));
  RobotMotion other = motion;
  other.q *= 57;
  other.q.array() += 3;
  other.qdd *= 1e-3;
  other.tau *= 1e4;
  other.tau.array() -= 5;
  const MatrixXd tau = predicted(ForceMlp::random(motion, 2), motion) * 1e4;
  CHECK((predicted(ForceMlp::random(other, 2), other).array() + 5 - tau.array()).matrix().norm() < 1e-9 * tau.norm());

  const ForceMlp mlp = ForceMlp::random(motion, 2);
  const MatrixXd X = mlp.standardized_inputs(motion.q, motion.qd, motion.qdd), Y = mlp.standardized_forces(motion.tau);
  REQUIRE(X.rows() == 9);
  for (const MatrixXd& Z : {X, Y}) {
    CHECK(Z.rowwise().mean().cwiseAbs().maxCoeff() < 1e-12);
    CHECK((Z.rowwise().squaredNorm().array() / 400 - 1).abs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("without a motion an MLP takes units as they are: its network's answers are forces", "[networks]") {
  const RobotMotion motion = motion_of(arm(), VectorXd::Zero(3));
  const ForceMlp mlp = ForceMlp::random(3, 2);
  MatrixXd X(9, 400), Y;
  X << motion.q, motion.qd, motion.qdd;
  mlp.network.evaluate(X, Y);
  CHECK((predicted(mlp, motion) - Y).norm() < 1e-13 * Y.norm());
  CHECK_THROWS_WITH(ForceMlp::random(0, 2), Catch::Contains("0 joints"));
}

TEST_CASE("a joint that never moves, and feels nothing, leaves an MLP finite", "[networks]") {
  RobotMotion motion = motion_of(arm(), VectorXd::Zero(3));
  motion.q.row(1).setConstant(0.3);
  motion.qd.row(1).setZero();
  motion.qdd.row(1).setZero();
  motion.tau.row(1).setConstant(0.1);
  const ForceMlp mlp = ForceMlp::random(motion, 2);
  CHECK(mlp.input_deviation[1] == 1);
  CHECK(mlp.force_deviation[1] == 1);
  CHECK(predicted(mlp, motion).allFinite());
}

TEST_CASE("an MLP of the wrong shape says so with the numbers", "[networks]") {
  RobotMotion motion = motion_of(arm(), VectorXd::Zero(3));
  ForceMlp mlp = ForceMlp::random(motion, 2);
  MatrixXd tau(3, 400);
  CHECK_THROWS_WITH(mlp.inverse_dynamics(motion.q, motion.qd, motion.qdd.leftCols(399), tau),
                    Catch::Contains("qdd 3 x 399, tau 3 x 400"));
  CHECK_THROWS_WITH(
      mlp.inverse_dynamics(motion.q.topRows(2), motion.qd.topRows(2), motion.qdd.topRows(2), tau.topRows(2)),
      Catch::Contains("wanted 3 joints"));
  mlp.input_mean.conservativeResize(8);
  CHECK_THROWS_WITH(mlp.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau), Catch::Contains("8 and 9 inputs"));
  mlp.network.sizes.back() = 2;
  CHECK_THROWS_WITH(mlp.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau), Catch::Contains("9-32-64-32-2 units"));
  motion.qd.conservativeResize(3, 399);
  CHECK_THROWS_WITH(ForceMlp::random(motion, 2), Catch::Contains("qd 3 x 399"));
}
