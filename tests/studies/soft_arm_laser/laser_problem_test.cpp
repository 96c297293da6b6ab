// SPDX-License-Identifier: BSD-3-Clause
// The laser's problem as functions of states and controls, over tips that are given in closed form.
#include "examples/studies/soft_arm_laser/laser_problem.hpp"

#include "quoin/map/derivative_check.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace laser = studies::laser;

namespace {

Eigen::VectorXd joined(const Eigen::VectorXd& tip, const Eigen::VectorXd& before) {
  Eigen::VectorXd both(tip.size() + before.size());
  both << tip, before;
  return both;
}

/// alpha -> [tip; layer before] of an arm that bends to all sides: curved, so that a wrong derivative shows.
auto bending_tip() {
  return quoin::exact_function<4>(6, [](const quoin::Point<4>& a, auto y, auto J) {
    y << 0.1 * std::sin(a[0] - a[2]), 0.1 * (a[1] - a[3]) + 0.01 * a[0] * a[1], 0.5 - 0.01 * a[0] * a[0],
        0.08 * a[0] * a[3], 0.07 * a[1] - 0.08 * a[3], 0.45 - 0.01 * a.sum();
    const double c = 0.1 * std::cos(a[0] - a[2]);
    J << c, 0, -c, 0,                             //
        0.01 * a[1], 0.1 + 0.01 * a[0], 0, -0.1,  //
        -0.02 * a[0], 0, 0, 0,                    //
        0.08 * a[3], 0, 0, 0.08 * a[0],           //
        0, 0.07, 0, -0.08,                        //
        -0.01, -0.01, -0.01, -0.01;
  });
}

/// A function of the state [alpha_i; alpha_{i-1}; u_{i-1}] and the control u_i, for check_derivatives.
template <class Function>
auto of_state_and_control(int outputs, const Function& function) {
  return quoin::exact_function<16>(outputs, [function](const quoin::Point<16>& z, auto y, auto J) {
    Eigen::VectorXd r;
    Eigen::MatrixXd by_x, by_u;
    REQUIRE(function(Eigen::VectorXd(z.head<12>()), Eigen::VectorXd(z.tail<4>()), r, by_x, by_u));
    y = r;
    J << by_x, by_u;
  });
}

quoin::Point<16> some_state_and_control() {
  return quoin::Point<16>::NullaryExpr(
      [](Eigen::Index k) { return 0.6 + 0.5 * std::sin(1.7 * static_cast<double>(k)); });
}

void check_slope(const quoin::DerivativeCheck& check) {
  INFO(check.message);
  CHECK(check.passed);
  CHECK_FALSE(check.slope > 2.3);  // NaN: linear, the remainder is rounding
}

}  // namespace

TEST_CASE("the laser's spot is where the line through the last two layers meets the plate") {
  // From (0.1, -0.2, 0.5) along (0.02, 0, 0.05) it rises by 0.5 in ten such lengths.
  const Eigen::Vector3d tip(0.1, -0.2, 0.5), before(0.08, -0.2, 0.45);
  const laser::Beam<3> beam(joined(tip, before));
  CHECK(beam.meets_plate());
  CHECK((beam.spot(1) - Eigen::Vector2d(0.3, -0.2)).norm() < 1e-14);
  CHECK((beam.spot(0.5) - tip.head<2>()).norm() < 1e-14);
  // The layer before it may lie anywhere on the line.
  CHECK((laser::Beam<3>(joined(tip, tip - 3 * (tip - before))).spot(1) - beam.spot(1)).norm() < 1e-14);

  const laser::Beam<2> plane(joined(Eigen::Vector2d(0.1, 0.5), Eigen::Vector2d(0.13, 0.45)));
  CHECK(plane.spot(1)[0] == Approx(-0.2));
}

