// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/correct_by_rollouts.hpp"

#include "quoin/util/errors.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

namespace quoin::planning {

namespace {

using Stages = std::vector<Eigen::VectorXd>;

/// The function plus a constant at each stage; none yet: the function.
AnyStageFunction offset_by(const AnyStageFunction& function, const Stages& offsets) {
  const auto add = [offsets](int i, Eigen::VectorXd& value) {
    if (!offsets.empty()) value += offsets[static_cast<std::size_t>(i)];
  };
  return {[function, add](int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& value) {
            if (!function(i, x, u, value)) return false;
            add(i, value);
            return true;
          },
          [function, add](int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& value,
                          Eigen::MatrixXd& dx, Eigen::MatrixXd& du) {
            if (!function(i, x, u, value, dx, du)) return false;
            add(i, value);
            return true;
          }};
}

/// Its values along a trajectory; none where it has none.
Stages values_along(const AnyStageFunction& function, const Trajectory& trajectory) {
  Stages values(static_cast<std::size_t>(trajectory.states.cols()));
  for (Eigen::Index i = 0; i < trajectory.states.cols(); ++i) {
    const Eigen::VectorXd u = i < trajectory.controls.cols() ? trajectory.controls.col(i) : Eigen::VectorXd();
    if (!function(static_cast<int>(i), trajectory.states.col(i), u, values[static_cast<std::size_t>(i)])) return {};
  }
  return values;
}

void need_sizes(const Stages& shown, const Stages& model, const char* what) {
  const auto say = [&](const std::string& numbers) {
    return std::invalid_argument("correct_by_rollouts: the truth shows " + numbers + " " + what);
  };
  if (shown.size() != model.size())
    throw say(to_text(shown.size()) + " stages, where the problem has " + to_text(model.size()) + ", of");
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i].size() != model[i].size())
      throw say(to_text(shown[i].size()) + " numbers at stage " + to_text(i) + ", where the problem has " +
                to_text(model[i].size()) + ", of");
}

void need_no_bounds(const Eigen::VectorXd& bounds, const char* name) {
  for (Eigen::Index i = 0; i < bounds.size(); ++i)
    if (std::isfinite(bounds[i]))
      throw std::invalid_argument("correct_by_rollouts: " + std::string(name) + " " + to_text(i) + " is " +
                                  to_text(bounds[i]) +
                                  ", but the truth shows no states: give bounds of these as constraints");
}

Stages difference(const Stages& shown, const Stages& model) {
  Stages offsets;
  for (std::size_t i = 0; i < shown.size(); ++i) offsets.emplace_back(shown[i] - model[i]);
  return offsets;
}

double cost_of(const Stages& residuals) {
  double sum = 0;
  for (const Eigen::VectorXd& r : residuals) sum += r.squaredNorm() / 2;
  return sum;
}

double violation_of(const Stages& constraints) {
  double most = 0;
  for (const Eigen::VectorXd& h : constraints)
    if (h.size() > 0) most = h.hasNaN() ? std::numeric_limits<double>::infinity() : std::max(most, h.maxCoeff());
  return most;
}

bool any(const Stages& values) {
  return std::any_of(values.begin(), values.end(), [](const Eigen::VectorXd& value) { return value.size() > 0; });
}

bool is_a_plan(Stop stop) { return stop != Stop::initial_failed && stop != Stop::derivatives_failed; }

}  // namespace

CorrectedPlan correct_by_rollouts(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& initial_controls,
                                  const TrueMotion& truth, const CorrectionOptions& options) {
  const OptionsOf of{"correct_by_rollouts"};
  of.one_or_more("max_rollouts", options.max_rollouts);
  of.positive_and_finite("relative_tolerance", options.relative_tolerance);
  of.positive("violation_tolerance", options.violation_tolerance);
  if (!truth) throw std::invalid_argument("correct_by_rollouts: no truth is given");
  // Residuals and constraints are all that the truth shows: of states it does not tell whether they keep bounds.
  need_no_bounds(problem.lower_state, "lower_state");
  need_no_bounds(problem.upper_state, "upper_state");
  CorrectedPlan result;
  AnyTrajectoryProblem corrected = problem;
  IlqrOptions planner = options.planner;
  Eigen::MatrixXd controls = initial_controls;
  int worse = 0;
  while (true) {
    IlqrResult plan = ilqr(corrected, controls, planner);
    const Stages residuals = values_along(problem.residuals.residual, plan.trajectory),
                 constraints = values_along(problem.constraints.constraint, plan.trajectory);
    if (!is_a_plan(plan.stop) || residuals.empty() || constraints.empty()) {
      if (result.log.empty()) result.plan = std::move(plan);
      result.stop = result.log.empty() ? result.plan.stop : plan.stop;
      return result;
    }
    StageValues shown;
    try {
      shown = truth(plan.trajectory.controls);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& failure) {
      if (result.log.empty()) result.plan = std::move(plan);
      result.stop = Stop::evaluation_failed;
      result.message = failure.what();
      return result;
    }
    need_sizes(shown.residuals, residuals, "residuals");
    if (shown.constraints.empty() && !any(constraints))  // a problem without any: the truth need not say so
      shown.constraints = constraints;
    need_sizes(shown.constraints, constraints, "constraints");

    const double promised = plan.trajectory.cost, cost = cost_of(shown.residuals);
    const double violation = violation_of(shown.constraints);
    result.log.push_back({.promised = promised,
                          .cost = cost,
                          .violation = violation,
                          .planner = plan.stop,
                          .iterations = plan.iterations});
    ++result.iterations;
    const bool allowed = violation <= options.violation_tolerance,
               best_allowed = result.violation <= options.violation_tolerance;
    const bool better = std::isfinite(cost) && (allowed && best_allowed   ? cost < result.cost
                                                : allowed != best_allowed ? allowed
                                                                          : violation < result.violation);
    controls = plan.trajectory.controls;
    planner.multipliers = plan.multipliers;
    planner.initial_regularization = 0;
    const bool kept_its_word =
        plan.converged() && allowed && std::abs(cost - promised) <= options.relative_tolerance * cost;
    worse = better ? 0 : worse + 1;
    if (better) {
      result.plan = std::move(plan);
      result.cost = cost;
      result.violation = violation;
    }
    if (!std::isfinite(cost)) {
      result.stop = Stop::not_finite;
      return result;
    }
    if (kept_its_word) {
      result.stop = Stop::converged;
      return result;
    }
    if (worse == 2) {
      result.stop = Stop::stalled;
      return result;
    }
    if (result.iterations == options.max_rollouts) return result;
    corrected.residuals.residual = offset_by(problem.residuals.residual, difference(shown.residuals, residuals));
    corrected.constraints.constraint =
        offset_by(problem.constraints.constraint, difference(shown.constraints, constraints));
  }
}

}  // namespace quoin::planning
