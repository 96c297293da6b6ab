// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "quoin/robots/dynamics/control_memory.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>

/// Shared by the files of the study: the grid over f_s, the planner, and the evaluation of a plan.
namespace studies::laser {

using planning::IlqrOptions;
using planning::IlqrResult;
using planning::TrajectoryProblem;
using soft_arm::Statics;
using studies::PlanRecorder;
using studies::Stopwatch;

template <int SpaceDim>
ReducedDynamicsOptions reduced_options(const Arm<SpaceDim>& arm) {
  ReducedDynamicsOptions options;
  options.time_step = arm.setup.time_step;
  options.force_scale = arm.body.line_force();
  options.stiffness_damping = arm.setup.stiffness_damping;
  options.tolerance = arm.setup.step_tolerance;
  return options;
}

/// Options of the study's grids over f_s.
template <int SpaceDim>
soft_arm::SoftArmGridOptions<SpaceDim> grid_options(const Arm<SpaceDim>& arm, const GridChoice& choice) {
  return {.jet_order = choice.jet_order,
          .spacing = choice.spacing,
          .lower = arm.setup.lattice_begin(choice.spacing),
          .upper = arm.setup.upper,
          .basis_tolerance = arm.setup.basis_tolerance,
          .step = reduced_options(arm),
          .evaluator = Threads{choice.threads},
          .evaluate_ahead = choice.evaluate_ahead};
}

template <int SpaceDim>
Eigen::MatrixXd zero_controls(const Arm<SpaceDim>& arm) {
  return Eigen::MatrixXd::Zero(Arm<SpaceDim>::lines, arm.setup.steps);
}

inline IlqrOptions planner_options(const Setup& setup) {
  IlqrOptions options;
  options.relative_tolerance = setup.relative_tolerance;
  options.max_iterations = setup.max_iterations;
  options.initial_regularization = setup.first_regularization;
  options.check_curvature = false;  // as the paper counts: no equilibria beyond those that the plan itself takes
  return options;
}

/// [tip; layer before] in each state, a column a state.
template <int SpaceDim, class TipMap>
Eigen::MatrixXd tips_of(const TipMap& tip, const Eigen::MatrixXd& states) {
  Eigen::MatrixXd tips(2 * SpaceDim, states.cols()), J;
  Eigen::VectorXd y;
  for (Eigen::Index i = 0; i < states.cols(); ++i) {
    if (!tip_in_state<soft_arm::line_count<SpaceDim>>(tip, states.col(i), y, J))
      throw std::runtime_error("tips_of: no answer in state " + quoin::to_text(i));
    tips.col(i) = y;
  }
  return tips;
}

/// Where the plan has tip and spot.
template <int SpaceDim, class TipMap>
void tell_tips(const Setup& setup, const TipMap& tip, const Eigen::MatrixXd& states, Plan& plan) {
  plan.tips = tips_of<SpaceDim>(tip, states);
  plan.spots.resize(SpaceDim - 1, states.cols());
  for (Eigen::Index i = 0; i < states.cols(); ++i)
    plan.spots.col(i) = Beam<SpaceDim>(plan.tips.col(i)).spot(setup.plate);
}

/// Calls use(problem) with the laser problem on any dynamics of the arm and any map of the tip in their states, with or
/// without obstacles.
template <int SpaceDim, class ArmDynamics, class TipMap, class Use>
auto with_problem(const Arm<SpaceDim>& arm, const ArmDynamics& arm_dynamics, const TipMap& tip, bool with_obstacles,
                  const Use& use) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Dynamics = ControlMemory<ArmDynamics>;
  const Dynamics dynamics(arm_dynamics);
  const Residuals<SpaceDim, TipMap> residuals(arm.setup, tip);
  const auto planned = [&](const auto& constraints) {
    const TrajectoryProblem<const Dynamics&, const Residuals<SpaceDim, TipMap>&, decltype(constraints)> problem{
        .dynamics = dynamics,
        .residuals = residuals,
        .constraints = constraints,
        .horizon = arm.setup.steps,
        .initial_state = Eigen::VectorXd::Zero(dynamics.state_size()),
        .lower_control = Eigen::VectorXd::Zero(lines),
        .upper_control = Eigen::VectorXd::Constant(lines, arm.setup.largest_control)};
    return use(problem);
  };
  if constexpr (SpaceDim == 3)
    if (with_obstacles) return planned(BeamClear<TipMap>(obstacles(arm.setup), arm.setup.beam_margin, tip));
  return planned(planning::NoConstraints{});
}

/// iLQR on any dynamics of the arm.
template <int SpaceDim, class ArmDynamics, class TipMap>
IlqrResult solve(const Arm<SpaceDim>& arm, const ArmDynamics& dynamics, const TipMap& tip, bool with_obstacles,
                 const Eigen::MatrixXd& guess, const IlqrOptions& options) {
  return with_problem(arm, dynamics, tip, with_obstacles,
                      [&](const auto& problem) { return planning::ilqr(problem, guess, options); });
}

}  // namespace studies::laser