TEST_CASE("a beam that runs along the plate or away from it does not meet it") {
  const Eigen::Vector3d tip(0, 0, 0.5);
  const auto meets = [&](const Eigen::Vector3d& direction) {
    return laser::Beam<3>(joined(tip, tip - direction)).meets_plate();
  };
  CHECK(meets({0, 0, 1}));
  CHECK(meets({1, 0, 0.06}));
  CHECK_FALSE(meets({1, 0, 0.04}));
  CHECK_FALSE(meets({0, 0, -1}));
}

TEST_CASE("the spot's derivatives leave a remainder of second order") {
  const auto spot = quoin::exact_function<6>(2, [](const quoin::Point<6>& tip, auto y, auto J) {
    const laser::Beam<3> beam((Eigen::VectorXd(tip)));
    y = beam.spot(1.1);
    J = beam.spot_derivative(1.1);
  });
  check_slope(quoin::check_derivatives<6>(spot, {0.1, -0.2, 0.5, 0.07, -0.17, 0.2}));
  const auto in_plane = quoin::exact_function<4>(1, [](const quoin::Point<4>& tip, auto y, auto J) {
    const laser::Beam<2> beam((Eigen::VectorXd(tip)));
    y = beam.spot(1.1);
    J = beam.spot_derivative(1.1);
  });
  check_slope(quoin::check_derivatives<4>(in_plane, {0.1, 0.5, 0.13, 0.2}));
}

TEST_CASE("the laser's target runs around the circle once, evenly, from the end of the approach to the last step") {
  const laser::Setup setup;
  const auto at = [&](int i) { return laser::target<3>(setup, i); };
  CHECK_FALSE(setup.laser_on(setup.approach - 1));
  CHECK(setup.laser_on(setup.approach));
  CHECK((at(60) - Eigen::Vector2d(0.55, 0)).norm() < 1e-12);
  CHECK((at(95) - Eigen::Vector2d(0, 0.55)).norm() < 1e-12);  // a quarter of 140 steps later
  CHECK((at(130) - Eigen::Vector2d(-0.55, 0)).norm() < 1e-12);
  CHECK((at(200) - at(60)).norm() < 1e-12);
  const double chord = 2 * setup.radius * std::sin(std::numbers::pi / 140);
  for (int i = setup.approach; i < setup.steps; ++i) {
    CHECK(at(i).norm() == Approx(setup.radius));
    CHECK((at(i + 1) - at(i)).norm() == Approx(chord));
    CHECK(laser::target<2>(setup, i)[0] == at(i)[0]);  // in the plane: its shadow
  }
}

TEST_CASE("the laser's residuals are the spot off its target, the controls and their changes, weighted") {
  const laser::Setup setup;
  const auto tip = bending_tip();
  const Eigen::MatrixXd offset = Eigen::MatrixXd::Constant(2, setup.steps + 1, 0.01);
  const laser::Residuals<3, decltype(tip)> residuals(setup, tip), shifted(setup, tip, offset);
  const quoin::Point<16> z = some_state_and_control();
  const Eigen::VectorXd x = z.head<12>(), u = z.tail<4>(), none(0);
  Eigen::VectorXd r, y;
  tip.evaluate(x.head<4>(), y);
  const Eigen::VectorXd change = u - x.tail<4>();

  REQUIRE(residuals.residual(10, x, u, r));  // the laser is off
  REQUIRE(r.size() == 8);
  CHECK(0.5 * r.squaredNorm() == Approx(0.005 * u.squaredNorm() + 5 * change.squaredNorm()));

  REQUIRE(residuals.residual(100, x, u, r));
  REQUIRE(r.size() == 10);
  const Eigen::Vector2d off = laser::Beam<3>(y).spot(1) - laser::target<3>(setup, 100);
  CHECK((r.head<2>() - 100 * off).norm() < 1e-12);  // 1e4 / m^2
  CHECK(r.squaredNorm() == Approx(1e4 * off.squaredNorm() + 0.01 * u.squaredNorm() + 10 * change.squaredNorm()));

  REQUIRE(residuals.residual(200, x, none, r));  // after the last step there is no control
  CHECK(r.size() == 2);
  Eigen::VectorXd moved;
  REQUIRE(shifted.residual(200, x, none, moved));
  CHECK((moved - r - Eigen::Vector2d(1, 1)).norm() < 1e-12);
}

