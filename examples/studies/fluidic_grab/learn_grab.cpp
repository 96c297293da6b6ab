// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/learn_grab.hpp"

#include "examples/studies/fluidic_grab/system_identification.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "quoin/robots/models/fluidic_arm/driven_arm.hpp"
#include "quoin/robots/planning/time_varying_lqr.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace fluidic_arm;

namespace {

// Plant and cylinders of one seed are drawn from different streams.
constexpr unsigned plant_stream = 1'000'000, cylinder_stream = 2'000'000;

PlantOptions laboratory(unsigned seed) {
  PlantOptions options = machine_options(plant_stream + seed);
  options.initial_angle_noise = 0.01;
  return options;
}

Attempt judge(const FluidicPlant& plant, Index grab_frame, const Eigen::Vector2d& ball) {
  Attempt made{.tip = plant.tip_states()};
  if (made.tip.cols() <= grab_frame) return made;
  made.miss = (made.tip.col(grab_frame).head<2>() - ball).norm();
  made.speed = made.tip.col(grab_frame).tail<2>().norm();
  return made;
}

/// Each segment's friction replaced by the damping that takes the same energy along the motion: the slope of friction
/// holds only for rates far below those of a grab.
FluidicSystem with_friction_as_damping(FluidicSystem system, const MatrixXd& states) {
  const auto n = static_cast<Index>(system.arm.segments.size());
  for (Index i = 0; i < n; ++i) {
    Segment& segment = system.arm.segments[static_cast<std::size_t>(i)];
    const VectorXd rates = states.row(n + i);
    segment.damping += segment.friction * rates.lpNorm<1>() / rates.squaredNorm();
    segment.friction = 0;
  }
  return system;
}

}  // namespace

const std::vector<SetUp>& set_ups() {
  static const std::vector<SetUp> all = {{"1", goals[2].at, torque_limits, 10},
                                         {"2", goals[1].at, torque_limits, 10},
                                         {"3", {0.15, -0.44}, weak_torque_limits, 5},
                                         {"4", {-0.16, -0.44}, weak_torque_limits, 12}};
  return all;
}

GrabTask task_of(const SetUp& set_up) {
  return {.goal = set_up.goal, .limits = set_up.limits, .rate_effort = 1e-2, .position_tolerance = 0.003};
}

Machine::Machine(unsigned seed, Beginning beginning)
    : truth(random_machine(seed)),
      plant(truth, laboratory(seed)),
      model(measured_parts(truth, cylinder_stream + seed)) {
  if (beginning == Beginning::nominal) return;
  recordings.push_back(run_references(plant, exciting_references(8, 60, seed)));
  const SystemFit found = identify_system(model, recordings);
  model = found.system;
  converged = found.fit.converged();
}

LearnedGrab learn_grab(Machine& machine, const SetUp& set_up, unsigned seed) {
  LearnedGrab learned;
  RealizablePlanner planner(task_of(set_up), seed);
  Attempt last;
  const auto plan = [&](const FluidicSystem& model, const RealizablePlanner::Attempt& wanted) {
    return planner.plan(model, wanted);
  };
  const auto invert = [&](const FluidicSystem& model, const GrabPlan& found) { return planner.invert(model, found); };
  const auto run = [&](const Realization& policy) -> std::optional<Recording> {
    learned.policy = policy;
    learned.plan = planner.plan();
    learned.task = planner.task();
    Recording seen = run_references(machine.plant, policy.references);
    learned.predicted.push_back(policy.predicted_distance);
    last = judge(machine.plant, policy.grab_frame, set_up.goal);
    learned.misses.push_back(last.miss);
    learned.speeds.push_back(last.speed);
    if (seen.status != StepStatus::ok) return std::nullopt;
    return seen;
  };
  const auto met = [&](const Recording&) {
    return last.miss <= learning_margin * ball_radius && last.speed <= learning_margin * max_speed;
  };
  const auto identify = [&](const FluidicSystem& model,
                            const std::vector<Recording>& runs) -> std::optional<FluidicSystem> {
    machine.recordings.push_back(runs.back());
    const SystemFit found = identify_system(model, machine.recordings);
    machine.converged = found.fit.converged();
    using enum Stop;
    if (found.fit.stop == initial_failed || found.fit.stop == derivatives_failed) return std::nullopt;
    return found.system;
  };
  const auto result = identification::iterative_learning<GrabPlan, Realization, Recording>(
      machine.model, {.max_runs = max_runs, .max_replans = max_replans, .max_miss = max_predicted_miss}, plan, invert,
      run, met, identify);
  machine.model = result.model;
  learned.met = result.met();
  // The last run is learned from, too: for the feedback, and for the next set-up.
  if (result.met())
    if (const auto model = identify(result.model, {*result.rounds.back().recording})) machine.model = *model;
  learned.identifications = static_cast<int>(result.rounds.size()) - 1;
  learned.plans = planner.plans();
  learned.refused = planner.refused();
  learned.stop = result.stop;
  return learned;
}

