// SPDX-License-Identifier: BSD-3-Clause
// The laser's problem on Eq. 2, as functions of all controls, on arms of few elements and steps.
#include "examples/studies/soft_arm_laser/full_problem.hpp"

#include "quoin/robots/models/soft_arm/beam.hpp"
#include "testing/taylor.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <cmath>
#include <vector>

namespace laser = studies::laser;

namespace {

template <int SpaceDim>
laser::Arm<SpaceDim> coarse_arm() {
  laser::Setup setup;
  setup.steps = 12;
  setup.approach = 5;
  return laser::Arm<SpaceDim>(setup, quoin::soft_arm::make_beam<SpaceDim>({.cells_across = 2, .cells_along = 10}));
}

template <int SpaceDim>
Eigen::MatrixXd pulls(double first = 0.9) {
  return Eigen::MatrixXd::NullaryExpr(laser::Arm<SpaceDim>::lines, 12, [&](Eigen::Index line, Eigen::Index i) {
    return first + 0.5 * std::sin(0.4 * static_cast<double>(i) + 1.3 * static_cast<double>(line));
  });
}

/// A tip that is where it is told to be, whatever alpha.
struct ToldTip {
  const Eigen::VectorXd* where;
  Eigen::Index output_size() const { return where->size(); }
  quoin::Answer evaluate(const auto&, Eigen::VectorXd& y) const {
    y = *where;
    return {};
  }
  quoin::Answer evaluate(const auto& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    J.setZero(where->size(), alpha.size());
    return evaluate(alpha, y);
  }
};

template <int SpaceDim>
void check_cost() {
  const laser::Arm<SpaceDim> arm = coarse_arm<SpaceDim>();
  const Eigen::MatrixXd controls = pulls<SpaceDim>();
  laser::FullProblem<SpaceDim> problem(arm, false);
  Eigen::VectorXd r, h;
  REQUIRE(problem.residuals(controls.reshaped(), r, h));
  CHECK(h.size() == 0);
  CHECK(problem.steps() == 12);
  REQUIRE(problem.residuals(controls.reshaped(), r, h));
  CHECK(problem.steps() == 12);  // the same controls are not rolled out twice

  const laser::Replay replayed = replay(arm, controls);
  REQUIRE(replayed.complete);
  CHECK(0.5 * r.squaredNorm() == Approx(replayed.cost).epsilon(1e-10));

  // Stage by stage, the residuals of Eq. 8's problem at the tips of that motion.
  constexpr int lines = laser::Arm<SpaceDim>::lines;
  Eigen::VectorXd tip, stage;
  const laser::Residuals<SpaceDim, ToldTip> residuals(arm.setup, ToldTip{&tip});
  double cost = 0;
  for (int i = 0; i <= 12; ++i) {
    tip = laser::tip_outputs(arm, replayed.positions.col(i));
    Eigen::VectorXd x = Eigen::VectorXd::Zero(3 * lines);
    if (i > 0) x.tail(lines) = controls.col(i - 1);
    REQUIRE(residuals.residual(i, x, i < 12 ? Eigen::VectorXd(controls.col(i)) : Eigen::VectorXd(0), stage));
    cost += 0.5 * stage.squaredNorm();
  }
  CHECK(cost == Approx(replayed.cost).epsilon(1e-10));
}

template <int SpaceDim>
void check_jacobians(bool with_obstacles, const std::vector<Eigen::Index>& active) {
  const laser::Arm<SpaceDim> arm = coarse_arm<SpaceDim>();
  laser::FullProblem<SpaceDim> problem(arm, with_obstacles);
  const Eigen::VectorXd U = pulls<SpaceDim>().reshaped();
  const Eigen::VectorXd w =
      Eigen::VectorXd::NullaryExpr(U.size(), [](Eigen::Index k) { return std::cos(2.3 * static_cast<double>(k * k)); });
  Eigen::VectorXd r, h, r_ahead, h_ahead;
  Eigen::MatrixXd J, H;
  REQUIRE(problem.jacobians(U, active, r, J, h, H));
  const Eigen::VectorXd Jw = J * w, Hw = H * w;
  const auto remainder = [&](double step) {
    REQUIRE(problem.residuals(U + step * w, r_ahead, h_ahead));
    return (r_ahead - r - step * Jw).norm();
  };
  CHECK(quoin::soft_arm::taylor_slope(remainder, 0.1) > 1.8);
  if (active.empty()) return;
  const auto remainder_of_constraints = [&](double step) {
    REQUIRE(problem.residuals(U + step * w, r_ahead, h_ahead));
    return (h_ahead(active) - h(active) - step * Hw).norm();
  };
  CHECK(quoin::soft_arm::taylor_slope(remainder_of_constraints, 0.1) > 1.8);
}

}  // namespace

TEST_CASE("the cost of the laser's problem on Eq. 2 is that of its replay, and Eq. 8's problem sums the same") {
  check_cost<2>();
  check_cost<3>();
}

TEST_CASE("Jacobians of the laser's problem on Eq. 2 leave a remainder of second order") {
  check_jacobians<2>(false, {});
  check_jacobians<3>(true, {3, 4, 10, 11, 23});  // of the constraints of two balls after twelve steps
}

TEST_CASE("constraints of the laser's problem on Eq. 2 are those of each ball at each step's beam") {
  const laser::Arm<3> arm = coarse_arm<3>();
  const Eigen::MatrixXd controls = pulls<3>();
  laser::FullProblem<3> problem(arm, true);
  Eigen::VectorXd r, h;
  REQUIRE(problem.residuals(controls.reshaped(), r, h));
  REQUIRE(h.size() == 24);
  const laser::Replay replayed = replay(arm, controls);
  const std::vector<laser::Ball> balls = laser::obstacles(arm.setup);
  for (Eigen::Index i = 1; i <= 12; ++i) {
    const laser::Beam<3> beam(laser::tip_outputs(arm, replayed.positions.col(i)));
    for (Eigen::Index b = 0; b < 2; ++b) {
      const laser::Ball& ball = balls[static_cast<std::size_t>(b)];
      const double distance = (ball.centre - beam.tip).cross(beam.direction).norm() / beam.direction.norm();
      CHECK(h[2 * (i - 1) + b] == Approx(1 - std::pow(distance / (ball.radius + arm.setup.beam_margin), 2)));
    }
  }
}

TEST_CASE("at rest the laser's spot is the plate's centre, and an arm that is not pulled stays there") {
  const laser::Arm<3> arm = coarse_arm<3>();
  const laser::Replay replayed = replay(arm, Eigen::MatrixXd::Zero(4, 12));
  REQUIRE(replayed.complete);
  CHECK(replayed.spots.cwiseAbs().maxCoeff() < 1e-7);
  CHECK(replayed.largest_error == Approx(arm.setup.radius));
  CHECK(replayed.mean_error == Approx(arm.setup.radius));
  CHECK(replayed.cost == Approx(0.5e4 * 8 * 0.55 * 0.55));  // eight targets, from step 5 to 12
}
