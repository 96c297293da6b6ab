// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/ilqr.hpp"
#include "staged_trajectory.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// The quadratic model of one stage: gradient and Gauss-Newton Hessian.
struct StageModel {
  Eigen::VectorXd q_x, q_u;
  Eigen::MatrixXd q_xx, q_ux, q_uu;
};

/// Terms max(0, lambda + mu h)^2 / (2 mu) for constraints and state bounds (Nocedal, Wright 2006, Section 17.4, for
/// inequalities, without the constant -lambda^2 / (2 mu): every term of the merit is then non-negative, and a rollout
/// may end as soon as its partial sum is too large).
class AugmentedLagrangian {
 public:
  AugmentedLagrangian(const AnyTrajectoryProblem& problem, const IlqrOptions& options);

  /// The stage's terms; 0 before `begin`.
  double value(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& h) const;
  double total(const StagedTrajectory& motion) const;
  /// The derivative of the stage's terms by its constraints, max(0, lambda + mu h).
  Eigen::VectorXd forces(int i, const Eigen::VectorXd& h) const;
  double violation(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& h) const;
  void add_to(StageModel& model, int i, const Eigen::VectorXd& x, const StageDerivatives& stage) const;

  /// Sizes the multipliers by the constraints of the first motion. Throws if those given do not fit.
  void begin(const StagedTrajectory& motion);
  /// Takes the sizes of constraints and bounds from a motion, and from derivatives near it.
  void measure(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages);
  /// Largest |max(h, -lambda / mu)|, in parts of the constraints' sizes: violation of feasibility and complementarity.
  double infeasibility(const StagedTrajectory& motion) const;
  void update_multipliers(const StagedTrajectory& motion);

  /// The largest violation of feasibility alone, in the same parts.
  double relative_violation(const StagedTrajectory& motion) const;
  /// The square of the least size: by how much more a penalty may grow.
  double least_square() const { return min_size_ * min_size_; }

  bool has_terms() const { return has_terms_; }
  double penalty() const { return multipliers_.penalty; }
  void raise_penalty(double factor, double greatest);
  const IlqrMultipliers& multipliers() const { return multipliers_; }

 private:
  // Of measure(h, lambda) over all constraints and bounds, in parts of their sizes.
  template <class Measure>
  double largest(const StagedTrajectory& motion, const Measure& measure) const;

  const AnyTrajectoryProblem& problem_;
  IlqrMultipliers multipliers_;
  bool state_bounds_;
  Eigen::VectorXd state_sizes_;
  std::vector<Eigen::VectorXd> sizes_;  // of the constraints of each stage; empty: 1
  double min_size_ = 1;
  bool has_terms_ = false;
  bool begun_ = false;
};

}  // namespace quoin::planning
