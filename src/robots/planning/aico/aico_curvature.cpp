// SPDX-License-Identifier: BSD-3-Clause
#include "aico_curvature.hpp"

#include "robots/planning/coordinate_sizes.hpp"
#include "robots/planning/make_symmetric.hpp"

#include "quoin/robots/linear_algebra/semidefinite_root.hpp"
#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace quoin::planning {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

Vector gradient(const LocalTask& task, const Vector& x) { return task.R * x - task.r; }

}  // namespace

Curvature::Curvature(const AicoProblem& problem)
    : problem_(problem), costate_(problem.horizon + 1), task_(problem.horizon + 1), step_(problem.horizon) {
  way_.controls.assign(problem.horizon, Vector::Zero(problem.control_size()));
  way_.gains.assign(problem.horizon, Matrix::Zero(problem.control_size(), problem.state_size));
  way_.start = way_.pull = Vector::Zero(problem.state_size);
  if (problem.initial_covariance.size() == 0) return;
  const linear_algebra::SemidefiniteRoot start(problem.initial_covariance, "aico: initial_covariance");
  root_ = start.root().rightCols(start.rank());
  inverse_root_ = start.inverse().rightCols(start.rank());
}

double Curvature::reach(Index j, double at) const { return relative_step_ * std::max(least_[j], std::abs(at)); }

Curvature::Known Curvature::take(const Plan& plan, Sweep& sweep, long budget, double relative_step) {
  relative_step_ = relative_step;
  budget_ = budget;
  generator_.seed(1);  // the same answer whenever it is asked
  const int T = problem_.horizon;
  CoordinateSizes sizes(problem_.state_size, problem_.control_size(), plan.cost);
  for (int t = 0; t < T; ++t) sizes.add_controls(plan.controls.col(t), problem_.control_cost.diagonal());
  for (int t = 0; t < T; ++t) sizes.add_state(plan.states.col(t + 1), plan.steps[t].B);
  for (const LocalTask& task : plan.tasks) sizes.add_state_cost(task.R.diagonal());
  least_ = sizes.least();
  for (int t = T; t >= 0; --t) {
    costate_[t] = gradient(plan.tasks[t], plan.states.col(t));
    if (t < T) costate_[t] += plan.steps[t].A.transpose() * costate_[t + 1];
  }
  for (int t = T; t >= 0; --t) {
    Known known = take_task(plan, sweep, t);
    if (known == Known::yes && t < T) known = take_step(plan, sweep, t);
    if (known != Known::yes) return known;
  }
  return Known::yes;
}

Curvature::Known Curvature::take_task(const Plan& plan, Sweep& sweep, int t) {
  const LocalTask& here = plan.tasks[t];
  const Index n = problem_.state_size;
  const Vector x = plan.states.col(t), slope = gradient(here, x);
  task_[t] = here.R;
  if (t == 0 && root_.cols() == 0) return Known::yes;  // the state is given
  LocalTask there;
  Vector moved = x;
  std::uniform_real_distribution<double> uniform(0.5, 1);
  bool out_of_budget = false;
  const auto move = [&](Index from, Index count, bool drawn) {
    for (const double way : {1., -1.}) {
      if (budget_ > 0 && sweep.task_evaluations() >= budget_) {
        out_of_budget = true;
        return false;
      }
      moved = x;
      for (Index j = from; j < from + count; ++j) moved[j] += way * reach(j, x[j]) * (drawn ? uniform(generator_) : 1);
      if (sweep.linearize(t, moved, there)) return true;
    }
    return false;
  };
  const auto failed = [&] { return out_of_budget ? Known::out_of_budget : Known::no; };

  // All entries at once tell a task of linear residuals: its R is the same to the bit, and right.
  if (!move(0, n, true)) return failed();
  if (there.R == here.R) {
    const Vector change = gradient(there, moved) - slope, foretold = here.R * (moved - x);
    const double rounding = 1e-14 * ((here.R * x).norm() + here.r.norm());
    if ((change - foretold).norm() <= 1e-6 * foretold.norm() + rounding) return Known::yes;
  }
  // The last entries, on which the task does not seem to depend, at once: velocities, say.
  Index used = n;
  while (used > 0 && here.r[used - 1] == 0 && (here.R.col(used - 1).array() == 0).all()) --used;
  if (used < n) {
    if (!move(used, n - used, true)) return failed();
    if (there.R != here.R || there.r != here.r) used = n;
  }
  task_[t].setZero();
  for (Index j = 0; j < used; ++j) {
    if (!move(j, 1, false)) return failed();
    task_[t].col(j) = (gradient(there, moved) - slope) / (moved[j] - x[j]);
  }
  make_symmetric(task_[t]);
  return task_[t].allFinite() ? Known::yes : Known::no;
}

