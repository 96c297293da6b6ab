// SPDX-License-Identifier: BSD-3-Clause
#include "aico_sweep.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::planning {

Plan::Plan(const AicoProblem& problem)
    : states(problem.state_size, problem.horizon + 1),
      controls(problem.control_size(), problem.horizon),
      pull(Eigen::VectorXd::Zero(problem.state_size)),
      tasks(problem.horizon + 1),
      steps(problem.horizon) {}

Sweep::Sweep(const AicoProblem& problem, const AicoOptions& options)
    : problem_(problem),
      options_(options),
      chain_(problem.state_size, problem.control_cost, problem.horizon),
      start_(problem.initial_state),
      pull_(Eigen::VectorXd::Zero(problem.state_size)) {
  if (options.relinearizations > 0) relinearized_.resize(problem.horizon + 1);
  is_relinearized_.assign(problem.horizon + 1, 0);
}

bool Sweep::linearize(int t, const Eigen::VectorXd& x, LocalTask& task) {
  task.set_zero(x.size());
  ++task_evaluations_;
  if (!problem_.task(t, x, task)) return false;
  if (task.R.rows() != x.size() || task.R.cols() != x.size() || task.r.size() != x.size()) {
    throw std::invalid_argument("aico: the task at time " + to_text(t) + " has R " + shape_text(task.R) + " and r " +
                                to_text(task.r.size()) + " for " + to_text(x.size()) + " states");
  }
  return std::isfinite(task.cost) && task.R.allFinite() && task.r.allFinite();
}

const LocalTask& Sweep::damped(const Plan& plan, const LocalTask& task, int t) {
  if (damping_ == 0) return task;
  damped_.R = task.R;
  damped_.r = task.r;
  if (options_.damping_weights.size() == 0) {
    damped_.R.diagonal().array() += damping_;
    damped_.r += damping_ * plan.states.col(t);
  } else {
    damped_.R.diagonal() += damping_ * options_.damping_weights;
    damped_.r += damping_ * options_.damping_weights.cwiseProduct(plan.states.col(t));
  }
  return damped_;
}

void Sweep::forward(const Plan& plan) {
  chain_.start(problem_.initial_state, problem_.initial_covariance);
  for (int t = 0; t < problem_.horizon; ++t) chain_.forward(t, plan.steps[t], damped(plan, plan.tasks[t], t));
}

// In the backward pass both messages of the slice are of this sweep.
void Sweep::relinearize(const Plan& plan, int t, int times) {
  is_relinearized_[t] = 0;
  x_ = plan.states.col(t);
  for (int i = 0; i < times; ++i) {
    const LocalTask& task = is_relinearized_[t] ? relinearized_[t] : plan.tasks[t];
    const Eigen::VectorXd& belief = chain_.belief(t, damped(plan, task, t));
    if ((belief - x_).cwiseAbs().maxCoeff() <= options_.slice_threshold) return;
    // The rest of the budget is reserved for a trial.
    const long budget = options_.max_task_evaluations;
    if (budget > 0 && task_evaluations_ + problem_.horizon + 1 >= budget) return;
    x_ = belief;
    ++relinearizations_;
    if (!linearize(t, x_, again_)) return;
    std::swap(relinearized_[t], again_);
    is_relinearized_[t] = 1;
  }
}

void Sweep::run(const Plan& plan, double damping, int relinearizations) {
  ++sweeps_;
  damping_ = damping;
  if (relinearizations > 0) forward(plan);
  chain_.finish();
  for (int t = problem_.horizon;; --t) {
    relinearize(plan, t, relinearizations);
    const LocalTask& task = damped(plan, is_relinearized_[t] ? relinearized_[t] : plan.tasks[t], t);
    if (t > 0) {
      chain_.backward(t - 1, plan.steps[t - 1], task);
      continue;
    }
    if (problem_.initial_covariance.size() != 0) {
      chain_.start(problem_.initial_state, problem_.initial_covariance);
      start_ = chain_.belief(0, task);
      pull_ = chain_.e(0) + task.r - (chain_.L(0) + task.R) * start_;
    }
    break;
  }
  take_model_step(plan);
}