Attempt attempt(FluidicPlant& plant, const LearnedGrab& grab, const Eigen::Vector2d& ball) {
  if (grab.policy.references.cols() == 0) return {};
  run_references(plant, grab.policy.references);
  return judge(plant, grab.policy.grab_frame, ball);
}

Attempt attempt_with_feedback(Machine& machine, const LearnedGrab& grab, const Eigen::Vector2d& ball) {
  if (grab.policy.references.cols() == 0) return {};
  // A reference of frame i acts from frame i + late on, the delay rounded to frames: the model moves
  // by these delayed references.
  const DrivenArm driven(machine.model);
  const RungeKutta step(driven, sample_time, 10);
  const auto late = static_cast<Index>(std::lround(machine.model.delay / sample_time));
  const Index K = grab.policy.grab_frame, n = driven.state_size();
  MatrixXd acting = MatrixXd::Zero(3, K), states = MatrixXd::Zero(n, K + 1);
  acting.rightCols(K - late) = grab.policy.references.leftCols(K - late);
  VectorXd x = VectorXd::Zero(n), next;
  for (Index i = 0; i < K; ++i) {
    if (step.step(x, acting.col(i), next) != StepStatus::ok) return {};
    x = next;
    states.col(i + 1) = x;
  }
  // A rounded delay would put the tip's speed at the grab off by as much as that speed may be: the arm's own states are
  // those of the delay itself.
  const ArmResponse exact =
      simulate(machine.model, VectorXd::Zero(4), grab.policy.references.leftCols(K + 1), sample_time);
  if (exact.status != StepStatus::ok) return {};
  states.topRows(8) = exact.states;
  const RungeKutta smooth_step(DrivenArm(with_friction_as_damping(machine.model, states)), sample_time, 10);
  const auto linear = planning::linearize_along(smooth_step, states, acting);
  if (linear.failed_step >= 0) return {};
  // Weights: the tip at the end to 5 mm and 2 cm/s, references to 10 mL, the arm's angles on the way to 0.3 rad.
  MatrixXd tip = MatrixXd::Zero(4, n);
  Eigen::Vector2d p, velocity;
  Eigen::Matrix2Xd J, dJv;
  const VectorXd q = states.col(K).head(4), v = states.col(K).segment(4, 4);
  driven.arm().point(q, 3, 1, p, J);
  driven.arm().point_velocity(q, v, 3, 1, velocity, dJv);
  tip.topLeftCorner(2, 4) = J / 0.005;
  tip.bottomLeftCorner(2, 4) = dJv / 0.02;
  tip.block(2, 4, 2, 4) = J / 0.02;
  MatrixXd Q = MatrixXd::Zero(n, n);
  Q.diagonal().head(4).setConstant(1 / (0.3 * 0.3));
  const auto lqr = planning::time_varying_lqr(
      linear, {.Q = {Q}, .R = {MatrixXd::Identity(3, 3) / 100}, .final = tip.transpose() * tip});

  MatrixXd P0 = MatrixXd::Zero(n, n), W = MatrixXd::Zero(n, n);
  P0.diagonal().head(4).setConstant(1e-4);
  P0.diagonal().segment(4, 4).setConstant(1e-4);
  W.diagonal().segment(4, 4).setConstant(2.5e-3);  // effect of model errors on the rates, rad/s per step
  W.diagonal().head(4).setConstant(1e-6);
  const MatrixXd V = camera_noise * camera_noise * MatrixXd::Identity(8, 8);
  planning::TrajectoryFilter filter(linear, P0);
  MatrixXd changes = MatrixXd::Zero(3, K + 1);  // of the references, as decided
  const auto deviation = [&](Index frame) -> VectorXd {
    return frame < 0 ? VectorXd(VectorXd::Zero(3)) : VectorXd(changes.col(frame));
  };
  const Controller controller = [&](double time, const VectorXd& measured) -> VectorXd {
    const auto i = static_cast<Index>(std::lround(time / sample_time));
    if (i >= K) return grab.policy.references.col(K);
    if (i > 0) filter.predict(deviation(i - 1 - late), W);
    Eigen::Matrix2Xd ends;
    MatrixXd ends_jacobian, C = MatrixXd::Zero(8, n);
    driven.arm().end_points(states.col(i).head(4), ends, ends_jacobian);
    C.leftCols(4) = ends_jacobian;
    filter.update(C, measured - ends.reshaped(), V);
    MatrixXd pending(3, late);
    for (Index j = 0; j < late; ++j) pending.col(j) = deviation(i - late + j);
    if (i + late < K) changes.col(i) = -lqr.gains[static_cast<std::size_t>(i + late)] * filter.ahead(pending);
    const VectorXd reference =
        (grab.policy.references.col(i) + changes.col(i)).cwiseMax(-largest_reference).cwiseMin(largest_reference);
    changes.col(i) = reference - grab.policy.references.col(i);
    return reference;
  };
  machine.plant.run(controller, static_cast<double>(K) * sample_time);
  return judge(machine.plant, K, ball);
}

}  // namespace studies::grab
