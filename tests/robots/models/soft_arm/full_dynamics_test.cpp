// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"
#include "small_arm.hpp"
#include "testing/refused_options.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

// Smooth controls, different on each line.
Eigen::MatrixXd some_controls(int lines, int steps) {
  return Eigen::MatrixXd::NullaryExpr(lines, steps, [](Eigen::Index i, Eigen::Index k) {
    return 0.8 + 0.7 * std::sin(0.3 * static_cast<double>(k) + 1.3 * static_cast<double>(i));
  });
}

template <int SpaceDim>
void check_printed_equation(const FullDynamicsOptions& options) {
  const auto arm = small_arm<SpaceDim>();
  const FullDynamics<SpaceDim> full(arm, options);
  const auto motion = full.rollout(arm.rest(), arm.rest(), some_controls(arm.lines, 20));
  REQUIRE(motion.status == StepStatus::ok);
  REQUIRE(motion.steps == 20);
  const Eigen::VectorXd mass = arm.free_part(arm.mass());
  const double dt = options.time_step;
  for (int k = 0; k < 20; ++k) {
    const Eigen::VectorXd x = motion.position(k + 1), now = motion.position(k), before = motion.position(k - 1);
    Eigen::VectorXd slope, slope_now;
    arm.gradient(x, motion.controls.col(k), slope);
    arm.gradient(now, motion.controls.col(k), slope_now);
    const Eigen::VectorXd residual = mass.cwiseProduct(arm.free_part(x - 2 * now + before)) / (dt * dt) +
                                     options.mass_damping / dt * mass.cwiseProduct(arm.free_part(x - now)) + slope +
                                     options.stiffness_damping / dt * (slope - slope_now);
    CHECK(residual.lpNorm<Eigen::Infinity>() < 2e-9 * arm.line_force());
    for (int vertex : arm.mesh().clamped) {
      CHECK((x - arm.rest()).template segment<SpaceDim>(SpaceDim * vertex).norm() == 0);
    }
  }
  CHECK((motion.position(20) - arm.rest()).norm() > 0.05);
}

template <int SpaceDim>
void check_energy(double damping) {
  const auto arm = small_arm<SpaceDim>();
  const FullDynamics<SpaceDim> full(arm, {.stiffness_damping = damping});
  typename FullDynamics<SpaceDim>::Controls u;
  u.setConstant(0.3);
  u[0] = 1.2;
  const auto motion = full.rollout(arm.rest(), arm.rest(), u.replicate(1, 220));
  REQUIRE(motion.status == StepStatus::ok);
  const double start = full.energy(motion.position(0), motion.position(-1), u);
  double energy = start, kinetic = 0;
  for (int k = 1; k <= motion.steps; ++k) {
    const double next = full.energy(motion.position(k), motion.position(k - 1), u);
    REQUIRE(next <= energy + 1e-11);
    energy = next;
    kinetic = std::max(kinetic, next - arm.energy(motion.position(k), u));
  }
  CHECK(start - energy > 1e-3);
  CHECK(kinetic > 1e-3);
}

