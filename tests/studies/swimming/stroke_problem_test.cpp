// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimming/stroke_problem.hpp"

#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/map/derivative_check.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/robots/models/swimmer/decoupled_added_mass.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <vector>

namespace stroke = studies::stroke;

namespace {

/// [q; dq/dt; theta, x, y; tau_{i-1}] from [q; theta, x, y; dq/dt; tau_{i-1}] and the control, for check_derivatives.
using StateAndControl = quoin::Point<15>;

StateAndControl some_state() {
  return StateAndControl::NullaryExpr(
      [](Eigen::Index k) { return 0.5 * std::sin(1.3 + 1.7 * static_cast<double>(k)); });
}

stroke::Setup short_stroke() {
  stroke::Setup setup;
  setup.chain.mesh = 2;
  setup.steps = 20;
  setup.max_iterations = 5;
  return setup;
}

/// The sum of the stroke's cost, written out.
double cost_of(const stroke::Fish& fish, const Eigen::MatrixXd& states, const Eigen::MatrixXd& torques) {
  const double short_of_goal = 1.5 - fish.distance(states);
  double cost = 20 * short_of_goal * short_of_goal;
  Eigen::Vector3d before = Eigen::Vector3d::Zero();
  for (Eigen::Index i = 0; i < torques.cols(); ++i) {
    cost += 0.5 * torques.col(i).squaredNorm() + 15 * (torques.col(i) - before).squaredNorm() +
            0.001 * states.col(i).segment<3>(3).squaredNorm();
    before = torques.col(i);
  }
  return cost;
}

}  // namespace

TEST_CASE("a straight swimmer's centre is amidships, and moves with the swimmer") {
  const quoin::swimmer::Swimmer fish = quoin::swimmer::ellipsoid_chain({.mesh = 2});
  const stroke::CentreOfMass centre(fish);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(9);
  // Four equal links, 0.22 m from centre to centre, the first at the origin.
  CHECK((centre(x) - Eigen::Vector2d(-0.33, 0)).norm() < 1e-6);
  x[6] = std::numbers::pi / 2;
  x.tail<2>() << 2, 3;
  CHECK((centre(x) - Eigen::Vector2d(2, 3 - 0.33)).norm() < 1e-6);
}

TEST_CASE("a bent swimmer's centre is the mean of its links' centres in the world") {
  const quoin::swimmer::Swimmer fish = quoin::swimmer::ellipsoid_chain({.mesh = 2});
  Eigen::VectorXd x = Eigen::VectorXd::Zero(9);
  x.head<3>() << 0.5, -0.8, 0.9;
  x.tail<3>() << 0.7, -1, 2;
  // Hand on from link to link: to the hinge, half a link and half a gap behind the centre, and as far beyond it.
  Eigen::Vector2d at(-1, 2), sum = at;
  double heading = 0.7;
  for (int k = 0; k < 3; ++k) {
    at -= 0.11 * Eigen::Vector2d(std::cos(heading), std::sin(heading));
    heading += x[k];
    at -= 0.11 * Eigen::Vector2d(std::cos(heading), std::sin(heading));
    sum += at;
  }
  CHECK((stroke::CentreOfMass(fish)(x) - sum / 4).norm() < 1e-6);
}

TEST_CASE("the stroke's residuals are torques, their changes and rates, and at the end the way that is left") {
  const stroke::Setup setup;
  const quoin::swimmer::Swimmer fish = quoin::swimmer::ellipsoid_chain({.mesh = 2});
  Eigen::VectorXd start = Eigen::VectorXd::Zero(9);
  start.head<3>() = setup.start;
  const stroke::Residuals residuals(setup, fish, start);
  const Eigen::VectorXd none(0);
  Eigen::VectorXd x(12), r;

  x << start, Eigen::Vector3d::Zero();
  REQUIRE(residuals.residual(200, x, none, r));
  REQUIRE(r.size() == 1);
  CHECK(0.5 * r[0] * r[0] == Approx(20 * 1.5 * 1.5));
  x[7] += 1.5;
  x[8] += 4;  // sideways, which is worth nothing
  REQUIRE(residuals.residual(200, x, none, r));
  CHECK(std::abs(r[0]) < 1e-12);

  const Eigen::Vector3d rates(1, -2, 3), before(0.1, 0.2, -0.1), torque(0.3, 0.1, 0);
  x.segment<3>(3) = rates;
  x.tail<3>() = before;
  REQUIRE(residuals.residual(7, x, torque, r));
  CHECK(0.5 * r.squaredNorm() ==
        Approx(0.5 * torque.squaredNorm() + 15 * (torque - before).squaredNorm() + 0.001 * rates.squaredNorm()));
}

