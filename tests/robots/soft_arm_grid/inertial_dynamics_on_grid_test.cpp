// SPDX-License-Identifier: BSD-3-Clause
// The dynamics of the arm that its inertia bends, on the arm's grid and a second one on the same corners.
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

template <int SpaceDim>
SoftArm<SpaceDim> inertial_arm() {
  return SoftArm<SpaceDim>(make_beam<SpaceDim>({.cells_across = 2, .cells_along = 10}));
}

template <int SpaceDim>
SoftArmGridOptions<SpaceDim> spaced(double spacing, int jet_order = 2) {
  return {.jet_order = jet_order,
          .spacing = spacing,
          .step = {.time_step = 0.04, .stiffness_damping = 0.05, .mass_damping = 0.1, .tolerance = 1e-11}};
}

/// A state in motion, and a control.
template <class Dynamics>
std::pair<Eigen::VectorXd, Eigen::VectorXd> drawn_motion(const Dynamics& dynamics, std::mt19937& random) {
  std::uniform_real_distribution<double> pull(0, 1.5);
  std::normal_distribution<double> normal;
  const Eigen::Index n = dynamics.state_size() / 2, lines = dynamics.control_size();
  Eigen::VectorXd x(2 * n), u(lines);
  for (double& number : u) number = pull(random);
  for (double& number : x) number = 0.02 * normal(random);
  x.head(lines) = u;
  x.tail(n) = x.head(n);
  for (double& number : x.tail(n)) number += 0.01 * normal(random);
  return {x, u};
}

}  // namespace

TEST_CASE("steps with inertia on a grid tend to the exact ones, with their derivatives and the tip's place") {
  SoftArmGrid<2> arm(inertial_arm<2>(), spaced<2>(1));
  const auto exact = arm.exact_inertial_dynamics();
  std::mt19937 random(3);
  double step[2] = {}, derivative[2] = {}, tip[2] = {};
  const InertialShapes<2> shapes(arm.statics(), exact.directions());
  for (int draw = 0; draw < 8; ++draw) {
    const auto [x, u] = drawn_motion(exact, random);
    Eigen::VectorXd next, of_grid, y, place;
    Eigen::MatrixXd dx, du, dx_grid, du_grid, J;
    REQUIRE(exact.step(x, u, next, dx, du) == StepStatus::ok);
    arm.statics().evaluate(next.head<2>(), y);
    const Eigen::VectorXd shape = y.head(arm.body().size()) + shapes.shapes(next.head<2>()) * next[2];
    for (int level = 0; level < 2; ++level) {
      const auto view = arm.grid().at_level(level);
      REQUIRE(arm.inertial_dynamics(view).step(x, u, of_grid, dx_grid, du_grid) == StepStatus::ok);
      step[level] = std::max(step[level], (of_grid - next).norm());
      derivative[level] = std::max(derivative[level], (dx_grid - dx).norm() + (du_grid - du).norm());
      REQUIRE(arm.inertial_tip(view).try_evaluate(next, place, J).has_value());
      REQUIRE(J.cols() == 3);
      tip[level] = std::max(tip[level], (place - arm.body().tip_rows().leftCols(shape.size()) * shape).norm());
    }
  }
  CHECK(step[0] < 1e-2);
  CHECK(step[1] < step[0] / 3);
  CHECK(derivative[1] < derivative[0] / 2);
  CHECK(tip[0] < 2e-4);
  CHECK(tip[1] < 5e-5);
}

TEST_CASE("the tip's derivatives along alpha and q are those of its place") {
  SoftArmGrid<3> arm(inertial_arm<3>(), spaced<3>(1));
  const auto view = arm.grid().at_level(0);
  const auto tip = arm.inertial_tip(view);
  REQUIRE(tip.size() == 6);
  Eigen::VectorXd z(6), w(6), y, ahead, behind;
  z << 0.61, 0.23, 0.34, 0.71, 0.05, -0.03;
  w << 0.3, -0.2, 0.4, 0.1, 0.2, 0.5;
  Eigen::MatrixXd J, unused;
  tip.evaluate(z, y, J);
  const double h = 1e-5;
  tip.evaluate(z + h * w, ahead, unused);
  tip.evaluate(z - h * w, behind, unused);
  CHECK(((ahead - behind) / (2 * h) - J * w).norm() < 1e-7 * (J * w).norm());
}

TEST_CASE("inertia asks for no equilibrium but those of the view's own corners, whatever the order of the jets") {
  for (const int jet_order : {1, 2, 3}) {
    SoftArmGrid<2> arm(inertial_arm<2>(), spaced<2>(0.5, jet_order));
    const auto view = arm.grid().at_level(1);
    const auto at_rest = arm.dynamics(view);
    const auto inertial = arm.inertial_dynamics(view);
    std::mt19937 random(4);
    for (int draw = 0; draw < 5; ++draw) {
      const auto [x, u] = drawn_motion(inertial, random);
      Eigen::VectorXd next, again;
      REQUIRE(inertial.step(x, u, next) == StepStatus::ok);
      const long before = arm.statics().solves();
      Eigen::VectorXd y;
      arm.coordinates(view).evaluate(next.head<2>(), y);
      arm.coordinates(view).evaluate(x.head<2>(), y);
      CHECK(arm.statics().solves() == before);
      REQUIRE(inertial.step(x, u, again) == StepStatus::ok);
      CHECK(again == next);
      CHECK(arm.statics().solves() == before);
    }
  }
}

