// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/ilqr.hpp"

#include "quoin/util/to_text.hpp"

#include "exact_hessians.hpp"
#include "ilqr_solver.hpp"
#include "infinity.hpp"
#include "parallel_stages.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace quoin::planning {
namespace {

constexpr double little = 0.02;  // of the merit: less, by a step that is shortened or damped, is poor
constexpr int creeping = 20;     // poor steps in a row

}  // namespace

/// Tells the dynamics where the full step will lead as far as their derivatives know.
void IlqrSolver::foretell() {
  if (!problem_.dynamics.wants_hints()) return;
  Eigen::MatrixXd states(problem_.dynamics.state_size(), problem_.horizon + 1);
  states.col(0) = motion_.x[0];
  for (int i = 0; i < problem_.horizon; ++i) {
    const Eigen::VectorXd dx = states.col(i) - motion_.x[i];
    const Eigen::VectorXd u = (motion_.u[i] + sweep_.steps()[i] + sweep_.gains()[i] * dx)
                                  .cwiseMax(problem_.lower_control)
                                  .cwiseMin(problem_.upper_control);
    states.col(i + 1) = motion_.x[i + 1] + stages_[i].g_x * dx + stages_[i].g_u * (u - motion_.u[i]);
  }
  if (states.allFinite()) problem_.dynamics.hint(states);
}

/// Rolls the trial out: controls of the motion, moved by `step` along the sweep's policy; with step 0, as they stand.
/// Gives up, with false, where something fails or as soon as the merit exceeds the bound.
bool IlqrSolver::roll_out(double step, double bound, bool with_derivatives) {
  trial_.cost = trial_.merit = trial_.violation = 0;
  for (int i = 0; i <= problem_.horizon; ++i) {
    const Eigen::VectorXd& x = trial_.x[i];
    Eigen::VectorXd& u = trial_.u[i];
    failed_at_ = i;
    failed_status_ = StepStatus::ok;
    if (i < problem_.horizon) {
      u = motion_.u[i];
      if (step != 0) {
        deviation_ = x - motion_.x[i];
        u += step * sweep_.steps()[i];
        u.noalias() += sweep_.gains()[i] * deviation_;
      }
      u = u.cwiseMax(problem_.lower_control).cwiseMin(problem_.upper_control);
    }
    if (!problem_.residuals.residual(i, x, u, residual_) || !problem_.constraints.constraint(i, x, u, trial_.h[i]))
      return false;
    const double cost = 0.5 * residual_.squaredNorm();
    trial_.cost += cost;
    trial_.merit += cost + lagrangian_.value(i, x, trial_.h[i]);
    trial_.violation = std::max(trial_.violation, lagrangian_.violation(i, x, trial_.h[i]));
    if (!(trial_.merit <= bound) || !std::isfinite(trial_.merit)) return false;
    if (i == problem_.horizon) break;
    if (with_derivatives) {
      StageDerivatives& stage = trial_stages_[i];
      ++result_.derivative_calls;
      failed_status_ = problem_.dynamics.step(x, u, trial_.x[i + 1], stage.g_x, stage.g_u);
    } else {
      ++result_.dynamics_calls;
      failed_status_ = problem_.dynamics.step(x, u, trial_.x[i + 1]);
    }
    if (failed_status_ != StepStatus::ok || !trial_.x[i + 1].allFinite()) return false;
    if (with_derivatives && !(trial_stages_[i].g_x.allFinite() && trial_stages_[i].g_u.allFinite())) {
      failed_status_ = StepStatus::map_failed;
      return false;
    }
  }
  failed_at_ = -1;
  return true;
}

bool IlqrSolver::derivatives_of_stage(int i) {
  StageDerivatives& stage = stages_[i];
  const Eigen::VectorXd &x = motion_.x[i], &u = motion_.u[i];
  if (!problem_.residuals.residual(i, x, u, stage.r, stage.r_x, stage.r_u) ||
      !problem_.constraints.constraint(i, x, u, stage.h, stage.h_x, stage.h_u)) {
    return false;
  }
  if (i == problem_.horizon || have_step_derivatives_) return true;
  stage.status = problem_.dynamics.step(x, u, stage.next, stage.g_x, stage.g_u);
  return stage.status == StepStatus::ok && stage.g_x.allFinite() && stage.g_u.allFinite();
}

