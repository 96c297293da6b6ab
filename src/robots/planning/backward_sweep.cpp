// SPDX-License-Identifier: BSD-3-Clause
#include "backward_sweep.hpp"

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"
#include "quoin/util/request.hpp"

#include "infinity.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::planning {
namespace {

constexpr int most_active_sets = 20;  // three or four are usual

}  // namespace

BackwardSweep::BackwardSweep(const AnyTrajectoryProblem& problem)
    : problem_(problem),
      bounded_((problem.lower_control.array() > -infinity).any() || (problem.upper_control.array() < infinity).any()) {
  const Eigen::Index n = problem.dynamics.state_size(), m = problem.dynamics.control_size();
  steps_.assign(problem.horizon, Eigen::VectorXd::Zero(m));
  gains_.assign(problem.horizon, Eigen::MatrixXd::Zero(m, n));
  models_.resize(problem.horizon + 1);  // sized as they are expanded: gigabytes take seconds
  lower_ = upper_ = damping_ = u_ = steps_;
  x_.assign(problem.horizon + 1, Eigen::VectorXd::Zero(n));
  q_ = {Eigen::VectorXd(n), Eigen::VectorXd(m), Eigen::MatrixXd(n, n), Eigen::MatrixXd(m, n), Eigen::MatrixXd(m, m)};
  value_x_.resize(n);
  value_xx_.resize(n, n);
  value_g_x_.resize(n, n);
  value_g_u_.resize(n, m);
  work_ux_.resize(m, n);
  diagonal_ = floor_ = Eigen::VectorXd::Zero(m);
}

void BackwardSweep::expand(int i, const StagedTrajectory& motion, const StageDerivatives& stage,
                           const AugmentedLagrangian& lagrangian, const Eigen::MatrixXd* hessian, double share) {
  StageModel& q = models_[i];
  q.q_x.noalias() = stage.r_x.transpose() * stage.r;
  q.q_xx.noalias() = stage.r_x.transpose() * stage.r_x;
  if (i < problem_.horizon) {
    q.q_u.noalias() = stage.r_u.transpose() * stage.r;
    q.q_uu.noalias() = stage.r_u.transpose() * stage.r_u;
    q.q_ux.noalias() = stage.r_u.transpose() * stage.r_x;
  }
  if (hessian != nullptr) {
    const Eigen::Index n = problem_.dynamics.state_size(), m = motion.u[i].size();
    if (m > 0) q.q_uu += share * (hessian->bottomRightCorner(m, m) - q.q_uu);
    if (i > 0) {  // the first state is given: its Hessian is not known, and changes no step
      q.q_xx += share * (hessian->topLeftCorner(n, n) - q.q_xx);
      if (m > 0) q.q_ux += share * (hessian->bottomLeftCorner(m, n) - q.q_ux);
    }
  }
  lagrangian.add_to(q, i, motion.x[i], stage);
}

/// The gradient by the control of stage i, where adjoint_ is that by the state after it; and adjoint_ a stage back.
void BackwardSweep::adjoint_step(int i, const StageDerivatives& stage) {
  gradient_ = models_[i].q_u;
  gradient_.noalias() += stage.g_u.transpose() * adjoint_;
  work_x_ = models_[i].q_x;
  work_x_.noalias() += stage.g_x.transpose() * adjoint_;
  adjoint_.swap(work_x_);
}

void BackwardSweep::measure_gradient(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages) {
  projected_gradient_ = 0;
  adjoint_ = models_[problem_.horizon].q_x;
  StopCheck stop(16);
  for (int i = problem_.horizon - 1; i >= 0; --i) {
    stop();
    adjoint_step(i, stages[i]);
    const Eigen::VectorXd& u = motion.u[i];
    projected_gradient_ = std::max(
        projected_gradient_,
        (u - (u - gradient_).cwiseMax(problem_.lower_control).cwiseMin(problem_.upper_control)).cwiseAbs().maxCoeff());
  }
}

double BackwardSweep::relative_gradient(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages) {
  const Eigen::Index m = problem_.dynamics.control_size();
  Eigen::VectorXd free = Eigen::VectorXd::Zero(m), scale = free;
  adjoint_ = models_[problem_.horizon].q_x;
  for (int i = problem_.horizon - 1; i >= 0; --i) {
    const StageDerivatives& stage = stages[i];
    for (Eigen::Index j = 0; j < m; ++j) {
      scale[j] = std::max(scale[j], std::abs(models_[i].q_u[j]) + stage.r_u.col(j).norm() * stage.r.norm() +
                                        stage.g_u.col(j).cwiseAbs().dot(adjoint_.cwiseAbs()));
    }
    adjoint_step(i, stage);
    for (Eigen::Index j = 0; j < m; ++j) {
      const double u = motion.u[i][j];
      const bool held = gradient_[j] > 0 ? u <= problem_.lower_control[j] : u >= problem_.upper_control[j];
      if (!held) free[j] = std::max(free[j], std::abs(gradient_[j]));
    }
  }
  double largest = 0;
  for (Eigen::Index j = 0; j < m; ++j)
    if (free[j] > 0) largest = std::max(largest, free[j] / scale[j]);
  return largest;
}

