// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "augmented_lagrangian.hpp"
#include "quoin/robots/optimization/box_qp.hpp"
#include "staged_trajectory.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// The step that minimizes the quadratic model of the merit along a motion within the bounds of the controls, and the
/// gradient by the adjoint recursion beside it. Workspace is kept.
///
/// One backward recursion with each stage's box for itself is control-limited differential dynamic programming (Tassa,
/// Mansard, Todorov 2014, Eqs. 5, 8 and 11), with Gauss-Newton or given Hessians. Its boxes are those of the states
/// before the step: a control that only the feedback drives to its bound, or away from it, is not foreseen, and the
/// rollout's clamping spoils the step. So the recursion is repeated with controls held or free for the whole horizon,
/// by the primal-dual active set strategy (Hintermueller, Ito, Kunisch 2002, "The primal-dual active set strategy as a
/// semismooth Newton method"), until they are those of the minimum. Where the sets do not settle the first recursion's
/// policy stays.
class BackwardSweep {
 public:
  explicit BackwardSweep(const AnyTrajectoryProblem& problem);

  /// hessians: of exact_hessians, or null for Gauss-Newton's; `share` of them, the rest Gauss-Newton's. False if some
  /// Q_uu is not positive definite: regularize more. O(K (n + m)^3) a recursion, of which there are one without bounds,
  /// usually two to five with them.
  bool run(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
           const AugmentedLagrangian& lagrangian, double regularization,
           const std::vector<Eigen::MatrixXd>* hessians = nullptr, double share = 1);

  /// Whether `share` of the hessians leaves the model convex in the controls that are off their bounds, or on one that
  /// the gradient does not press them against. One recursion; the policy is of no use.
  bool convex(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
              const AugmentedLagrangian& lagrangian, double regularization,
              const std::vector<Eigen::MatrixXd>& hessians, double share);

  /// After a model that was not: makes the policy one of negative curvature, an eigenvector at that stage
  /// and the best answer of all later ones, and the model that of the whole `hessians` along it. False where the model
  /// does not bend down along it.
  bool turn_to_negative_curvature(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages,
                                  const AugmentedLagrangian& lagrangian, const std::vector<Eigen::MatrixXd>& hessians);

  const std::vector<Eigen::VectorXd>& steps() const { return steps_; }  ///< K vectors m
  const std::vector<Eigen::MatrixXd>& gains() const { return gains_; }  ///< K matrices m x n
  double linear_term() const { return linear_; }                        ///< model(s) = s linear + s^2 quadratic
  double quadratic_term() const { return quadratic_; }
  double projected_gradient() const { return projected_gradient_; }
  /// The largest entry of the gradient that no bound holds, relative to the largest sum of norms that such an entry is
  /// the difference of, for each control: free of units. Of the motion and stages of the last run.
  double relative_gradient(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages);

 private:
  void expand(int i, const StagedTrajectory& motion, const StageDerivatives& stage,
              const AugmentedLagrangian& lagrangian, const Eigen::MatrixXd* hessian, double share);
  void adjoint_step(int i, const StageDerivatives& stage);
  void measure_gradient(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages);
  bool minimize_stages(const std::vector<StageDerivatives>& stages);
  void follow(const std::vector<StageDerivatives>& stages);
  bool change_active_set(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages);

  const AnyTrajectoryProblem& problem_;
  bool bounded_;       // some control is
  bool fresh_ = true;  // dampings are those of the first recursion: one model for all active sets
  double regularization_ = 0;
  int indefinite_stage_ = 0;  // where the last recursion ended, if it did
  std::vector<StageModel> models_;
  StageModel q_;
  optimization::BoxQp box_qp_;
  std::vector<Eigen::VectorXd> lower_, upper_;  // of the steps; equal where the control is held at a bound
  std::vector<Eigen::VectorXd> damping_;
  Eigen::VectorXd diagonal_, floor_;    // of Q_uu: the largest of this and later stages, and what counts as none
  std::vector<Eigen::VectorXd> x_, u_;  // the linearized motion under the policy, from the old one
  Eigen::VectorXd value_x_, adjoint_, gradient_, work_x_, work_u_;
  Eigen::MatrixXd value_xx_, value_g_x_, value_g_u_, work_ux_;
  std::vector<Eigen::VectorXd> steps_, stage_steps_;
  std::vector<Eigen::MatrixXd> gains_, stage_gains_;
  double linear_ = 0, quadratic_ = 0, projected_gradient_ = 0;
};

}  // namespace quoin::planning