bool IlqrSolver::take_derivatives() {
  if (have_derivatives_) return true;
  const int stages = problem_.horizon + 1;
  if (!have_step_derivatives_) result_.derivative_calls += problem_.horizon;
  const int failed = for_each_stage(options_.threads, stages, [this](int i) { return derivatives_of_stage(i); });
  have_derivatives_ = failed == stages;
  if (!have_derivatives_) {
    failed_at_ = failed;
    failed_status_ = stages_[failed].status;
  }
  return have_derivatives_;
}

bool IlqrSolver::take_hessians() {
  if (!have_hessians_) {
    have_hessians_ =
        exact_hessians(problem_, motion_, stages_, lagrangian_, options_.threads, hessians_, result_.derivative_calls);
  }
  return have_hessians_;
}

/// With as much of the exact Hessians, where they are in use, as leaves the model convex; the rest is Gauss-Newton's,
/// which is convex everywhere: a damping in the metric of the cost.
bool IlqrSolver::sweep_back(double regularization) {
  constexpr double min_share = 1. / 64;
  if (exact_ && have_hessians_) {
    for (share_ = std::min(1.0, 4 * share_); share_ >= min_share; share_ *= 0.5) {
      if (sweep_.run(motion_, stages_, lagrangian_, regularization, &hessians_, share_)) return true;
    }
    share_ = min_share;
  }
  return sweep_.run(motion_, stages_, lagrangian_, regularization);
}

bool IlqrSolver::raise_regularization() {
  // The schedule of Tassa, Erez, Todorov 2012, Section II-F: faster and faster while steps keep failing.
  constexpr double factor = 3;
  regularization_factor_ = std::max(factor, regularization_factor_ * factor);
  regularization_ = std::max(options_.min_regularization, regularization_ * regularization_factor_);
  return regularization_ <= options_.max_regularization;
}

void IlqrSolver::lower_regularization() {
  constexpr double factor = 3;
  regularization_factor_ = std::min(1 / factor, regularization_factor_ / factor);
  regularization_ *= regularization_factor_;
  if (regularization_ < options_.min_regularization) regularization_ = 0;
}

void IlqrSolver::accept_trial(bool with_derivatives) {
  std::swap(motion_, trial_);
  have_derivatives_ = have_hessians_ = false;
  for (int i = 0; i < problem_.horizon; ++i) largest_control_ = largest_control_.cwiseMax(motion_.u[i].cwiseAbs());
  have_step_derivatives_ = with_derivatives;
  if (!with_derivatives) return;
  for (int i = 0; i < problem_.horizon; ++i) {
    stages_[i].g_x.swap(trial_stages_[i].g_x);
    stages_[i].g_u.swap(trial_stages_[i].g_u);
  }
}

bool IlqrSolver::line_search(IlqrIteration& entry) {
  double step = 1;
  rollout_failed_ = false;
  foretell();
  for (int trial = 0; trial < options_.max_line_search_steps; ++trial, step *= 0.5) {
    const double expected = -step * (sweep_.linear_term() + step * sweep_.quadratic_term());
    const double bound = motion_.merit - options_.sufficient_decrease * std::max(expected, 0.0);
    const bool with_derivatives = trial == 0 && options_.derivatives_in_trial;
    if (!roll_out(step, bound, with_derivatives)) {
      rollout_failed_ = rollout_failed_ || !(trial_.merit > bound);
      continue;
    }
    accept_trial(with_derivatives);
    entry.step = step;
    return true;
  }
  return false;
}

bool IlqrSolver::record(IlqrIteration entry) {
  entry.iteration = result_.iterations;
  entry.outer = outer_;
  entry.cost = motion_.cost;
  entry.merit = motion_.merit;
  entry.violation = motion_.violation;
  entry.dynamics_calls = result_.dynamics_calls;
  entry.derivative_calls = result_.derivative_calls;
  result_.log.push_back(entry);
  if (!options_.observer) return true;
  motion_.copy_to(result_.trajectory);
  return options_.observer(entry, result_.trajectory);
}

/// Whether the model without damping promises less than the tolerance. Where no damped step lowers the cost, that tells
/// a minimum, up to rounding and the jumps of a surrogate's gradient, from a place where the model is wrong.
bool IlqrSolver::at_minimum(double tolerance) {
  return sweep_back(0) && expected_decrease() <= std::max(tolerance, rounding) * motion_.merit;
}