/// Steps and gains that minimize the models, stage by stage from the last, with steps between lower_ and upper_.
bool BackwardSweep::minimize_stages(const std::vector<StageDerivatives>& stages) {
  value_x_ = models_[problem_.horizon].q_x;
  value_xx_ = models_[problem_.horizon].q_xx;
  if (fresh_) diagonal_.setZero();
  StopCheck stop(16);
  for (int i = problem_.horizon - 1; i >= 0; --i) {
    stop();
    const StageDerivatives& stage = stages[i];
    q_ = models_[i];
    value_g_x_.noalias() = value_xx_ * stage.g_x;
    value_g_u_.noalias() = value_xx_ * stage.g_u;
    q_.q_x.noalias() += stage.g_x.transpose() * value_x_;
    q_.q_u.noalias() += stage.g_u.transpose() * value_x_;
    q_.q_xx.noalias() += stage.g_x.transpose() * value_g_x_;
    q_.q_uu.noalias() += stage.g_u.transpose() * value_g_u_;
    q_.q_ux.noalias() += stage.g_u.transpose() * value_g_x_;
    if (fresh_) {
      // Relative to each control's own diagonal: units do not matter. The floor serves controls without effect, in this
      // stage or in all.
      diagonal_ = diagonal_.cwiseMax(q_.q_uu.diagonal());
      const double any = 1e-8 * diagonal_.maxCoeff() + 1e-12;
      floor_ = (diagonal_.array() > 0).select(1e-8 * diagonal_, any);
      damping_[i] = regularization_ * (q_.q_uu.diagonal() + floor_);
    }
    if (regularization_ > 0) q_.q_uu.diagonal() += damping_[i];
    Eigen::VectorXd& k = steps_[i];
    Eigen::MatrixXd& gain = gains_[i];
    k.setZero();
    if (box_qp_.solve(q_.q_uu, q_.q_u, lower_[i], upper_[i], k) == optimization::BoxQpStatus::indefinite) {
      indefinite_stage_ = i;
      return false;
    }
    gain = -q_.q_ux;
    box_qp_.solve_free(gain);

    work_u_ = q_.q_u;
    work_u_.noalias() += q_.q_uu * k;
    value_x_ = q_.q_x;
    value_x_.noalias() += gain.transpose() * work_u_;
    value_x_.noalias() += q_.q_ux.transpose() * k;
    work_ux_ = q_.q_ux;
    work_ux_.noalias() += q_.q_uu * gain;
    value_xx_ = q_.q_xx;
    value_xx_.noalias() += gain.transpose() * work_ux_;
    value_xx_.noalias() += q_.q_ux.transpose() * gain;
    for (Eigen::Index b = 0; b < value_xx_.cols(); ++b) {
      for (Eigen::Index a = 0; a < b; ++a)
        value_xx_(a, b) = value_xx_(b, a) = 0.5 * (value_xx_(a, b) + value_xx_(b, a));
    }
  }
  return true;
}

/// Where the policy leads the linearized motion, and the model's terms along it.
void BackwardSweep::follow(const std::vector<StageDerivatives>& stages) {
  linear_ = quadratic_ = 0;
  for (int i = 0; i <= problem_.horizon; ++i) {
    const StageModel& q = models_[i];
    linear_ += q.q_x.dot(x_[i]);
    work_x_.noalias() = q.q_xx * x_[i];
    quadratic_ += 0.5 * x_[i].dot(work_x_);
    if (i == problem_.horizon) break;
    u_[i] = steps_[i];
    u_[i].noalias() += gains_[i] * x_[i];
    linear_ += q.q_u.dot(u_[i]);
    work_u_.noalias() = 0.5 * q.q_uu * u_[i];
    work_u_.noalias() += q.q_ux * x_[i];
    quadratic_ += u_[i].dot(work_u_);
    x_[i + 1].noalias() = stages[i].g_x * x_[i];
    x_[i + 1].noalias() += stages[i].g_u * u_[i];
  }
}

