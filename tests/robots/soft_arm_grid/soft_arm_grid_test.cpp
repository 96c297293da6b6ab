// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

template <int SpaceDim>
SoftArm<SpaceDim> coarse_arm() {
  return SoftArm<SpaceDim>(make_beam<SpaceDim>({.cells_across = 2, .cells_along = 10}));
}

/// One thread, so that answers repeat to the bit.
SoftArmGridOptions<2> alone() {
  return {.step = {.time_step = 0.04, .stiffness_damping = 0.05, .mass_damping = 0.1}, .evaluator = ThisThread{}};
}

struct Value {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  bool operator==(const Value&) const = default;
};

template <class Map>
Value value(const Map& map, const Point<2>& alpha) {
  Value v;
  map.evaluate(alpha, v.y, v.J);
  return v;
}

template <class Dynamics>
Eigen::VectorXd step(const Dynamics& dynamics, const Eigen::Vector4d& state, const Eigen::Vector2d& control) {
  Eigen::VectorXd next;
  REQUIRE(dynamics.step(state, control, next) == StepStatus::ok);
  return next;
}

const Eigen::Vector4d state(1.3, 0.4, 1.28, 0.41);
const Eigen::Vector2d control(1.5, 0.2);

std::string message_of(const SoftArmGridOptions<2>& options) {
  static const Statics<2> statics(coarse_arm<2>());
  try {
    SoftArmGrid<2> arm(statics, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an arm on a grid answers as its parts put together by hand, to the bit, at levels and to tolerances") {
  const SoftArmGrid<2> arm(coarse_arm<2>(), alone());

  const Statics<2> statics(coarse_arm<2>());
  const JetStatics<2, 2> jets(statics);
  const SoftArm<2>& body = statics.arm();
  Eigen::Matrix<double, 2, Eigen::Dynamic> pulls(2, 7);
  pulls << -0.5, 0.5, -0.5, 0.5, 1.5, 1.5, -0.5,  //
      -0.5, -0.5, 0.5, 0.5, -0.5, 1.5, 1.5;
  Eigen::MatrixXd jet(statics.output_size(), 6);
  for (int p = 0; p < 7; ++p) jets.sample(pulls.col(p), jet);
  const ShapeBasis basis = make_shape_basis<2>(statics, pulls, Point<2>(1, 1), body.mass(), body.rest());
  GridOptions<2> lattice;
  lattice.origin.setConstant(-1.5);
  lattice.lower.setConstant(-1.5);
  lattice.upper.setConstant(5.5);  // the last lattice point below 6
  AdaptiveGrid<2> grid(jets, lattice);
  const auto coordinates = grid.linear_output(basis.functional(2)), tip = grid.linear_output(body.tip_rows());
  ReducedDynamicsOptions options = alone().step;
  options.force_scale = body.line_force();

  REQUIRE(arm.basis().shapes() == basis.shapes());
  for (const int level : {0, 1}) {
    const auto view = arm.grid().at_level(level);
    CHECK(value(arm.coordinates(view), {0.7, 1.9}) == value(coordinates.at_level(level), {0.7, 1.9}));
    CHECK(value(arm.tip(view), {0.7, 1.9}) == value(tip.at_level(level), {0.7, 1.9}));
    const ReducedDynamics<2, GridView<2>> by_hand(coordinates.at_level(level), basis.size(), options);
    CHECK(step(arm.dynamics(view), state, control) == step(by_hand, state, control));
  }
  const auto view = arm.grid().at_tolerance(1e-6);
  CHECK(value(arm.tip(view), {0.7, 1.9}) == value(tip.at_tolerance(1e-6), {0.7, 1.9}));
  CHECK(arm.statics().solves() == statics.solves());
}

TEST_CASE("maps and dynamics are as fine as the view that they are asked with, and the nearer to the statics for it") {
  SoftArmGrid<2> arm(coarse_arm<2>(), {.jet_order = 1, .spacing = 0.5});
  const Point<2> alpha(0.7, 1.9);
  Eigen::VectorXd exact;
  arm.statics().evaluate(alpha, exact);
  const Eigen::VectorXd tip = arm.body().tip_rows() * exact;
  double error[3];
  for (int level = 0; level < 3; ++level) {
    const auto view = arm.grid().at_level(level);
    CHECK(arm.tip(view).level() == level);
    CHECK(arm.coordinates(view).level() == level);
    CHECK(arm.dynamics(view).map().level() == level);
    error[level] = (value(arm.tip(view), alpha).y - tip).norm();
  }
  CHECK(error[1] < error[0] / 4);
  CHECK(error[2] < error[1] / 4);

  // The root mean square over the tip's coordinates, and over the body.
  for (const double tolerance : {1e-4, 1e-6}) {
    const auto view = arm.grid().at_tolerance(tolerance);
    CHECK(arm.dynamics(view).map().tolerance() == tolerance);
    CHECK((value(arm.tip(view), alpha).y - tip).norm() / 2 < tolerance);
    const Eigen::VectorXd q = value(arm.coordinates(view), alpha).y.head(arm.basis().size());
    const Eigen::VectorXd exact_q = (arm.basis().functional(2) * exact).head(arm.basis().size());
    CHECK((q - exact_q).norm() * std::sqrt(2 / arm.body().mass().sum()) < tolerance);
  }
}

TEST_CASE("what the basis misses of corners counts as an error along a path, until it has grown") {
  SoftArmGridOptions<2> options = alone();
  options.basis_control = 0.2;  // shapes of weak pulls alone
  SoftArmGrid<2> arm(coarse_arm<2>(), options);
  Eigen::MatrixXd alphas(2, 60);
  for (int i = 0; i < 60; ++i) alphas.col(i) << 2 + 1.5 * std::cos(0.1 * i), 2 + 1.5 * std::sin(0.1 * i);
  const auto largest_error = [&](const GridView<2>& view) {
    double largest = 0;
    Eigen::VectorXd exact;
    for (int i = 0; i < 60; ++i) {
      const Point<2> alpha = alphas.col(i);
      arm.statics().evaluate(alpha, exact);
      // The coordinates are those of f, the shape's of f - f0: they differ by those of f0.
      const Eigen::VectorXd rest =
          arm.basis().shapes().transpose() * arm.body().mass().asDiagonal() * arm.body().rest();
      const Eigen::VectorXd q = value(arm.coordinates(view), alpha).y.head(arm.basis().size()) - rest;
      const Eigen::VectorXd apart = arm.basis().shape(q) - exact.head(arm.body().size());
      largest =
          std::max(largest, std::sqrt(2 * apart.dot(arm.body().mass().asDiagonal() * apart) / arm.body().mass().sum()));
    }
    return largest;
  };
  const auto view = arm.grid().at_level(2);
  arm.coordinates(view).error_along(alphas);  // meets the corners
  const double missed = arm.basis_remainder(), error = largest_error(view);
  CHECK(missed > 1e-7);
  CHECK(arm.error_along(view, alphas).error > 0.5 * error);
  CHECK(arm.error_along(view, alphas).error < 5 * error);  // corners lie around the path, not on it
  CHECK(arm.grow() > 0);
  CHECK(arm.basis_remainder() == 0);  // no corner since
  CHECK(arm.error_along(view, alphas).error < 0.01 * error);
  CHECK(largest_error(view) < 0.01 * error);
}

TEST_CASE("the basis grows when corners show new shapes, by nothing else, and what was made before stays as it was") {
  SoftArmGridOptions<2> options = alone();
  options.basis_control = 0.1;
  options.basis_tolerance = 1e-4;
  SoftArmGrid<2> arm(coarse_arm<2>(), options);
  CHECK(arm.grow() == 0);  // the grid has requested nothing

  const auto view = arm.grid().at_level(0);
  const Eigen::Vector4d bent(3.1, 0.2, 3.05, 0.2);
  const Eigen::Vector2d pull(3.3, 0.2);
  const auto old_dynamics = arm.dynamics(view);
  const auto old_coordinates = arm.coordinates(view);
  const Eigen::VectorXd old_step = step(old_dynamics, bent, pull);
  const Value old_value = value(old_coordinates, {3.1, 0.2});
  const Eigen::Index size = arm.basis().size();
  Eigen::VectorXd shape;
  arm.grid().evaluate({3.1, 0.2}, shape);
  const double missed = arm.basis().remainder(shape.head(arm.body().size()));

  const long solves = arm.statics().solves();
  const int added = arm.grow();
  CHECK(added > 0);
  CHECK(arm.basis().size() == size + added);
  CHECK(arm.grow() == 0);
  CHECK(arm.statics().solves() == solves);
  CHECK(arm.basis().remainder(shape.head(arm.body().size())) < 0.02 * missed);

  const Value new_value = value(arm.coordinates(view), {3.1, 0.2});
  REQUIRE(new_value.y.size() == old_value.y.size() + added);
  CHECK((new_value.y.head(size) - old_value.y.head(size)).norm() < 1e-12 * old_value.y.norm());
  CHECK(value(old_coordinates, {3.1, 0.2}) == old_value);
  CHECK(step(old_dynamics, bent, pull) == old_step);

  const Eigen::VectorXd exact = step(arm.exact_dynamics(), bent, pull);
  const double grown_error = (step(arm.dynamics(view), bent, pull) - exact).norm();
  CHECK(grown_error < 0.2 * (old_step - exact).norm());
}

TEST_CASE("in space the default basis misses nothing of note, and corners are told in the order of asking") {
  SoftArmGrid<3> arm(coarse_arm<3>(), {.spacing = 1.5, .evaluator = Threads{2}});
  CHECK(arm.statics().solves() == 16);  // 0 or 1.5 on each line: 2 is rounded to that
  CHECK(arm.corners().cols() == 0);
  Eigen::VectorXd f;
  arm.statics().evaluate({1.7, 0.3, 0.9, 0.1}, f);
  CHECK(arm.basis().remainder(f.head(arm.body().size())) < 1e-5);

  Eigen::VectorXd y;
  const auto tip = arm.tip(arm.grid().at_level(0));
  tip.evaluate({1.7, 0.3, 0.9, 0.1}, y);
  REQUIRE(arm.corners().cols() == 16);
  tip.evaluate({1.7, 1.7, 0.9, 0.1}, y);
  const Eigen::MatrixXd corners = arm.corners();
  REQUIRE(corners.cols() == 24);
  CHECK(corners.leftCols(16).row(1).maxCoeff() == 1.5);
  CHECK(corners.rightCols(8).row(1) == Eigen::RowVectorXd::Constant(8, 3));
  CHECK(arm.grid().statistics().exact_evaluations == 24);
}

TEST_CASE("the equilibria of the basis are corners: around rest the grid solves for no other") {
  for (const double spacing : {0.9, 1.0, 1.5}) {
    CAPTURE(spacing);
    const SoftArmGrid<2> arm(coarse_arm<2>(), {.spacing = spacing, .lower = -1.5 * spacing});
    const long solves = arm.statics().solves();
    CHECK(solves == (spacing < 1.5 ? 7 : 4));
    value(arm.tip(arm.grid().at_level(0)), {0.1, -0.2});
    CHECK(arm.corners().cols() == 4);
    CHECK(arm.statics().solves() == solves);
  }
}

TEST_CASE("the grid of shapes alone solves for no basis") {
  const Statics<2> statics(coarse_arm<2>());
  for (const int order : {1, 2, 3}) {
    const auto grid = grid_of_shapes<2>(statics, {.jet_order = order});
    CHECK(grid.jet_order() == order);
    CHECK(grid.output_size() == statics.output_size());
  }
  CHECK(statics.solves() == 0);
}

TEST_CASE("the exact and the full dynamics have the arm's force and the options' time step and damping") {
  const SoftArmGrid<2> arm(coarse_arm<2>(), alone());
  const auto exact = arm.exact_dynamics();
  CHECK(exact.options().force_scale == arm.body().line_force());
  CHECK(exact.options().time_step == 0.04);
  const auto full = arm.full_dynamics();
  CHECK(full.options().time_step == 0.04);
  CHECK(full.options().stiffness_damping == 0.05);
  CHECK(full.options().mass_damping == 0.1);
}

TEST_CASE("options out of range are refused with their numbers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(message_of({.jet_order = 4}), Catch::Contains("jet_order = 4"));
  CHECK_THAT(message_of({.spacing = 0}), Catch::Contains("spacing 0 "));
  CHECK_THAT(message_of({.spacing = nan}), Catch::Contains("spacing nan"));
  CHECK_THAT(message_of({.spacing = 8}), Catch::Contains("spacing 8 ") && Catch::Contains("upper = 6"));
  CHECK_THAT(message_of({.lower = 7}), Catch::Contains("lower = 7"));
  CHECK_THAT(message_of({.basis_control = -2}), Catch::Contains("basis_control = -2"));
  CHECK_THAT(message_of({.basis_tolerance = 1}), Catch::Contains("tolerance 1 "));
  CHECK_THAT(message_of({.step = {.time_step = -0.5}}), Catch::Contains("time_step = -0.5"));
  CHECK_THAT(message_of({.evaluator = {}}), Catch::Contains("evaluator"));
  CHECK(message_of({}).empty());
}