TEST_CASE("inertia at a tolerance, from a store, and in a basis that has grown") {
  struct Kept : SampleStorage<2> {
    std::vector<CornerSample<2>> samples;
    void open(Eigen::Index, int) override {}
    bool find(CornerSample<2>& sample, const Point<2>& within, Eigen::Index derivatives) override {
      for (const CornerSample<2>& kept : samples)
        if (((kept.x - sample.x).cwiseAbs().array() <= within.array()).all() && kept.jet.cols() == derivatives) {
          sample = kept;
          return true;
        }
      return false;
    }
    void keep(const CornerSample<2>& sample) override { samples.push_back(sample); }
  };
  const auto storage = std::make_shared<Kept>();
  Eigen::VectorXd first, second;
  std::mt19937 random(6);
  for (Eigen::VectorXd* next : {&first, &second}) {
    auto options = spaced<2>(1);
    options.storage = storage;
    options.basis_control = 0.2;  // too small a basis
    SoftArmGrid<2> arm(inertial_arm<2>(), options);
    const auto view = arm.grid().at_tolerance(1e-4);
    random.seed(6);
    const auto [x, u] = drawn_motion(arm.inertial_dynamics(view), random);
    REQUIRE(arm.inertial_dynamics(view).step(x, u, *next) == StepStatus::ok);
    const auto small = arm.inertial_dynamics(view);
    CHECK(arm.grow() > 0);
    Eigen::VectorXd grown, as_before;
    REQUIRE(arm.inertial_dynamics(view).step(x, u, grown) == StepStatus::ok);
    REQUIRE(small.step(x, u, as_before) == StepStatus::ok);
    CHECK(as_before == *next);
    CHECK((grown - *next).norm() < 1e-2);
    if (next == &second) CHECK(arm.statics().solves() == 0);
  }
  CHECK((first - second).norm() < 1e-9);
}

TEST_CASE("the error that is said of the reduction is that of the tip on the mesh, on drawn arms and motions") {
  std::mt19937 random(101);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  constexpr int draws = 12;
  int below = 0, far_above = 0;
  for (int draw = 0; draw < draws; ++draw) {
    BeamOptions beam{.length = between(0.2, 0.8), .cells_across = 2, .cells_along = 10};
    beam.width = beam.length * between(0.07, 0.14);
    ArmOptions<2> loads;
    if (draw % 2 == 1) loads.gravity << between(-3, 3), between(-5, 5);
    const Statics<2> statics(SoftArm<2>(make_beam<2>(beam), loads));
    Eigen::MatrixXd jet(statics.output_size(), 6);
    statics.evaluate_jet(2, Point<2>::Zero(), jet);
    const double omega = std::sqrt(bending_directions(statics.arm(), jet).col(0).cwiseAbs().maxCoeff());
    SoftArmGridOptions<2> options{.spacing = 0.5};
    options.step.time_step = between(0.1, 0.3) / omega;
    options.step.stiffness_damping = draw % 3 == 0 ? 0 : between(0.03, 0.5) / omega;
    options.step.tolerance = 1e-9;
    SoftArmGrid<2> arm(statics, options);
    const auto view = arm.grid().at_level(1);
    const auto dynamics = arm.inertial_dynamics(view);
    const Point<2> pulls(between(0, 2), between(0, 2));
    const double rise = between(2, 18) / omega;
    constexpr int steps = 120;
    Eigen::MatrixXd controls(2, steps), states(dynamics.state_size(), steps + 1);
    states.col(0).setZero();
    for (int i = 0; i < steps; ++i) {
      const double s = std::min(1.0, (i + 1) * options.step.time_step / rise);
      controls.col(i) = s * s * (3 - 2 * s) * pulls;
      Eigen::VectorXd next;
      REQUIRE(dynamics.step(states.col(i), controls.col(i), next) == StepStatus::ok);
      states.col(i + 1) = next;
    }
    const Eigen::VectorXd rest = jet.col(0).head(statics.arm().size());
    const auto motion = arm.full_dynamics().rollout(rest, rest, controls);
    REQUIRE(motion.steps == steps);
    const auto tip = arm.inertial_tip(view);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    double error = 0;
    for (int i = 0; i <= steps; ++i) {
      tip.evaluate(states.col(i), y, J);
      error = std::max(error, (y - arm.body().tip_rows().leftCols(rest.size()) * motion.position(i)).head<2>().norm());
    }
    const double said = arm.reduction_error_along(view, states, controls) + 2e-6 * beam.length;  // the grid's part
    CAPTURE(draw, error, said);
    CHECK(error < 0.1 * beam.length);
    below += said < error;
    far_above += said > 20 * error;
  }
  CHECK(below <= 1);
  CHECK(far_above <= 1);
}

TEST_CASE("modes that an arm does not have are refused when inertia is asked for") {
  auto options = spaced<2>(1);
  options.bending_modes = 3;
  const SoftArmGrid<2> arm(inertial_arm<2>(), options);
  CHECK_THROWS_WITH(arm.inertial_dynamics(arm.grid().at_level(0)), Catch::Matchers::Contains("3 modes"));
  const SoftArmGrid<2> right(inertial_arm<2>(), spaced<2>(1));
  CHECK_THROWS_WITH(
      right.reduction_error_along(right.grid().at_level(0), Eigen::MatrixXd::Zero(4, 3), Eigen::MatrixXd::Zero(2, 2)),
      Catch::Matchers::Contains("states 4 x 3") && Catch::Matchers::Contains("6 x (K + 1)"));
}