Curvature::Known Curvature::take_step(const Plan& plan, Sweep& sweep, int t) {
  const LinearStep& here = plan.steps[t];
  const Index n = problem_.state_size, m = problem_.control_size();
  const Vector x = plan.states.col(t), u = plan.controls.col(t);
  step_[t].setZero(n + m, n + m);
  LinearStep there;
  Vector at(n + m), moved(n + m), next;
  StepStatus status = StepStatus::ok;
  at << x, u;
  std::uniform_real_distribution<double> uniform(0.5, 1);
  const auto move = [&](Index from, Index count, bool drawn) {
    for (const double way : {1., -1.}) {
      moved = at;
      for (Index j = from; j < from + count; ++j) moved[j] += way * reach(j, at[j]) * (drawn ? uniform(generator_) : 1);
      if (sweep.take_step(t, moved.head(n), moved.tail(m), next, there, status)) return true;
    }
    return false;
  };
  const Index first = t == 0 && root_.cols() == 0 ? n : 0;
  if (!move(first, n + m - first, true)) return Known::no;
  if (there.A == here.A && there.B == here.B) return Known::yes;
  for (Index j = first; j < n + m; ++j) {
    if (!move(j, 1, false)) return Known::no;
    step_[t].col(j).head(n) = (there.A - here.A).transpose() * costate_[t + 1] / (moved[j] - at[j]);
    step_[t].col(j).tail(m) = (there.B - here.B).transpose() * costate_[t + 1] / (moved[j] - at[j]);
  }
  if (first > 0) step_[t].bottomLeftCorner(m, n).setZero();
  make_symmetric(step_[t]);
  return step_[t].allFinite() ? Known::yes : Known::no;
}

bool Curvature::convex(const Plan& plan, double share, double tolerance) {
  const int T = problem_.horizon;
  const Index n = problem_.state_size, m = problem_.control_size();
  const auto of_task = [&](int t) -> Matrix { return plan.tasks[t].R + share * (task_[t] - plan.tasks[t].R); };
  Vector v = costate_[T], q_u, q_x;
  V_ = of_task(T);
  way_.start.setZero();
  way_.pull.setZero();
  for (int t = T - 1; t >= 0; --t) {
    const LinearStep& step = plan.steps[t];
    q_u = problem_.control_cost * plan.controls.col(t) + step.B.transpose() * v;
    q_x = gradient(plan.tasks[t], plan.states.col(t)) + step.A.transpose() * v;
    const Matrix V_A = V_ * step.A, V_B = V_ * step.B;
    Q_uu_ = problem_.control_cost + share * step_[t].bottomRightCorner(m, m) + step.B.transpose() * V_B;
    Q_ux_ = share * step_[t].bottomLeftCorner(m, n) + step.B.transpose() * V_A;
    Q_xx_ = of_task(t) + share * step_[t].topLeftCorner(n, n) + step.A.transpose() * V_A;
    make_symmetric(Q_uu_);
    at_bend_ = Q_uu_;
    sizes_ = Q_uu_.diagonal().cwiseMax(problem_.control_cost.diagonal());
    Q_uu_.diagonal() += tolerance * sizes_;
    const Eigen::LLT<Matrix> llt(Q_uu_);
    bent_at_ = t;
    if (llt.info() != Eigen::Success) return false;
    way_.controls[t] = -llt.solve(q_u);
    way_.gains[t] = -llt.solve(Q_ux_);
    v = q_x + Q_ux_.transpose() * way_.controls[t];
    V_ = Q_xx_ + Q_ux_.transpose() * way_.gains[t];
    make_symmetric(V_);
  }
  if (root_.cols() > 0) {
    at_bend_ = root_.transpose() * V_ * root_;
    at_bend_.diagonal().array() += 1;
    sizes_.setOnes(root_.cols());
    Matrix damped = at_bend_;
    damped.diagonal().array() += tolerance;
    const Eigen::LLT<Matrix> llt(damped);
    bent_at_ = -1;
    if (llt.info() != Eigen::Success) return false;
    const Vector w = -llt.solve(root_.transpose() * (plan.pull + v));
    way_.start = root_ * w;
    way_.pull = inverse_root_ * w;
  }
  measure(plan);
  return true;
}

bool Curvature::turn_down(const Plan& plan) {
  // In units in which all controls cost alike: otherwise the small numbers drown in the large ones' rounding.
  const Vector units = sizes_.cwiseSqrt().cwiseInverse();
  const linear_algebra::SymmetricEigen eigen(units.asDiagonal() * at_bend_ * units.asDiagonal());
  const Vector down = units.cwiseProduct(eigen.eigenvectors().col(0));
  for (Vector& controls : way_.controls) controls.setZero();
  way_.start.setZero();
  way_.pull.setZero();
  for (int t = 0; t <= bent_at_; ++t) way_.gains[t].setZero();
  if (bent_at_ >= 0) {
    way_.controls[bent_at_] = down;
  } else {
    way_.start = root_ * down;
    way_.pull = inverse_root_ * down;
  }
  measure(plan);
  return curvature_ < 0;
}

/// What the way does in the linear model, and the whole second-order model of the cost along it.
void Curvature::measure(const Plan& plan) {
  slope_ = curvature_ = change_ = 0;
  const int T = problem_.horizon;
  const Index n = problem_.state_size;
  Vector dx = way_.start;
  if (root_.cols() > 0) {
    slope_ += plan.pull.dot(way_.start);
    curvature_ += 0.5 * way_.pull.dot(way_.start);
  }
  for (int t = 0; t <= T; ++t) {
    change_ = std::max(change_, dx.cwiseAbs().maxCoeff());
    slope_ += gradient(plan.tasks[t], plan.states.col(t)).dot(dx);
    curvature_ += 0.5 * dx.dot(task_[t] * dx);
    if (t == T) break;
    const Vector du = way_.controls[t] + way_.gains[t] * dx;
    slope_ += du.dot(problem_.control_cost * plan.controls.col(t));
    Vector both(n + du.size());
    both << dx, du;
    curvature_ += 0.5 * (du.dot(problem_.control_cost * du) + both.dot(step_[t] * both));
    dx = (plan.steps[t].A * dx + plan.steps[t].B * du).eval();
  }
}

}  // namespace quoin::planning