template <int SpaceDim>
void check_sensitivity(const FullDynamicsOptions& options) {
  const auto arm = small_arm<SpaceDim>();
  const FullDynamics<SpaceDim> full(arm, options);
  const int steps = 12, lines = arm.lines;
  const Eigen::MatrixXd controls = some_controls(lines, steps), change = random_matrix(lines, steps, 3);
  const Eigen::MatrixXd rows = arm.tip_rows().leftCols(arm.size());
  const auto motion = full.rollout(arm.rest(), arm.rest(), controls);
  const auto sensitivity = full.sensitivity(motion, rows, 1);
  REQUIRE(sensitivity.status == StepStatus::ok);
  REQUIRE(sensitivity.jacobian.rows() == rows.rows() * steps);
  REQUIRE(sensitivity.jacobian.cols() == lines * steps);

  const auto outputs = [&](const FullTrajectory& m) {
    const Eigen::MatrixXd values = rows * m.positions.rightCols(steps);
    return Eigen::VectorXd(values.reshaped());
  };
  const Eigen::VectorXd along = sensitivity.jacobian * change.reshaped();
  std::vector<double> remainders;
  for (double h : {1e-1, 1e-2, 1e-3}) {
    const auto moved = full.rollout(arm.rest(), arm.rest(), controls + h * change);
    REQUIRE(moved.status == StepStatus::ok);
    remainders.push_back((outputs(moved) - outputs(motion) - h * along).norm());
  }
  for (int i = 0; i < 2; ++i) {
    const double slope = std::log10(remainders[i] / remainders[i + 1]);
    CHECK(slope > 1.9);
    CHECK(slope < 2.1);
  }

  // No control acts before its time.
  for (int k = 0; k < steps; ++k) {
    const Eigen::Index m = rows.rows();
    const auto later = sensitivity.jacobian.block(m * k, lines * (k + 1), m, lines * (steps - k - 1));
    CHECK(later.cwiseAbs().sum() == 0);
    CHECK(sensitivity.jacobian.block(rows.rows() * k, lines * k, rows.rows(), lines).norm() > 0);
  }

  const auto two_threads = full.sensitivity(motion, rows, 2);
  CHECK((two_threads.jacobian - sensitivity.jacobian).norm() < 1e-13 * sensitivity.jacobian.norm());

  std::vector<Eigen::MatrixXd> some(steps);
  some[4] = rows.topRows(1);
  some[9] = rows.bottomRows(2);
  const auto few = full.sensitivity(motion, some);
  REQUIRE(few.jacobian.rows() == 3);
  const Eigen::Index m = rows.rows();
  CHECK((few.jacobian.row(0) - sensitivity.jacobian.row(m * 4)).norm() < 1e-13 * sensitivity.jacobian.norm());
  CHECK((few.jacobian.bottomRows(2) - sensitivity.jacobian.middleRows(m * 10 - 2, 2)).norm() <
        1e-13 * sensitivity.jacobian.norm());
}

}  // namespace

TEST_CASE("a step of the full arm solves Eq. 2 as printed, with its damping, and never moves the clamp") {
  check_printed_equation<2>({});
  check_printed_equation<2>({.time_step = 0.01, .stiffness_damping = 0.03, .mass_damping = 0.5});
  check_printed_equation<3>({.stiffness_damping = 0.02});
}

TEST_CASE("the energy of the full arm under constant controls never grows in 220 steps") {
  check_energy<2>(0);
  check_energy<2>(0.05);
  check_energy<3>(0);
}

TEST_CASE("sensitivities of the full arm leave a remainder of second order, and are causal") {
  check_sensitivity<2>({});
  check_sensitivity<2>({.stiffness_damping = 0.03, .mass_damping = 0.5});
  check_sensitivity<3>({.stiffness_damping = 0.02});
}

TEST_CASE("more rows than are solved for at once give the same sensitivities") {
  const auto arm = small_arm<2>();
  const FullDynamics<2> full(arm, {.stiffness_damping = 0.02});
  const auto motion = full.rollout(arm.rest(), arm.rest(), some_controls(2, 3));
  const Eigen::MatrixXd rows = random_matrix(45, arm.size(), 5);
  const auto all = full.sensitivity(motion, rows);
  for (Eigen::Index i : {0, 31, 32, 44}) {
    const auto one = full.sensitivity(motion, Eigen::MatrixXd(rows.row(i)));
    for (int k = 0; k < 3; ++k) {
      CHECK((one.jacobian.row(k) - all.jacobian.row(45 * k + i)).norm() < 1e-12 * one.jacobian.norm());
    }
  }
}

TEST_CASE("sensitivities through fewer adjoints than rows keep the tolerance, and 0 asks for all of them") {
  const auto arm = small_arm<3>();
  const Eigen::MatrixXd rows = random_matrix(4, arm.size(), 7), controls = some_controls(arm.lines, 40);
  const auto sensitivities = [&](double tolerance, double damping) {
    const FullDynamics<3> full(arm, {.stiffness_damping = damping, .adjoint_tolerance = tolerance});
    const auto motion = full.rollout(arm.rest(), arm.rest(), controls);
    REQUIRE(motion.status == StepStatus::ok);
    const auto result = full.sensitivity(motion, rows);
    REQUIRE(result.status == StepStatus::ok);
    return result.jacobian;
  };
  const auto worst_row = [](const Eigen::MatrixXd& J, const Eigen::MatrixXd& exact) {
    return ((J - exact).rowwise().norm().array() / exact.rowwise().norm().array()).maxCoeff();
  };
  for (double damping : {0.0, 0.05}) {
    const Eigen::MatrixXd exact = sensitivities(0, damping);
    CHECK(worst_row(sensitivities(1e-12, damping), exact) < 1e-10);
    const double coarse = worst_row(sensitivities(1e-4, damping), exact);
    CHECK(coarse < 1e-2);
    CHECK(coarse > 1e-9);  // something was left out
  }
}

