// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "augmented_lagrangian.hpp"
#include "quoin/optimization/box_qp.hpp"
#include "staged_trajectory.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// The backward recursion of control-limited differential dynamic programming (Tassa, Mansard, Todorov 2014, Eqs. 5, 8
/// and 11) with Gauss-Newton or given Hessians of the stages, and the gradient by the adjoint recursion beside it.
/// Workspace is kept.
class BackwardSweep {
 public:
  explicit BackwardSweep(const ErasedProblem& problem);

  /// hessians: of exact_hessians, or null for Gauss-Newton's. False if some Q_uu is not positive definite: regularize
  /// more.
  bool run(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
           const AugmentedLagrangian& lagrangian, double regularization,
           const std::vector<Eigen::MatrixXd>* hessians = nullptr);

  const std::vector<Eigen::VectorXd>& steps() const { return steps_; }  ///< K vectors m
  const std::vector<Eigen::MatrixXd>& gains() const { return gains_; }  ///< K matrices m x n
  double linear_term() const { return linear_; }                        ///< model(s) = s linear + s^2 quadratic
  double quadratic_term() const { return quadratic_; }
  double projected_gradient() const { return projected_gradient_; }

 private:
  void expand(int i, const StagedTrajectory& motion, const StageDerivatives& stage,
              const AugmentedLagrangian& lagrangian, const Eigen::MatrixXd* hessian);

  const ErasedProblem& problem_;
  StageModel q_;
  optimization::BoxQp box_qp_;
  Eigen::VectorXd value_x_, adjoint_, gradient_, work_x_, work_u_, lower_, upper_;
  Eigen::MatrixXd value_xx_, value_g_x_, value_g_u_, regularized_, work_ux_;
  std::vector<Eigen::VectorXd> steps_;
  std::vector<Eigen::MatrixXd> gains_;
  double linear_ = 0, quadratic_ = 0, projected_gradient_ = 0;
};

}  // namespace quoin::planning
