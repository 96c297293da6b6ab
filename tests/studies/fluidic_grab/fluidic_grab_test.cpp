// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/learn_grab.hpp"
#include "examples/studies/fluidic_grab/system_identification.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <optional>

using namespace studies;
using namespace studies::grab;

TEST_CASE("every goal is grabbed from one start: replayed, within 1.1 cm and at most at 2.5 cm/s, within its limits") {
  const fluidic_arm::FluidicArm arm(table1_arm());
  for (const Goal& goal : goals) {
    const GrabTask task{.goal = goal.at, .limits = torque_limits};
    const GrabPlan grab = plan_grab(arm, task, 1);
    CAPTURE(goal.name);
    REQUIRE(grab.plan.converged());
    CHECK(grab.miss <= 0.011);
    CHECK(grab.speed <= 0.025);
    for (int k = 0; k <= 50; ++k) {
      const Eigen::VectorXd tau = torques(task, grab.plan, task.duration * k / 50);
      CHECK((tau.cwiseAbs() - task.limits).maxCoeff() <= 1e-3);
    }
  }
}

TEST_CASE(
    "a machine that is its model but for unknown stiffness, damping, friction, actuators and delay is identified") {
  fluidic_arm::FluidicSystem truth = nominal_system();
  const double friction = GENERATE(0., 3e-3);
  for (fluidic_arm::Segment& segment : truth.arm.segments) segment.friction = friction;
  fluidic_arm::FluidicPlant plant(truth, machine_options(3));
  const SystemFit found =
      identify_system(measured_parts(truth, 3), {run_references(plant, exciting_references(4, 60, 3))});
  REQUIRE(found.fit.converged());
  // Four stiffnesses, four dampings, the friction, three actuators, the delay and the angles at the start, each within
  // four of its own deviations.
  Eigen::VectorXd expected(17);
  expected << Eigen::VectorXd::Constant(4, 0.108), Eigen::VectorXd::Constant(4, 4.2e-3), friction,
      Eigen::VectorXd::Constant(3, 8e-7), 0.05, Eigen::VectorXd::Zero(4);
  const identification::OutputErrorFit& fit = found.fit;
  REQUIRE(fit.p.size() == 17);
  REQUIRE(fit.identifiability.complete());
  for (Eigen::Index i = 0; i < 17; ++i) {
    CAPTURE(friction, i, fit.p[i], fit.deviations[i]);
    CHECK(std::abs(fit.p[i] - expected[i]) <= 4 * fit.deviations[i]);
  }
  for (const fluidic_arm::Segment& segment : found.system.arm.segments)
    CHECK(segment.friction == Approx(friction).margin(1e-3));
  CHECK(found.system.delay == Approx(truth.delay).epsilon(0.04));
  CHECK(fit.residual_deviation == Approx(2e-3).epsilon(0.1));
}

TEST_CASE("references realize a plan as the cylinders can, and what the model predicts is what a like machine does") {
  const fluidic_arm::FluidicSystem system = nominal_system();
  const fluidic_arm::FluidicArm arm(system.arm);
  GrabTask task{.goal = goals[2].at, .limits = torque_limits, .rate_effort = 1e-2, .position_tolerance = 0.003};
  const GrabPlan grab = plan_grab(arm, task, 1);
  REQUIRE(grab.plan.converged());
  const Realization policy = invert_actuators(system, task, grab.plan, task.goal);
  CHECK(policy.references.cwiseAbs().maxCoeff() <= largest_reference);
  CHECK(policy.predicted_distance < 0.02);
  fluidic_arm::PlantOptions options = machine_options(1);
  options.noise = 0;
  fluidic_arm::FluidicPlant plant(system, options);
  run_references(plant, policy.references);
  CHECK((plant.tip_states().col(policy.grab_frame).head<2>() - policy.predicted_tip).norm() < 1e-4);
}

TEST_CASE(
    "a refused plan is planned anew for a goal and a velocity shifted by its miss, or, if that finds nothing, for the "
    "goal itself") {
  const fluidic_arm::FluidicSystem system = nominal_system();
  const SetUp& set_up = set_ups()[0];
  RealizablePlanner planner(task_of(set_up), 1);
  std::optional<GrabPlan> plan = planner.plan(system, {});
  REQUIRE(plan);
  Realization refused = planner.invert(system, *plan);
  refused.predicted_miss = 2;
  refused.predicted_velocity = {0.01, -0.02};
  refused.predicted_tip = set_up.goal + Eigen::Vector2d(0.012, 0.016);
  plan = planner.plan(system, {.replan = 1, .refused = &refused});
  REQUIRE(plan);
  planner.invert(system, *plan);
  CHECK((planner.task().goal - (set_up.goal - Eigen::Vector2d(0.012, 0.016))).norm() < 1e-15);
  CHECK(planner.task().velocity == Eigen::Vector2d(-0.01, 0.02));

  refused.predicted_tip = set_up.goal + Eigen::Vector2d(1, 0);  // a goal where no arm reaches
  CHECK_FALSE(planner.plan(system, {.replan = 2, .refused = &refused}));
  plan = planner.plan(system, {.replan = 3, .refused = &refused});
  REQUIRE(plan);
  planner.invert(system, *plan);
  CHECK(planner.task().goal == set_up.goal);
  CHECK(planner.task().velocity == Eigen::Vector2d::Zero());
  CHECK(planner.plans() == 4);
}

TEST_CASE("what could not be planned cannot be run, and is no success") {
  Machine machine(1, Beginning::nominal);
  CHECK_FALSE(attempt(machine.plant, LearnedGrab{}, goals[0].at).success());
  CHECK_FALSE(attempt_with_feedback(machine, LearnedGrab{}, goals[0].at).success());
}

TEST_CASE("on a machine unlike its model a grab is learned in at most four runs, and feedback does not spoil it") {
  Machine machine(1013, Beginning::nominal);
  const SetUp& set_up = set_ups()[1];
  const LearnedGrab learned = learn_grab(machine, set_up, 1);
  REQUIRE(learned.met);
  CHECK(learned.misses.front() > ball_radius);  // there is something to learn
  CHECK(learned.identifications >= 1);
  CHECK(learned.identifications <= 3);
  CHECK(static_cast<std::size_t>(learned.identifications) + 1 == learned.misses.size());
  CHECK(attempt(machine.plant, learned, set_up.goal).success());
  CHECK(attempt_with_feedback(machine, learned, set_up.goal).success());
}
