// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/tracking/tracking_loop.hpp"

#include "quoin/robots/dynamics/control_changes.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const TrackingPlan& checked(const TrackingPlan& plan) {
  if (plan.controls.cols() == 0) throw std::invalid_argument("TrackingLoop: there is no plan: " + plan.message);
  return plan;
}

MatrixXd squares(const VectorXd& numbers) { return numbers.cwiseAbs2().asDiagonal(); }

LinearizedMotion along(const AnyDynamics& dynamics, const TrackingPlan& plan) {
  LinearizedMotion motion = linearize_along(dynamics, plan.states, plan.controls);
  if (motion.failed_step >= 0)
    throw std::invalid_argument("TrackingLoop: step " + to_text(motion.failed_step) +
                                " of the plan has no derivatives: " + to_string(motion.status));
  return motion;
}

// As the deviations of a state at rest are: of pulls, now and a step ago.
MatrixXd rest_weights(const TrackedBody& body, const VectorXd& deviations) {
  return squares(body.rest_state(deviations));
}

// How far the whole range of the pulls would move the outputs, root mean square along the plan.
double reach(const TrackingPlan& plan) {
  const VectorXd span = plan.task.upper_control - plan.task.lower_control;
  double squares = 0;
  VectorXd y;
  MatrixXd J;
  for (const auto& state : plan.states.colwise()) {
    plan.task.body.output(state.head(span.size()), y, J);
    squares += (J * span.asDiagonal()).squaredNorm();
  }
  return std::sqrt(squares / static_cast<double>(plan.states.cols()));
}

}  // namespace

TrackingLoop::TrackingLoop(TrackingPlan plan, const TrackingLoopOptions& options)
    : plan_(std::move(plan)),
      estimate_(options.estimate),
      motion_(along(checked(plan_).task.body.dynamics, plan_)),
      initial_(rest_weights(plan_.task.body, 0.01 * (plan_.task.upper_control - plan_.task.lower_control))),
      filter_(motion_, initial_) {
  const TrackingTask& task = plan_.task;
  const double accuracy = task.accuracy.value_or(1);
  const double range = reach(plan_), counts = std::max(10 * accuracy, 0.01 * range);
  const double weight = options.output_weight.value_or(1 / (counts * counts));
  const double sigma = options.noise.value_or(accuracy);
  const OptionsOf of{"TrackingLoop"};
  of.positive_and_finite("output_weight", weight);
  of.positive_and_finite("control_weight", options.control_weight);
  of.positive_and_finite("noise", sigma);
  of.not_negative_and_finite("disturbance", options.disturbance);

  const AnyDynamics& dynamics = task.body.dynamics;
  const Index n = dynamics.state_size(), m = dynamics.control_size(), steps = plan_.controls.cols();
  const VectorXd span = task.upper_control - task.lower_control;
  const MatrixXd R = options.control_weight * squares(span.cwiseInverse());
  const double seen =
      std::max(sigma, 1e-7 * range);  // below, covariances are what rounding leaves of their differences
  noise_ = seen * seen * MatrixXd::Identity(task.body.outputs, task.body.outputs);
  disturbance_.setZero(n, n);
  disturbance_.topLeftCorner(m, m) = squares(options.disturbance * span);
  before_.resize(m, steps + 1);
  before_ << plan_.states.col(0).head(m), plan_.controls;

  // With rates the pulls are part of the state, and what is fed back are their changes.
  const Index rows = has_rates() ? n + m : n;
  LqrWeights weights{.Q = {}, .R = {R}, .final = {}};
  VectorXd y;
  MatrixXd J;
  for (Index i = 0; i <= steps; ++i) {
    task.body.output(plan_.states.col(i).head(m), y, J);
    output_slopes_.push_back(MatrixXd::Zero(task.body.outputs, n));
    output_slopes_.back().leftCols(m) = J;
    MatrixXd Q = MatrixXd::Zero(rows, rows);
    Q.topLeftCorner(m, m) = weight * J.transpose() * J;
    if (has_rates()) Q.bottomRightCorner(m, m) = R;
    if (i < steps)
      weights.Q.push_back(Q);
    else
      weights.final = Q;
  }
  if (!has_rates()) {
    gains_ = time_varying_lqr(motion_, weights).gains;
  } else {
    MatrixXd states(rows, steps + 1);
    states << plan_.states, before_;
    weights.R = {squares((task.control_rate * task.body.time_step).cwiseInverse())};
    const MatrixXd changes = plan_.controls - before_.leftCols(steps);
    gains_ = time_varying_lqr(linearize_along(ControlChanges(dynamics), states, changes), weights).gains;
  }
  reset();
}

void TrackingLoop::reset() {
  filter_ = TrajectoryFilter(motion_, initial_);
  step_ = 0;
  last_ = before_.col(0);
}

VectorXd TrackingLoop::control(const VectorXd& measured) {
  const Index i = step_;
  if (i >= plan_.controls.cols())
    throw std::invalid_argument("TrackingLoop::control: the plan has " + to_text(plan_.controls.cols()) +
                                " steps: reset() begins anew");
  const MatrixXd& outputs = plan_.seen.size() > 0 ? plan_.seen : plan_.planned;
  const VectorXd wanted = (estimate_ ? outputs : plan_.states).col(i);
  if (measured.size() != wanted.size())
    throw std::invalid_argument("TrackingLoop::control: " + to_text(measured.size()) + " numbers were measured, " +
                                "expected " + to_text(wanted.size()) + (estimate_ ? ", the outputs" : ", a state"));
  for (Index k = 0; k < measured.size(); ++k)
    if (!std::isfinite(measured[k]))
      throw std::invalid_argument("TrackingLoop::control: measured " + to_text(k) + " = " + to_text(measured[k]) +
                                  ": a number is not finite");
  VectorXd off = measured - wanted;
  if (estimate_) {
    filter_.update(output_slopes_[static_cast<std::size_t>(i)], off, noise_);
    off = filter_.estimate();
  }
  const TrackingTask& task = plan_.task;
  const MatrixXd& gain = gains_[static_cast<std::size_t>(i)];
  VectorXd u = plan_.controls.col(i);
  if (!has_rates()) {
    u -= gain * off;
  } else {
    const Index n = off.size(), m = u.size();
    const VectorXd most = task.control_rate * task.body.time_step;
    const VectorXd change = u - before_.col(i) - gain.leftCols(n) * off - gain.rightCols(m) * (last_ - before_.col(i));
    u = last_ + change.cwiseMax(-most).cwiseMin(most);
  }
  u = u.cwiseMax(task.lower_control).cwiseMin(task.upper_control).eval();
  if (estimate_) filter_.predict(u - plan_.controls.col(i), disturbance_);
  ++step_;
  return last_ = u;
}

}  // namespace quoin::planning
