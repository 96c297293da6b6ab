// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/tracking/track.hpp"
#include "numbers_text.hpp"

#include "quoin/robots/dynamics/control_changes.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"
#include "quoin/robots/planning/tracking/line_lengths.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace quoin::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void require_pulls(const char* name, const VectorXd& numbers, Index m) {
  if (numbers.size() != m || !numbers.allFinite())
    throw std::invalid_argument(std::string(name) + " = " + text_of(numbers) + ", expected " + to_text(m) +
                                " numbers, finite");
}

void require_path(const char* name, const MatrixXd& path, Index outputs) {
  if (path.rows() != outputs || path.cols() < 2)
    throw std::invalid_argument(std::string(name) + ": " + shape_text(path) + " numbers, expected " + to_text(outputs) +
                                " outputs at two times or more");
  if (!path.allFinite()) throw std::invalid_argument(std::string(name) + ": a number is not finite");
}

void complete(TrackingTask& task) {
  const Index m = task.body.dynamics.control_size();
  if (m == 0 || !task.body.output) throw std::invalid_argument("track: the task has no body: see tracked_body");
  require_path("path", task.path, task.body.outputs);
  require_pulls("lower_control", task.lower_control, m);
  require_pulls("upper_control", task.upper_control, m);
  if (!(task.lower_control.array() < task.upper_control.array()).all())
    throw std::invalid_argument("control: lower = " + text_of(task.lower_control) +
                                " is not below upper = " + text_of(task.upper_control));
  if (task.control_rate.size() > 0) {
    require_pulls("control_rate", task.control_rate, m);
    if (!(task.control_rate.array() > 0).all())
      throw std::invalid_argument("control_rate = " + text_of(task.control_rate) + " is not positive");
  }
  const double extent = (task.path.rowwise().maxCoeff() - task.path.rowwise().minCoeff()).maxCoeff();
  if (!task.accuracy && extent == 0)
    throw std::invalid_argument("path: a single point, which tells no accuracy: give accuracy");
  task.accuracy = task.accuracy.value_or(1e-3 * extent);
  if (!(*task.accuracy > 0 && task.smoothness > 0) || !std::isfinite(*task.accuracy + task.smoothness))
    throw std::invalid_argument("accuracy = " + to_text(*task.accuracy) +
                                " and smoothness = " + to_text(task.smoothness) + ": expected more than 0, and finite");
}

// For each point of the path the pulls (m) under which the outputs rest nearest to it, from those of the point before,
// and where several do, the nearest to these.
MatrixXd at_rest(const TrackingTask& task) {
  constexpr double nearness = 1e-3;
  const VectorXd &lower = task.lower_control, &upper = task.upper_control;
  const VectorXd weights = nearness * (upper - lower).cwiseInverse();
  const Index m = lower.size(), outputs = task.body.outputs;
  MatrixXd rest(m, task.path.cols()), J;
  VectorXd y, before = (lower + upper) / 2;
  for (Index i = 0; i < task.path.cols(); ++i) {
    bool any = false;
    const auto residual = [&](const VectorXd& u, VectorXd& r) {
      try {
        task.body.output(u, y, J);
      } catch (const CornerFailure&) {  // on the way: a shorter step
        if (!any) throw;
        return false;
      }
      any = true;
      r.resize(outputs + m);
      r << (y - task.path.col(i)) / *task.accuracy, weights.cwiseProduct(u - before);
      return true;
    };
    const auto jacobian = [&](const VectorXd& u, VectorXd& r, MatrixXd& slopes) {
      if (!residual(u, r)) return false;
      slopes.resize(outputs + m, m);
      slopes << J / *task.accuracy, MatrixXd(weights.asDiagonal());
      return true;
    };
    const bool first = i == 0;
    rest.col(i) = optimization::box_least_squares(residual, jacobian, before, lower, upper,
                                                  {.max_iterations = first ? 200 : 20, .check_curvature = first})
                      .x;
    before = rest.col(i);
  }
  return rest;
}

// (y - target) / accuracy, and before the end what controls of the problem differ from those that are steady.
struct TrackingResiduals {
  const TrackingTask& task;
  const MatrixXd& target;
  MatrixXd steady;
  VectorXd weights = std::sqrt(task.smoothness) * (task.upper_control - task.lower_control).cwiseInverse();

  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    MatrixXd dr_dx, dr_du;
    return residual(i, x, u, r, dr_dx, dr_du);
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& dr_dx, MatrixXd& dr_du) const {
    VectorXd y;
    MatrixXd J;
    if (!task.body.try_output(x.head(weights.size()), y, J)) return false;
    r.resize(y.size() + u.size());
    r.head(y.size()) = (y - target.col(i)) / *task.accuracy;
    dr_dx.setZero(r.size(), x.size());
    dr_dx.topLeftCorner(y.size(), weights.size()) = J / *task.accuracy;
    dr_du.setZero(r.size(), u.size());
    if (u.size() == 0) return true;
    r.tail(u.size()) = weights.cwiseProduct(u - steady.col(i));
    dr_du.bottomRows(u.size()) = weights.asDiagonal();
    return true;
  }
};