/// Holds the controls that leave their bounds there, and frees those held that the damped model pushes back inside.
/// False where there are none: the step is the whole box's minimum.
bool BackwardSweep::change_active_set(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages) {
  bool changed = false;
  const StageModel& end = models_[problem_.horizon];
  adjoint_ = end.q_x;
  adjoint_.noalias() += end.q_xx * x_[problem_.horizon];
  StopCheck stop(16);
  for (int i = problem_.horizon - 1; i >= 0; --i) {
    stop();
    const StageModel& q = models_[i];
    gradient_ = q.q_u + damping_[i].cwiseProduct(u_[i]);
    gradient_.noalias() += q.q_uu * u_[i];
    gradient_.noalias() += q.q_ux * x_[i];
    gradient_.noalias() += stages[i].g_u.transpose() * adjoint_;
    work_x_ = q.q_x;
    work_x_.noalias() += q.q_xx * x_[i];
    work_x_.noalias() += q.q_ux.transpose() * u_[i];
    work_x_.noalias() += stages[i].g_x.transpose() * adjoint_;
    adjoint_.swap(work_x_);
    for (Eigen::Index j = 0; j < gradient_.size(); ++j) {
      const double lower = problem_.lower_control[j] - motion.u[i][j],
                   upper = problem_.upper_control[j] - motion.u[i][j];
      const double width = upper - lower;
      const double rounding = 1e-12 * (width < infinity ? width : 1 + std::abs(motion.u[i][j]));
      double &least = lower_[i][j], &most = upper_[i][j];
      const bool held = least == most;
      if (!held && u_[i][j] < lower - rounding) {
        least = most = lower;
      } else if (!held && u_[i][j] > upper + rounding) {
        least = most = upper;
      } else if (held && width > 0 && (least == lower ? gradient_[j] < 0 : gradient_[j] > 0)) {
        least = -infinity;
        most = infinity;
      } else {
        continue;
      }
      changed = true;
    }
  }
  return changed;
}

bool BackwardSweep::run(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
                        const AugmentedLagrangian& lagrangian, double regularization,
                        const std::vector<Eigen::MatrixXd>* hessians, double share) {
  const int horizon = problem_.horizon;
  StopCheck stop(16);
  for (int i = 0; i <= horizon; ++i, stop())
    expand(i, motion, stages[i], lagrangian, hessians != nullptr ? &(*hessians)[i] : nullptr, share);
  measure_gradient(motion, stages);
  for (int i = 0; i < horizon; ++i) {
    lower_[i] = problem_.lower_control - motion.u[i];
    upper_[i] = problem_.upper_control - motion.u[i];
  }
  regularization_ = regularization;
  fresh_ = true;
  if (!minimize_stages(stages)) return false;
  fresh_ = false;
  follow(stages);
  if (!bounded_) return true;

  for (int i = 0; i < horizon; ++i) {  // the stages' boxes tell the first active set
    for (Eigen::Index j = 0; j < steps_[i].size(); ++j) {
      double &least = lower_[i][j], &most = upper_[i][j];
      if (steps_[i][j] <= least) {
        most = least;
      } else if (steps_[i][j] >= most) {
        least = most;
      } else {
        least = -infinity;
        most = infinity;
      }
    }
  }
  stage_steps_ = steps_;
  stage_gains_ = gains_;
  for (int set = 0; change_active_set(motion, stages); ++set) {
    if (set == most_active_sets || !minimize_stages(stages)) {
      steps_.swap(stage_steps_);
      gains_.swap(stage_gains_);
      follow(stages);
      break;
    }
    follow(stages);
  }
  return true;
}

bool BackwardSweep::convex(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
                           const AugmentedLagrangian& lagrangian, double regularization,
                           const std::vector<Eigen::MatrixXd>& hessians, double share) {
  for (int i = 0; i <= problem_.horizon; ++i) expand(i, motion, stages[i], lagrangian, &hessians[i], share);
  adjoint_ = models_[problem_.horizon].q_x;
  for (int i = problem_.horizon - 1; i >= 0; --i) {
    adjoint_step(i, stages[i]);
    for (Eigen::Index j = 0; j < gradient_.size(); ++j) {
      const double u = motion.u[i][j], lower = problem_.lower_control[j], upper = problem_.upper_control[j];
      const double width = upper - lower, touch = 1e-9 * (width < infinity ? width : 0);
      const bool held = gradient_[j] > 0 ? u <= lower + touch : u >= upper - touch;
      lower_[i][j] = held ? 0 : -infinity;
      upper_[i][j] = held ? 0 : infinity;
    }
  }
  regularization_ = regularization;
  fresh_ = true;
  return minimize_stages(stages);
}

bool BackwardSweep::turn_to_negative_curvature(const StagedTrajectory& motion,
                                               const std::vector<StageDerivatives>& stages,
                                               const AugmentedLagrangian& lagrangian,
                                               const std::vector<Eigen::MatrixXd>& hessians) {
  const std::vector<Eigen::Index>& free = box_qp_.free();
  // In units in which all controls bend the model alike: otherwise the small numbers drown in the large ones' rounding.
  const Eigen::VectorXd scale = q_.q_uu.diagonal().cwiseAbs().cwiseMax(floor_)(free).cwiseSqrt().cwiseInverse();
  const linear_algebra::SymmetricEigen solver(scale.asDiagonal() * q_.q_uu(free, free) * scale.asDiagonal());
  for (Eigen::VectorXd& step : steps_) step.setZero();
  steps_[indefinite_stage_](free) = scale.cwiseProduct(solver.eigenvectors().col(0));
  for (int i = 0; i <= indefinite_stage_; ++i) gains_[i].setZero();
  for (int i = 0; i <= problem_.horizon; ++i) expand(i, motion, stages[i], lagrangian, &hessians[i], 1);
  follow(stages);
  return quadratic_ < 0;
}

}  // namespace quoin::planning
