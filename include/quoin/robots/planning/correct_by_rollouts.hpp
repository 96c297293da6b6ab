// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Core>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace quoin::planning {

/// What a motion shows of a problem: its residuals and, if it has some, its constraints, for stages 0 to K.
struct StageValues {
  std::vector<Eigen::VectorXd> residuals = {};    ///< K + 1 vectors, of the lengths that the problem's have
  std::vector<Eigen::VectorXd> constraints = {};  ///< the same; empty: the problem has none
};

/// The motion of the true system under these controls (m x K): a simulator, an experiment. Without derivatives. May
/// throw where there is none.
using TrueMotion = std::function<StageValues(const Eigen::MatrixXd& controls)>;

/// When correct_by_rollouts stops.
struct CorrectionOptions {
  int max_rollouts = 4;               ///< of the truth, the last of which judges the plan
  double relative_tolerance = 1e-3;   ///< between the cost that a plan promises and the one that the truth shows
  double violation_tolerance = 1e-6;  ///< of the constraints on the truth, in their units
  IlqrOptions planner = {};           ///< of each plan; the second and later ones start undamped, from the last
};

/// A rollout of the truth, and the plan that it judged.
struct Correction {
  double promised = 0;                   ///< cost of the plan on the corrected model
  double cost = 0;                       ///< on the truth
  double violation = 0;                  ///< of the constraints on the truth
  Stop planner = Stop::iteration_limit;  ///< why the planner ended
  int iterations = 0;                    ///< of the planner
};

/// A plan that rollouts have corrected.
struct CorrectedPlan {
  IlqrResult plan;                                             ///< the best of them, on the truth
  double cost = std::numeric_limits<double>::infinity();       ///< of that plan, on the truth
  double violation = std::numeric_limits<double>::infinity();  ///< of the constraints, on the truth
  /// converged: the last plan is a minimum of the corrected model, and the truth shows what it promised, cost and
  /// constraints. It is then no further from the truth's own minimum than the model's derivatives are from the truth's.
  /// iteration_limit: no rollout was left. stalled: the truth became worse twice in a row. evaluation_failed: the truth
  /// has no such motion, see message. Else why the planner ended without a plan.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;                ///< rollouts of the truth
  std::string message = {};          ///< what the truth threw
  std::vector<Correction> log = {};  ///< one for each rollout
  /// Whether all tolerances were met.
  bool converged() const { return stop == Stop::converged; }
};

/// Plans on a model, runs the plan on the truth, adds to each stage's residuals and constraints what the truth shows
/// beyond the model there, and plans again from the last controls, until the truth shows what the plan promised. No
/// derivative of the truth is asked for: what is left is the error of the model's derivatives times the correction.
///
///   auto truth = [&](const Eigen::MatrixXd& controls) -> StageValues { ...simulate, and evaluate the residuals... };
///   CorrectedPlan plan = correct_by_rollouts(problem, no_controls, truth);
///
/// This is the additive form of the corrections of Alexandrov et al. 2001 (An overview of first-order model management
/// for engineering optimization), of the zeroth order. Throws std::invalid_argument for options out of range, for
/// bounds of states, which the truth does not show (give them as constraints), and for stage values whose sizes differ
/// from the problem's, with both; what else the truth throws ends the corrections.
CorrectedPlan correct_by_rollouts(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& initial_controls,
                                  const TrueMotion& truth, const CorrectionOptions& options = {});

/// Erases the types of the problem first.
template <class Dynamics, class Residuals, class Constraints>
CorrectedPlan correct_by_rollouts(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem,
                                  const Eigen::MatrixXd& initial_controls, const TrueMotion& truth,
                                  const CorrectionOptions& options = {}) {
  return correct_by_rollouts(erase(problem, "correct_by_rollouts"), initial_controls, truth, options);
}

}  // namespace quoin::planning