TEST_CASE("the laser's residuals have no answer where the beam misses the plate") {
  const auto down = quoin::exact_function<4>(6, [](const quoin::Point<4>&, auto y, auto J) {
    y << 0, 0, 0.5, 0, 0, 0.6;
    J.setZero();
  });
  const laser::Residuals<3, decltype(down)> residuals(laser::Setup{}, down);
  Eigen::VectorXd r;
  CHECK_FALSE(residuals.residual(100, Eigen::VectorXd::Zero(12), Eigen::VectorXd::Zero(4), r));
  CHECK(residuals.residual(10, Eigen::VectorXd::Zero(12), Eigen::VectorXd::Zero(4), r));  // off: it need not meet it
}

TEST_CASE("the laser's residuals' Jacobians leave a remainder of second order") {
  const auto tip = bending_tip();
  const laser::Residuals<3, decltype(tip)> residuals(laser::Setup{}, tip);
  for (const int i : {10, 100})
    check_slope(quoin::check_derivatives<16>(
        of_state_and_control(
            i < 60 ? 8 : 10,
            [&](const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& by_x,
                Eigen::MatrixXd& by_u) { return residuals.residual(i, x, u, r, by_x, by_u); }),
        some_state_and_control()));
}

TEST_CASE("the obstacles' constraint is 1 - d^2 / r^2 of the distance from centre to beam, with the margin in r") {
  const std::vector<laser::Ball> balls{{{0.2, -0.1, 0.8}, 0.04}, {{0.05, 0.02, 0.6}, 0.1}, {{0, 0, 3}, 0.5}};
  const double margin = 0.006;
  const laser::Beam<3> beam(joined(Eigen::Vector3d(0.1, -0.2, 0.5), Eigen::Vector3d(0.07, -0.17, 0.2)));
  Eigen::VectorXd h;
  Eigen::Matrix<double, Eigen::Dynamic, 6> by_tip;
  laser::beam_clear_of(balls, margin, beam, h, by_tip);
  REQUIRE(h.size() == 3);
  for (Eigen::Index b = 0; b < 3; ++b) {
    const laser::Ball& ball = balls[static_cast<std::size_t>(b)];
    const Eigen::Vector3d along = beam.direction.normalized();
    double least = std::numeric_limits<double>::infinity();  // over points of the line
    for (int k = -40000; k <= 40000; ++k) least = std::min(least, (beam.tip + 1e-4 * k * along - ball.centre).norm());
    CHECK(h[b] == Approx(1 - least * least / std::pow(ball.radius + margin, 2)).margin(1e-4));
  }

  // A ball that the beam just touches with its margin.
  const Eigen::Vector3d aside = beam.direction.cross(Eigen::Vector3d::UnitX()).normalized();
  laser::beam_clear_of({{beam.tip + 2 * beam.direction + 0.106 * aside, 0.1}}, margin, beam, h, by_tip);
  CHECK(h[0] == Approx(0).margin(1e-12));
}

TEST_CASE("the obstacles' constraint's Jacobian leaves a remainder of second order") {
  const laser::Setup setup;
  const auto tip = bending_tip();
  const laser::BeamClear<decltype(tip)> clear(laser::obstacles(setup), setup.beam_margin, tip);
  check_slope(quoin::check_derivatives<16>(
      of_state_and_control(
          2, [&](const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& by_x,
                 Eigen::MatrixXd& by_u) { return clear.constraint(100, x, u, h, by_x, by_u); }),
      some_state_and_control()));
}