// Changes of guess count by what they add to those that it makes itself; with rates, all changes count.
TrackingPlan planned(const TrackingTask& task, const MatrixXd& target, const VectorXd& first, const MatrixXd& guess,
                     const IlqrOptions& options) {
  const VectorXd &lower = task.lower_control, &upper = task.upper_control;
  const AnyDynamics& dynamics = task.body.dynamics;
  const Index m = lower.size(), n = dynamics.state_size();
  const int horizon = static_cast<int>(guess.cols());
  TrackingPlan plan{.task = task, .target = target, .states = {}, .controls = {}, .planned = {}};
  const VectorXd start = task.body.rest_state(first);
  IlqrResult found;
  if (task.control_rate.size() == 0) {
    const TrajectoryProblem problem{.dynamics = dynamics,
                                    .residuals = TrackingResiduals{task, target, guess},
                                    .horizon = horizon,
                                    .initial_state = start,
                                    .lower_control = lower,
                                    .upper_control = upper};
    found = ilqr(problem, guess, options);
  } else {
    const VectorXd most = task.control_rate * task.body.time_step;
    MatrixXd changes(m, horizon);
    VectorXd last = first;
    for (Index i = 0; i < horizon; ++i) {
      changes.col(i) = (guess.col(i).cwiseMax(lower).cwiseMin(upper) - last).cwiseMax(-most).cwiseMin(most);
      last += changes.col(i);
    }
    const VectorXd free = VectorXd::Constant(n, std::numeric_limits<double>::infinity());
    TrajectoryProblem problem{.dynamics = ControlChanges(dynamics),
                              .residuals = TrackingResiduals{task, target, MatrixXd::Zero(m, horizon)},
                              .horizon = horizon,
                              .initial_state = VectorXd(n + m),
                              .lower_control = -most,
                              .upper_control = most,
                              .lower_state = VectorXd(n + m),
                              .upper_state = VectorXd(n + m)};
    problem.initial_state << start, first;
    problem.lower_state << -free, lower;
    problem.upper_state << free, upper;
    found = ilqr(problem, changes, options);
  }
  plan.stop = found.stop;
  plan.planned.resize(task.body.outputs, horizon + 1);
  VectorXd y;
  MatrixXd J;
  const auto output = [&](Index i, const VectorXd& u) {
    task.body.output(u, y, J);
    plan.planned.col(i) = y;
  };
  if (plan.stop == Stop::initial_failed) {
    for (Index i = 0; i <= horizon; ++i) output(i, i == 0 ? first : VectorXd(guess.col(i - 1)));
    plan.failed_status = found.failed_status;
    plan.message = "the model has no step " + to_text(found.failed_step) +
                   " when it is pulled as it would rest along the path, which it misses by up to " +
                   rounded(tracking_errors(plan.planned, target).maxCoeff()) +
                   ": a path within reach, a slower one, or a wider map";
    plan.planned.resize(0, 0);
    return plan;
  }
  plan.states = found.trajectory.states.topRows(n);
  plan.controls = task.control_rate.size() == 0 ? found.trajectory.controls
                                                : found.trajectory.states.bottomRows(m).rightCols(horizon);
  Index held = 0;
  for (Index i = 0; i < horizon; ++i) {
    plan.controls.col(i) = plan.controls.col(i).cwiseMax(lower).cwiseMin(upper).eval();
    held += (plan.controls.col(i).array() <= lower.array() || plan.controls.col(i).array() >= upper.array()).any();
  }
  for (Index i = 0; i <= horizon; ++i) output(i, plan.states.col(i).head(m));
  const VectorXd errors = tracking_errors(plan.planned, target);
  plan.message = std::string(to_string(plan.stop)) + ": the model is " +
                 rounded(std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size()))) +
                 " off its target (root mean square), at most " + rounded(errors.maxCoeff());
  if (held > 0)
    plan.message +=
        "; " + to_fixed(100.0 * static_cast<double>(held) / horizon, 0) + " % of the steps have a pull at its bound";
  return plan;
}

}  // namespace

TrackingPlan track(TrackingTask task, const IlqrOptions& options) {
  complete(task);
  if (task.body.length_slopes) {
    const VectorXd middle = (task.lower_control + task.upper_control) / 2;
    if (MatrixXd slopes; task.body.length_slopes(middle, slopes)) check_line_lengths(slopes, middle);
  }
  MatrixXd rest;
  try {
    rest = at_rest(task);
  } catch (const DomainError& error) {
    throw std::invalid_argument("control: the output has no answer within " + text_of(task.lower_control) + " to " +
                                text_of(task.upper_control) +
                                ", the bounds are to lie in its map's domain: " + error.what());
  }
  return planned(task, task.path, rest.col(0), rest.rightCols(rest.cols() - 1), options);
}

TrackingPlan track_again(const TrackingPlan& plan, const MatrixXd& target, const IlqrOptions& options) {
  if (plan.controls.cols() == 0) throw std::invalid_argument("track_again: there is no plan: " + plan.message);
  require_path("target", target, plan.task.body.outputs);
  if (target.cols() != plan.task.path.cols())
    throw std::invalid_argument("target: " + to_text(target.cols()) + " points, expected " +
                                to_text(plan.task.path.cols()));
  TrackingPlan next = planned(plan.task, target, plan.states.col(0).head(plan.controls.rows()), plan.controls, options);
  next.history = plan.history;
  return next;
}

}  // namespace quoin::planning