IlqrSolver::Inner IlqrSolver::minimize(double tolerance) {
  constexpr double nearly_undamped = 0.1;
  int small_decreases = 0;
  bool cut_by_failure = false;
  while (true) {
    if (!take_derivatives()) return Inner::derivatives_failed;
    if (exact_) take_hessians();
    IlqrIteration entry;
    bool moved = false;
    const double before = motion_.merit;
    while (!moved) {
      if (sweep_back(regularization_)) {
        entry.regularization = regularization_;
        entry.projected_gradient = result_.projected_gradient = sweep_.projected_gradient();
        entry.expected_decrease = expected_decrease();
        // A heavily regularized step promises little anywhere: that is no sign of a minimum.
        if (stationary() ||
            (regularization_ <= nearly_undamped && entry.expected_decrease <= tolerance * motion_.merit)) {
          return Inner::converged;
        }
        if (result_.iterations >= options_.max_iterations) return Inner::limit;
        moved = line_search(entry);
      }
      if (!moved && !raise_regularization()) return at_minimum(tolerance) ? Inner::converged : Inner::stalled;
    }
    ++result_.iterations;
    const double decrease = before - motion_.merit;
    const double expected = -entry.step * (sweep_.linear_term() + entry.step * sweep_.quadratic_term());
    // A trust region's rule: where the model promised too much, damp it before the next line search has to. A short
    // step that keeps its promise is left alone: damping takes the feedback away that holds the rollout near the model.
    if (decrease > 0.75 * expected && entry.step == 1) {
      lower_regularization();
    } else if (decrease < 0.25 * expected) {
      raise_regularization();
    }
    if (!record(entry)) return Inner::observer;
    const bool small = decrease <= tolerance * motion_.merit;
    if (small && entry.step == 1 && entry.regularization <= nearly_undamped) return Inner::converged;
    small_decreases = small ? small_decreases + 1 : 0;
    cut_by_failure = small && (cut_by_failure || rollout_failed_);
    // Creeping along the edge of where the dynamics can be computed is no convergence.
    if (small_decreases >= 5) return cut_by_failure ? Inner::stalled : Inner::converged;
    const bool poor = decrease < little * motion_.merit && (entry.step < 1 || entry.regularization > 0);
    poor_steps_ = poor ? poor_steps_ + 1 : 0;
    if (poor_steps_ >= creeping && options_.check_curvature) exact_ = true;
  }
}

void IlqrSolver::finish(Stop stop) {
  motion_.copy_to(result_.trajectory);
  result_.stop = stop;
  result_.violation = motion_.violation;
  result_.multipliers = lagrangian_.multipliers();
  if (result_.gains.empty() || stop == Stop::iteration_limit) result_.gains = sweep_.gains();
  if (stop == Stop::derivatives_failed || stop == Stop::initial_failed) {
    result_.failed_step = failed_at_;
    result_.failed_status = failed_status_;
  }
}

/// Rolls these controls out as the first motion; false where that fails.
bool IlqrSolver::begin(const Eigen::MatrixXd& controls) {
  for (int i = 0; i < problem_.horizon; ++i) motion_.u[i] = controls.col(i);
  const bool rolled_out = roll_out(0, infinity, options_.derivatives_in_trial);
  accept_trial(options_.derivatives_in_trial);
  return rolled_out;
}

/// Whether the motion ends ten times as far from where the last stage wants it, by its cost, as it began, and that is
/// more than a tenth of what the whole motion costs.
bool IlqrSolver::leads_away() {
  constexpr double far = 10, part = 0.1;
  const Eigen::VectorXd none;
  const auto cost = [&](const Eigen::VectorXd& x) {
    return problem_.residuals.residual(problem_.horizon, x, none, residual_) ? 0.5 * residual_.squaredNorm() : infinity;
  };
  const double at_end = cost(motion_.x[problem_.horizon]);
  return !(at_end <= far * cost(motion_.x[0])) && !(at_end <= part * motion_.cost);
}