TEST_CASE("step, solve and rollout of the full arm agree, from many threads as from one") {
  const auto arm = small_arm<2>();
  const FullDynamics<2> full(arm);
  const Eigen::MatrixXd controls = some_controls(2, 10);
  const auto motion = full.rollout(arm.rest(), arm.rest(), controls);
  Eigen::VectorXd x = arm.rest().replicate<2, 1>(), next;
  REQUIRE(x.size() == full.state_size());
  for (int k = 0; k < 10; ++k) {
    REQUIRE(full.step(x, controls.col(k), next) == StepStatus::ok);
    Eigen::VectorXd solved;
    REQUIRE(full.solve(x.head(arm.size()), x.tail(arm.size()), controls.col(k), solved).status == StepStatus::ok);
    CHECK(next.head(arm.size()) == solved);
    CHECK(next.tail(arm.size()) == x.head(arm.size()));
    // A rollout guesses better where a step begins, and ends as near to the solution.
    CHECK((solved - motion.position(k + 1)).norm() < 1e-9 * (solved - arm.rest()).norm());
    x.head(arm.size()) = motion.position(k + 1);
    x.tail(arm.size()) = motion.position(k);
  }
  std::vector<FullTrajectory> others(3);
  std::vector<std::thread> threads;
  for (auto& other : others) {
    threads.emplace_back([&] { other = full.rollout(arm.rest(), arm.rest(), controls); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& other : others) CHECK(other.positions == motion.positions);
}

TEST_CASE("a full step that cannot be solved says so, and the motion up to it is kept") {
  const auto arm = small_arm<2>();
  const FullDynamics<2> hasty(arm, {.max_iterations = 1});
  Eigen::MatrixXd controls = Eigen::MatrixXd::Zero(2, 5);
  controls.rightCols(2).setConstant(3);
  controls.row(0).setZero();
  const auto motion = hasty.rollout(arm.rest(), arm.rest(), controls);
  CHECK(motion.status == StepStatus::not_converged);
  CHECK(motion.steps == 3);
  CHECK(motion.positions.cols() == 5);
  CHECK(motion.controls.cols() == 3);

  const FullDynamics<2> full(arm);
  Eigen::VectorXd next;
  CHECK(full.solve(arm.rest(), arm.rest(), {std::numeric_limits<double>::quiet_NaN(), 0}, next).status ==
        StepStatus::not_converged);
  const FullDynamics<2> slow(arm, {.time_step = 10});
  CHECK(slow.solve(arm.rest(), arm.rest(), {400, 400}, next).status != StepStatus::ok);
}

TEST_CASE("FullDynamics refuses what does not fit, with its numbers") {
  const auto arm = small_arm<2>();
  using Options = FullDynamicsOptions;
  quoin::test::RefusedOptions("FullDynamics", Options{}, [&](const Options& o) { FullDynamics<2>(arm, o); })
      .positive("time_step", &Options::time_step)
      .not_negative("stiffness_damping", &Options::stiffness_damping)
      .not_negative("mass_damping", &Options::mass_damping)
      .positive("tolerance", &Options::tolerance)
      .not_negative("max_iterations", &Options::max_iterations)
      .not_negative("adjoint_tolerance", &Options::adjoint_tolerance);
  const FullDynamics<2> full(arm);
  Eigen::VectorXd next;
  CHECK_THROWS_WITH(full.step(arm.rest(), Eigen::Vector2d::Zero(), next),
                    Catch::Contains("state of size 66, wanted 132"));
  CHECK_THROWS_WITH(full.rollout(arm.rest(), arm.rest(), Eigen::MatrixXd::Zero(3, 4)),
                    Catch::Contains("control of size 3, wanted 2"));
  const auto motion = full.rollout(arm.rest(), arm.rest(), Eigen::MatrixXd::Zero(2, 4));
  CHECK_THROWS_WITH(full.sensitivity(motion, std::vector<Eigen::MatrixXd>(3)), Catch::Contains("rows for 3 steps"));
  CHECK_THROWS_WITH(full.sensitivity(motion, Eigen::MatrixXd::Zero(1, 5)), Catch::Contains("5 columns, wanted 66"));
}
