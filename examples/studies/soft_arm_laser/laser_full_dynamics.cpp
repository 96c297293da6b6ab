// SPDX-License-Identifier: BSD-3-Clause
// The laser problem on Eq. 2: planning on it, and running plans on it.
#include "examples/studies/program/stopwatch.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "quoin/optimization/box_least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace studies::laser {

using studies::Stopwatch;

namespace {

template <int SpaceDim>
soft_arm::FullDynamics<SpaceDim> full_dynamics(const Arm<SpaceDim>& arm) {
  return soft_arm::FullDynamics<SpaceDim>(
      arm.body, {.time_step = arm.setup.time_step, .stiffness_damping = arm.setup.stiffness_damping});
}

template <int SpaceDim>
Eigen::VectorXd joined(const Eigen::VectorXd& positions) {
  Eigen::VectorXd y(positions.size() + soft_arm::line_count<SpaceDim>);
  y << positions, Eigen::VectorXd::Zero(soft_arm::line_count<SpaceDim>);
  return y;
}

}  // namespace

template <int SpaceDim>
Plan plan_on_full_dynamics(const Arm<SpaceDim>& arm, const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  constexpr int spot_rows = SpaceDim - 1;
  const Setup& setup = arm.setup;
  const Stopwatch watch;
  const auto dynamics = full_dynamics(arm);
  const Eigen::MatrixXd tip_rows = arm.body.tip_rows();
  const Eigen::Index K = setup.steps, n = lines * K, spots = spot_rows * (K + 1 - setup.approach), rows = spots + 2 * n;
  const double by_spot = std::sqrt(setup.spot_weight), by_u = std::sqrt(setup.control_weight),
               by_change = std::sqrt(setup.smooth_weight);
  long steps = 0;
  soft_arm::FullTrajectory motion;

  // Residuals: the spots while the laser is on, the controls, their changes; the same sum of squares as on Eq. 8.
  const auto residual = [&](const Eigen::VectorXd& U, Eigen::VectorXd& r) {
    const Eigen::MatrixXd controls = U.reshaped(lines, K);
    motion = dynamics.rollout(arm.body.rest(), arm.body.rest(), controls);
    steps += motion.steps;
    if (motion.status != StepStatus::ok) return false;
    r.resize(rows);
    for (Eigen::Index i = setup.approach; i <= K; ++i) {
      const Beam<SpaceDim> beam(tip_rows * joined<SpaceDim>(motion.position(static_cast<int>(i))));
      if (!beam.meets_plate()) return false;
      r.segment<spot_rows>(spot_rows * (i - setup.approach)) =
          by_spot * (beam.spot(setup.plate) - target<SpaceDim>(setup, static_cast<int>(i)));
    }
    r.segment(spots, n) = by_u * U;
    r.segment(spots + n, lines) = by_change * U.head(lines);
    r.tail(n - lines) = by_change * (U.tail(n - lines) - U.head(n - lines));
    return true;
  };
  const auto jacobian = [&](const Eigen::VectorXd& U, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
    if (!residual(U, r)) return false;
    std::vector<Eigen::MatrixXd> spot_of_positions;  // after each step; none while the laser is off
    for (Eigen::Index i = 1; i <= K; ++i) {
      Eigen::MatrixXd& derivative = spot_of_positions.emplace_back(0, arm.body.size());
      if (i < setup.approach) continue;
      const Beam<SpaceDim> beam(tip_rows * joined<SpaceDim>(motion.position(static_cast<int>(i))));
      derivative = by_spot * beam.spot_derivative(setup.plate) * tip_rows.leftCols(arm.body.size());
    }
    const soft_arm::FullSensitivity sensitivity = dynamics.sensitivity(motion, spot_of_positions, 2);
    if (sensitivity.status != StepStatus::ok) return false;
    J.setZero(rows, n);
    J.topRows(spots) = sensitivity.jacobian;
    J.middleRows(spots, n).diagonal().setConstant(by_u);
    J.bottomRows(n).diagonal().setConstant(by_change);
    J.bottomRows(n - lines).leftCols(n - lines).diagonal().setConstant(-by_change);
    return true;
  };

  Plan plan;
  plan.name = "Eq. 2";
  optimization::LeastSquaresOptions options;
  options.relative_tolerance = setup.relative_tolerance;
  options.max_iterations = setup.max_iterations;
  options.initial_damping = setup.first_damping;
  options.observer = [&](const optimization::LeastSquaresIteration& it, const Eigen::VectorXd&) {
    plan.log.push_back({0, it.iteration, it.cost, watch.seconds(), steps});
    return !observer || observer(plan.log.back());
  };
  const auto result =
      optimization::box_least_squares(residual, jacobian, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n),
                                      Eigen::VectorXd::Constant(n, setup.largest_control), options);
  plan.seconds = watch.seconds();
  plan.controls = result.x.reshaped(lines, K);
  plan.cost = result.cost;
  plan.stop = optimization::to_string(result.stop);
  plan.finished = result.converged();
  plan.evaluations = steps;
  plan.spots = replay(arm, plan.controls).spots;
  return plan;
}

template <int SpaceDim>
Replay replay(const Arm<SpaceDim>& arm, const Eigen::MatrixXd& controls) {
  const Setup& setup = arm.setup;
  const auto motion = full_dynamics(arm).rollout(arm.body.rest(), arm.body.rest(), controls);
  const Eigen::MatrixXd tip_rows = arm.body.tip_rows();
  Replay result;
  result.complete = motion.status == StepStatus::ok;
  result.positions = motion.positions.rightCols(motion.steps + 1);
  result.spots.resize(SpaceDim - 1, motion.steps + 1);
  int count = 0;
  for (int i = 0; i <= motion.steps; ++i) {
    result.spots.col(i) = Beam<SpaceDim>(tip_rows * joined<SpaceDim>(motion.position(i))).spot(setup.plate);
    if (!setup.laser_on(i)) continue;
    const double error = (result.spots.col(i) - target<SpaceDim>(setup, i)).norm();
    result.largest_error = std::max(result.largest_error, error);
    result.mean_error += error * error;
    ++count;
  }
  result.cost = 0.5 * setup.spot_weight * result.mean_error + 0.5 * setup.control_weight * controls.squaredNorm() +
                0.5 * setup.smooth_weight *
                    (controls.col(0).squaredNorm() +
                     (controls.rightCols(controls.cols() - 1) - controls.leftCols(controls.cols() - 1)).squaredNorm());
  result.mean_error = std::sqrt(result.mean_error / std::max(count, 1));
  return result;
}

template Plan plan_on_full_dynamics<2>(const Arm<2>&, const PlanObserver&);
template Plan plan_on_full_dynamics<3>(const Arm<3>&, const PlanObserver&);
template Replay replay<2>(const Arm<2>&, const Eigen::MatrixXd&);
template Replay replay<3>(const Arm<3>&, const Eigen::MatrixXd&);

}  // namespace studies::laser