TEST_CASE("the stroke's residuals' Jacobians leave a remainder of second order") {
  const stroke::Setup setup;
  const quoin::swimmer::Swimmer fish = quoin::swimmer::ellipsoid_chain({.mesh = 2});
  const stroke::Residuals residuals(setup, fish, Eigen::VectorXd::Zero(9));
  for (const bool at_end : {false, true}) {
    const auto of_all = quoin::exact_function<15>(at_end ? 1 : 9, [&](const StateAndControl& z, auto y, auto J) {
      const Eigen::VectorXd x = z.head<12>(), u = z.tail<3>();
      Eigen::VectorXd r;
      Eigen::MatrixXd by_x, by_u;
      REQUIRE(residuals.residual(7, x, at_end ? Eigen::VectorXd(0) : u, r, by_x, by_u));
      y = r;
      J.setZero();
      J.leftCols(12) = by_x;
      if (!at_end) J.rightCols(3) = by_u;
    });
    const quoin::DerivativeCheck check = quoin::check_derivatives<15>(of_all, some_state());
    INFO(check.message);
    CHECK(check.passed);
    if (at_end) {  // bent links: it is curved
      CHECK(check.slope > 1.8);
      CHECK(check.slope < 2.3);
    }
  }
}

TEST_CASE("the stroke's distance is how far the centre of mass comes, and without water torques move it nowhere") {
  const stroke::Fish fish(short_stroke());
  Eigen::MatrixXd states = Eigen::MatrixXd::Zero(9, 2);
  states.col(1).tail<3>() << 0, 0.7, 5;
  CHECK(fish.distance(states) == Approx(0.7));

  using Nothing = quoin::swimmer::DecoupledAddedMass<3>;
  using Mass = quoin::swimmer::GeneralizedMass<3, Nothing>;
  const Nothing nothing(std::vector<Eigen::MatrixXd>(4, Eigen::MatrixXd::Zero(3, 3)));
  const auto planar = quoin::swimmer::Motion::planar;
  const quoin::swimmer::SwimmerDynamics<3, Mass> swim(Mass(fish.body, planar, nothing), planar, {.time_step = 0.005});
  Eigen::MatrixXd motion(9, 101);
  motion.col(0) = swim.rest_state(fish.setup.start);
  Eigen::VectorXd next;
  for (int i = 0; i < 100; ++i) {
    const Eigen::VectorXd torque = 0.02 * Eigen::Vector3d(std::sin(0.1 * i), std::cos(0.07 * i), -1);
    REQUIRE(swim.step(Eigen::VectorXd(motion.col(i)), torque, next) == quoin::StepStatus::ok);
    motion.col(i + 1) = next;
  }
  CHECK((motion.col(100) - motion.col(0)).head<3>().norm() > 0.1);
  CHECK(std::abs(motion(7, 100)) > 0.01);  // the head moves
  CHECK(std::abs(fish.distance(motion)) < 1e-6);
}

TEST_CASE("a planned stroke costs what its torques, rates and way sum up to, and so does its replay on the flow") {
  const stroke::Fish fish(short_stroke());
  const stroke::GridChoice choice{.spacing = 0.6, .threshold = 0.6, .threads = 1};
  auto grid = make_grid(fish, choice);
  const stroke::Plan plan = plan_through_grid(fish, grid, choice).plan;
  REQUIRE(plan.states.cols() == 21);
  REQUIRE(plan.controls.cwiseAbs().maxCoeff() > 1e-3);
  CHECK(plan.cost == Approx(cost_of(fish, plan.states, plan.controls)).epsilon(1e-10));
  CHECK(plan.distance == Approx(fish.distance(plan.states)));

  using Mass = quoin::swimmer::GeneralizedMass<3, quoin::swimmer::AddedMass<3>>;
  const auto planar = quoin::swimmer::Motion::planar;
  const quoin::swimmer::SwimmerDynamics<3, Mass> swim(Mass(fish.body, planar, fish.water), planar,
                                                      {.time_step = fish.setup.time_step});
  Eigen::MatrixXd replayed = plan.states;
  Eigen::VectorXd next;
  for (Eigen::Index i = 0; i < 20; ++i) {
    REQUIRE(swim.step(Eigen::VectorXd(replayed.col(i)), Eigen::VectorXd(plan.controls.col(i)), next) ==
            quoin::StepStatus::ok);
    replayed.col(i + 1) = next;
  }
  CHECK((replayed - plan.states).cwiseAbs().maxCoeff() < 1e-4);  // the grid's error, over twenty steps
  CHECK(cost_of(fish, replayed, plan.controls) == Approx(plan.cost).epsilon(1e-5));
}