/// Whether the first step can be taken whole: then the model holds that far, wherever the motion leads.
bool IlqrSolver::full_step_holds() {
  if (!take_derivatives() || !sweep_back(options_.initial_regularization)) return false;
  return roll_out(1, motion_.merit - options_.sufficient_decrease * std::max(expected_decrease(), 0.0), false);
}

IlqrResult IlqrSolver::solve(const Eigen::MatrixXd& initial_controls) {
  bool rolled_out = begin(initial_controls);
  if (options_.grow_horizon && (!rolled_out || (leads_away() && !full_step_holds()))) {
    const double cost = rolled_out ? motion_.cost : infinity;
    if (const auto grown = grown_guess(problem_, initial_controls, options_, result_)) {
      rolled_out = begin(*grown) && motion_.cost < cost;
      if (!rolled_out) rolled_out = begin(initial_controls);
    }
  }
  if (!rolled_out) {
    motion_.cost = infinity;
    finish(Stop::initial_failed);
    return std::move(result_);
  }
  lagrangian_.begin(motion_);
  motion_.merit = motion_.cost + lagrangian_.total(motion_);
  regularization_ = options_.initial_regularization;
  exact_ = options_.exact_hessians;

  // Until the multipliers have settled an exact minimum is worth nothing.
  const bool cold = lagrangian_.has_terms() && options_.multipliers.penalty == 0;
  double tolerance = cold ? std::max(1e-4, options_.relative_tolerance) : options_.relative_tolerance;
  double previous = infinity;
  Inner inner = record({}) ? Inner::go_on : Inner::observer;
  while (true) {
    if (inner == Inner::go_on) inner = minimize(tolerance);
    if (inner == Inner::observer) return finish(Stop::stopped_by_observer), std::move(result_);
    if (inner == Inner::limit) return finish(Stop::iteration_limit), std::move(result_);
    if (inner == Inner::derivatives_failed) return finish(Stop::derivatives_failed), std::move(result_);
    const bool exact = tolerance <= options_.relative_tolerance || inner == Inner::stalled;
    if (lagrangian_.has_terms()) lagrangian_.measure(motion_, stages_);
    const double infeasibility = lagrangian_.has_terms() ? lagrangian_.infeasibility(motion_) : 0;
    if (exact && infeasibility <= options_.constraint_tolerance) {
      if (inner == Inner::converged && options_.check_curvature) inner = verify();
      if (inner == Inner::go_on || inner == Inner::limit || inner == Inner::observer ||
          inner == Inner::derivatives_failed) {
        continue;
      }
      break;
    }
    const double max_penalty = options_.max_penalty / lagrangian_.least_square();
    const bool stuck = lagrangian_.penalty() >= max_penalty && infeasibility > 0.5 * previous;
    if (stuck || outer_ >= options_.max_outer_iterations) {
      inner = Inner::stalled;
      break;
    }
    lagrangian_.update_multipliers(motion_);
    if (infeasibility > 0.25 * previous) {
      lagrangian_.raise_penalty(options_.penalty_factor, max_penalty);
    }
    previous = infeasibility;
    tolerance = std::max(options_.relative_tolerance, 0.1 * tolerance);
    motion_.merit = motion_.cost + lagrangian_.total(motion_);
    regularization_ = options_.initial_regularization;
    regularization_factor_ = 1;
    ++outer_;
    inner = Inner::go_on;
  }
  if (lagrangian_.has_terms() && lagrangian_.relative_violation(motion_) > options_.constraint_tolerance) {
    finish(Stop::infeasible);
  } else {
    finish(inner == Inner::converged ? Stop::converged : inner == Inner::saddle ? Stop::saddle : Stop::stalled);
  }
  return std::move(result_);
}

IlqrResult ilqr(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& initial_controls,
                const IlqrOptions& options) {
  if (initial_controls.rows() != problem.dynamics.control_size() || initial_controls.cols() != problem.horizon) {
    throw std::invalid_argument("ilqr: initial_controls are " + shape_text(initial_controls) + ", must be " +
                                to_text(problem.dynamics.control_size()) + " x " + to_text(problem.horizon));
  }
  if (!initial_controls.allFinite()) throw std::invalid_argument("ilqr: initial_controls are not finite");
  check(options);
  AnyTrajectoryProblem whole = problem;
  complete(whole, "ilqr");
  return IlqrSolver(whole, options).solve(initial_controls);
}

}  // namespace quoin::planning