void Sweep::take_model_step(const Plan& plan) {
  double slope = 0, curvature = 0;
  step_.change = 0;
  dx_ = start_ - plan.states.col(0);
  if (problem_.initial_covariance.size() != 0) {
    slope += plan.pull.dot(dx_);
    curvature += (pull_ - plan.pull).dot(dx_);
  }
  for (int t = 0; t <= problem_.horizon; ++t) {
    const LocalTask& task = plan.tasks[t];
    next_.noalias() = task.R * plan.states.col(t);
    slope += (next_ - task.r).dot(dx_);
    next_.noalias() = task.R * dx_;
    curvature += next_.dot(dx_);
    step_.change = std::max(step_.change, dx_.cwiseAbs().maxCoeff());
    if (t == problem_.horizon) break;
    const GaussianChain::ControlLaw& law = chain_.law(t);
    x_ = plan.states.col(t) + dx_;
    du_ = law.k - plan.controls.col(t);
    du_.noalias() += law.K * x_;
    u_.noalias() = problem_.control_cost * du_;
    slope += u_.dot(plan.controls.col(t));
    curvature += u_.dot(du_);
    next_.noalias() = plan.steps[t].A * dx_;
    next_.noalias() += plan.steps[t].B * du_;
    std::swap(dx_, next_);
  }
  step_.expected_decrease = -slope - 0.5 * curvature;
}

bool Sweep::take_step(int t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                      LinearStep& step, StepStatus& status) {
  ++dynamics_calls_;
  status = problem_.dynamics(t, x, u, next, &step);
  if (status != StepStatus::ok) return false;
  if (next.size() != x.size() || step.A.rows() != x.size() || step.A.cols() != x.size() || step.a.size() != x.size() ||
      step.B.rows() != x.size() || step.B.cols() != u.size()) {
    throw std::invalid_argument("aico: the step at time " + to_text(t) + " leads to " + to_text(next.size()) +
                                " states, with A " + shape_text(step.A) + ", B " + shape_text(step.B) + ", for " +
                                to_text(x.size()) + " states and " + to_text(u.size()) + " controls");
  }
  return step.A.allFinite() && step.B.allFinite();
}

template <class Control>
bool Sweep::follow_by(const Control& control, Plan& plan) {
  plan.cost = 0;
  plan.control_cost = 0;
  if (problem_.initial_covariance.size() != 0)
    plan.cost += 0.5 * plan.pull.dot(plan.states.col(0) - problem_.initial_state);
  x_ = plan.states.col(0);
  for (int t = 0; t <= problem_.horizon; ++t) {
    plan.failed_step = t;
    plan.failed_status = StepStatus::ok;
    if (!x_.allFinite() || !linearize(t, x_, plan.tasks[t])) return false;
    plan.cost += plan.tasks[t].cost;
    if (t == problem_.horizon) break;
    control(t, x_);
    plan.controls.col(t) = u_;
    du_.noalias() = problem_.control_cost * u_;
    plan.control_cost += 0.5 * u_.dot(du_);
    plan.failed_status = StepStatus::ok;
    if (!take_step(t, x_, u_, next_, plan.steps[t], plan.failed_status)) return false;
    std::swap(x_, next_);
    plan.states.col(t + 1) = x_;
  }
  plan.cost += plan.control_cost;
  plan.failed_step = -1;
  return std::isfinite(plan.cost);
}

bool Sweep::follow(Plan& plan) {
  plan.states.col(0) = start_;
  plan.pull = pull_;
  return follow_by(
      [this](int t, const Eigen::VectorXd& x) {
        u_ = chain_.law(t).k;
        u_.noalias() += chain_.law(t).K * x;
      },
      plan);
}

bool Sweep::follow(const Eigen::MatrixXd& controls, Plan& plan) {
  plan.states.col(0) = problem_.initial_state;
  plan.pull.setZero();
  return follow_by([&](int t, const Eigen::VectorXd&) { u_ = controls.col(t); }, plan);
}

bool Sweep::follow(const Plan& from, const Way& way, double length, Plan& plan) {
  plan.states.col(0) = from.states.col(0) + length * way.start;
  plan.pull = from.pull + length * way.pull;
  return follow_by(
      [&](int t, const Eigen::VectorXd& x) {
        u_ = from.controls.col(t) + length * way.controls[t];
        u_.noalias() += way.gains[t] * (x - from.states.col(t));
      },
      plan);
}

void Sweep::covariances(const Plan& plan, std::vector<Eigen::MatrixXd>& covariances) {
  forward(plan);
  for (int t = 0; t <= problem_.horizon; ++t) {
    chain_.belief(t, plan.tasks[t], marginal_);
    covariances.push_back(marginal_.covariance);
  }
}

}  // namespace quoin::planning
