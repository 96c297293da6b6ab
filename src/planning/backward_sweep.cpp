// SPDX-License-Identifier: BSD-3-Clause
#include "backward_sweep.hpp"

#include <algorithm>

namespace quoin::planning {

BackwardSweep::BackwardSweep(const ErasedProblem& problem) : problem_(problem) {
  const Eigen::Index n = problem.state_size, m = problem.control_size;
  steps_.assign(problem.horizon, Eigen::VectorXd::Zero(m));
  gains_.assign(problem.horizon, Eigen::MatrixXd::Zero(m, n));
  q_ = {Eigen::VectorXd(n), Eigen::VectorXd(m), Eigen::MatrixXd(n, n), Eigen::MatrixXd(m, n), Eigen::MatrixXd(m, m)};
  value_x_.resize(n);
  value_xx_.resize(n, n);
  value_g_x_.resize(n, n);
  value_g_u_.resize(n, m);
  work_ux_.resize(m, n);
  regularized_.resize(m, m);
}

void BackwardSweep::expand(int i, const StagedTrajectory& motion, const StageDerivatives& stage,
                           const AugmentedLagrangian& lagrangian, const Eigen::MatrixXd* hessian) {
  q_.q_x.noalias() = stage.r_x.transpose() * stage.r;
  q_.q_xx.noalias() = stage.r_x.transpose() * stage.r_x;
  if (i < problem_.horizon) {
    q_.q_u.noalias() = stage.r_u.transpose() * stage.r;
    q_.q_uu.noalias() = stage.r_u.transpose() * stage.r_u;
    q_.q_ux.noalias() = stage.r_u.transpose() * stage.r_x;
  }
  if (hessian != nullptr) {
    const Eigen::Index n = problem_.state_size, m = motion.u[i].size();
    if (m > 0) q_.q_uu = hessian->bottomRightCorner(m, m);
    if (i > 0) {  // the first state is given: its Hessian is not known, and changes no step
      q_.q_xx = hessian->topLeftCorner(n, n);
      if (m > 0) q_.q_ux = hessian->bottomLeftCorner(m, n);
    }
  }
  lagrangian.add_to(q_, i, motion.x[i], stage);
}

bool BackwardSweep::run(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
                        const AugmentedLagrangian& lagrangian, double regularization,
                        const std::vector<Eigen::MatrixXd>* hessians) {
  const int horizon = problem_.horizon;
  const auto hessian = [hessians](int i) { return hessians ? &(*hessians)[i] : nullptr; };
  linear_ = quadratic_ = projected_gradient_ = 0;
  expand(horizon, motion, stages[horizon], lagrangian, hessian(horizon));
  value_x_ = q_.q_x;
  value_xx_ = q_.q_xx;
  adjoint_ = q_.q_x;
  for (int i = horizon - 1; i >= 0; --i) {
    const StageDerivatives& stage = stages[i];
    const Eigen::VectorXd& u = motion.u[i];
    expand(i, motion, stage, lagrangian, hessian(i));

    gradient_ = q_.q_u;
    gradient_.noalias() += stage.g_u.transpose() * adjoint_;
    work_x_ = q_.q_x;
    work_x_.noalias() += stage.g_x.transpose() * adjoint_;
    adjoint_.swap(work_x_);
    projected_gradient_ = std::max(
        projected_gradient_,
        (u - (u - gradient_).cwiseMax(problem_.lower_control).cwiseMin(problem_.upper_control)).cwiseAbs().maxCoeff());

    value_g_x_.noalias() = value_xx_ * stage.g_x;
    value_g_u_.noalias() = value_xx_ * stage.g_u;
    q_.q_x.noalias() += stage.g_x.transpose() * value_x_;
    q_.q_u.noalias() += stage.g_u.transpose() * value_x_;
    q_.q_xx.noalias() += stage.g_x.transpose() * value_g_x_;
    q_.q_uu.noalias() += stage.g_u.transpose() * value_g_u_;
    q_.q_ux.noalias() += stage.g_u.transpose() * value_g_x_;

    regularized_ = q_.q_uu;
    if (regularization > 0) {
      // Relative to the diagonal: the units of the controls do not matter. The floor serves controls without effect.
      const double floor = 1e-8 * q_.q_uu.diagonal().maxCoeff() + 1e-12;
      regularized_.diagonal().array() += regularization * (q_.q_uu.diagonal().array() + floor);
    }
    lower_ = problem_.lower_control - u;
    upper_ = problem_.upper_control - u;
    Eigen::VectorXd& k = steps_[i];
    Eigen::MatrixXd& gain = gains_[i];
    k.setZero();
    if (box_qp_.solve(regularized_, q_.q_u, lower_, upper_, k) == optimization::BoxQpStatus::indefinite) return false;
    gain = -q_.q_ux;
    box_qp_.solve_free(gain);

    work_u_.noalias() = q_.q_uu * k;
    linear_ += k.dot(q_.q_u);
    quadratic_ += 0.5 * k.dot(work_u_);
    work_u_ += q_.q_u;
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

}  // namespace quoin::planning
