// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/support/laser_study.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/dynamics/control_memory.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/models/soft_arm/reduced_dynamics.hpp"
#include "quoin/planning/ilqr.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

/// What the files of the study share: the grid over f_s, the planner, and how a plan is looked at.
namespace quoin::laser {

using planning::IlqrOptions;
using planning::IlqrResult;
using planning::TrajectoryProblem;
using soft_arm::JetStatics;
using soft_arm::ReducedDynamics;
using soft_arm::Statics;
using study::PlanRecorder;
using study::Stopwatch;

template <int SpaceDim>
soft_arm::ReducedDynamicsOptions reduced_options(const Arm<SpaceDim>& arm) {
  soft_arm::ReducedDynamicsOptions options;
  options.time_step = arm.setup.time_step;
  options.force_scale = arm.body.line_force();
  options.stiffness_damping = arm.setup.stiffness_damping;
  options.tolerance = arm.setup.step_tolerance;
  return options;
}

template <int SpaceDim>
auto grid_options(const Setup& setup, double spacing) {
  GridOptions<soft_arm::line_count<SpaceDim>> options;
  options.origin.setConstant(setup.lower);
  options.spacing.setConstant(spacing);
  options.lower.setConstant(setup.lower);
  options.upper.setConstant(setup.lower + spacing * std::floor((setup.upper - setup.lower) / spacing + 1e-9));
  return options;
}

/// f_s with derivatives up to order K, that notes where it is asked.
template <int SpaceDim, int K>
class LoggedJets : public JetStatics<SpaceDim, K> {
 public:
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  LoggedJets(const Statics<SpaceDim>& statics, std::shared_ptr<CornerLog<lines>> corners)
      : JetStatics<SpaceDim, K>(statics), corners_(std::move(corners)) {}

  void sample(const Point<lines>& alpha, Eigen::Ref<Eigen::MatrixXd> jet) const {
    corners_->add(alpha);
    JetStatics<SpaceDim, K>::sample(alpha, jet);
  }

 private:
  std::shared_ptr<CornerLog<lines>> corners_;
};

template <int SpaceDim>
auto make_grid(const Statics<SpaceDim>& statics, const Setup& setup, const GridChoice& choice,
               std::shared_ptr<CornerLog<soft_arm::line_count<SpaceDim>>> corners) {
  using Grid = AdaptiveGrid<soft_arm::line_count<SpaceDim>>;
  const auto options = grid_options<SpaceDim>(setup, choice.spacing);
  const Threads threads{choice.threads};
  switch (choice.jet_order) {
    case 1: return Grid(LoggedJets<SpaceDim, 1>(statics, corners), options, threads);
    case 2: return Grid(LoggedJets<SpaceDim, 2>(statics, corners), options, threads);
    case 3: return Grid(LoggedJets<SpaceDim, 3>(statics, corners), options, threads);
    default:
      throw std::invalid_argument("GridChoice::jet_order = " + to_text(choice.jet_order) +
                                  ": the arm gives jets of order 1 to 3");
  }
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
  return options;
}

template <int SpaceDim, class TipMap>
Eigen::MatrixXd spots_of(const Setup& setup, const TipMap& tip, const Eigen::MatrixXd& alphas) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  Eigen::MatrixXd spots(SpaceDim - 1, alphas.cols());
  Eigen::VectorXd y;
  for (Eigen::Index i = 0; i < alphas.cols(); ++i) {
    tip.evaluate(Point<lines>(alphas.col(i)), y);
    spots.col(i) = Beam<SpaceDim>(y).spot(setup.plate);
  }
  return spots;
}

/// iLQR on Eq. 8 over any map of coordinates and any map of the tip, with or without obstacles.
template <int SpaceDim, class Map, class TipMap>
IlqrResult solve(const Arm<SpaceDim>& arm, const Map& coordinates, Eigen::Index coordinate_count, const TipMap& tip,
                 bool with_obstacles, const Eigen::MatrixXd& guess, const IlqrOptions& options) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Dynamics = ControlMemory<ReducedDynamics<lines, Map>>;
  const Dynamics dynamics(ReducedDynamics<lines, Map>(coordinates, coordinate_count, reduced_options(arm)));
  const Residuals<SpaceDim, TipMap> residuals(arm.setup, tip);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(3 * lines), lower = Eigen::VectorXd::Zero(lines),
                        upper = Eigen::VectorXd::Constant(lines, arm.setup.largest_control);
  if constexpr (SpaceDim == 3) {
    if (with_obstacles) {
      const BeamClear<TipMap> clear(obstacles(arm.setup), arm.setup.beam_margin, tip);
      const TrajectoryProblem<const Dynamics&, const Residuals<SpaceDim, TipMap>&, const BeamClear<TipMap>&> problem{
          .dynamics = dynamics,
          .residuals = residuals,
          .constraints = clear,
          .horizon = arm.setup.steps,
          .initial_state = rest,
          .lower_control = lower,
          .upper_control = upper};
      return planning::ilqr(problem, guess, options);
    }
  }
  const TrajectoryProblem<const Dynamics&, const Residuals<SpaceDim, TipMap>&> problem{.dynamics = dynamics,
                                                                                       .residuals = residuals,
                                                                                       .horizon = arm.setup.steps,
                                                                                       .initial_state = rest,
                                                                                       .lower_control = lower,
                                                                                       .upper_control = upper};
  return planning::ilqr(problem, guess, options);
}

}  // namespace quoin::laser
