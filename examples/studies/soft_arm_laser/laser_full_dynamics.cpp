// SPDX-License-Identifier: BSD-3-Clause
// The laser problem on Eq. 2: planning on it, and running plans on it.
#include "examples/studies/program/stopwatch.hpp"
#include "examples/studies/soft_arm_laser/full_problem.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "quoin/robots/optimization/constrained_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace studies::laser {

using studies::Stopwatch;

template <int SpaceDim>
Plan plan_on_full_dynamics(const Arm<SpaceDim>& arm, const FullChoice& choice, const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  const Setup& setup = arm.setup;
  const Stopwatch watch;
  FullProblem<SpaceDim> problem(arm, choice.obstacles);
  Plan plan;
  plan.name = "Eq. 2";
  optimization::ConstrainedLeastSquaresOptions options{
      .least_squares = {.max_iterations = choice.max_iterations,
                        .relative_tolerance = choice.relative_tolerance,
                        .initial_damping = choice.first_damping,
                        .check_curvature = false},  // as the other planners of this page
      .constraint_tolerance = 1e-3,                 // of h: 2e-5 m of distance, where 6 mm are kept
      .multipliers = choice.multipliers};
  if (choice.penalty > 0) options.initial_penalty = choice.penalty;
  int iteration = 0;
  options.least_squares.observer = [&](const optimization::LeastSquaresIteration& it, const Eigen::VectorXd&) {
    plan.log.push_back({0, iteration++, it.cost, watch.seconds(), problem.steps()});
    return !observer || observer(plan.log.back());
  };
  const Eigen::Index n = problem.unknowns();
  const Eigen::VectorXd start =
      choice.controls.size() > 0 ? Eigen::VectorXd(choice.controls.reshaped()) : Eigen::VectorXd::Zero(n);
  const auto result = optimization::constrained_least_squares(
      [&](const Eigen::VectorXd& U, Eigen::VectorXd& r, Eigen::VectorXd& h) { return problem.residuals(U, r, h); },
      [&](const Eigen::VectorXd& U, const std::vector<Eigen::Index>& active, Eigen::VectorXd& r, Eigen::MatrixXd& J,
          Eigen::VectorXd& h, Eigen::MatrixXd& H) { return problem.jacobians(U, active, r, J, h, H); },
      start, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, setup.largest_control), options);
  plan.seconds = watch.seconds();
  plan.controls = result.x.reshaped(lines, setup.steps);
  plan.cost = result.cost;
  plan.stop = to_string(result.stop);
  plan.finished = result.converged();
  plan.evaluations = problem.steps();
  plan.spots = replay(arm, plan.controls).spots;
  return plan;
}

template <int SpaceDim>
Plan polish(const Arm<SpaceDim>& arm, const Plan& plan, int iterations, const PlanObserver& observer) {
  return plan_on_full_dynamics(arm,
                               {.controls = plan.controls,
                                .max_iterations = iterations,
                                .first_damping = 0,
                                .obstacles = plan.multipliers.size() > 0,
                                .multipliers = plan.multipliers,
                                .penalty = plan.penalty},
                               observer);
}

double seconds_to_one_percent(const studies::Plan& on_full, double best) {
  for (const PlanIteration& it : on_full.log)
    if (it.cost <= 1.01 * best) return it.seconds;
  return std::numeric_limits<double>::infinity();
}

template <int SpaceDim>
Replay replay(const Arm<SpaceDim>& arm, const Eigen::MatrixXd& controls) {
  const Setup& setup = arm.setup;
  const auto motion = full_dynamics(arm).rollout(arm.body.rest(), arm.body.rest(), controls);
  Replay result;
  result.complete = motion.status == StepStatus::ok;
  result.positions = motion.positions.rightCols(motion.steps + 1);
  result.spots.resize(SpaceDim - 1, motion.steps + 1);
  int count = 0;
  for (int i = 0; i <= motion.steps; ++i) {
    result.spots.col(i) = Beam<SpaceDim>(tip_outputs(arm, motion.position(i))).spot(setup.plate);
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

template Plan plan_on_full_dynamics<2>(const Arm<2>&, const FullChoice&, const PlanObserver&);
template Plan plan_on_full_dynamics<3>(const Arm<3>&, const FullChoice&, const PlanObserver&);
template Plan polish<2>(const Arm<2>&, const Plan&, int, const PlanObserver&);
template Plan polish<3>(const Arm<3>&, const Plan&, int, const PlanObserver&);
template Replay replay<2>(const Arm<2>&, const Eigen::MatrixXd&);
template Replay replay<3>(const Arm<3>&, const Eigen::MatrixXd&);

}  // namespace studies::laser
