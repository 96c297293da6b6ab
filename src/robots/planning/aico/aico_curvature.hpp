// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/aico.hpp"

#include "aico_sweep.hpp"

#include <Eigen/Core>

#include <random>
#include <vector>

namespace quoin::planning {

/// The second derivatives of the cost along a plan, by the controls and an uncertain start, and what they say: whether
/// it is a minimum, Newton's step, and where it is none a way along which the cost bends down. Those of tasks are
/// differences of their gradients, those of steps differences of A and B weighed by the costate that follows them
/// (Dunn, Bertsekas 1989).
class Curvature {
 public:
  explicit Curvature(const AicoProblem& problem);

  enum class Known { yes, no, out_of_budget };

  /// Takes them around the plan. One call tells tasks and steps that are linear; others take one for each entry that
  /// they depend on. relative_step: of the differences.
  Known take(const Plan& plan, Sweep& sweep, long budget, double relative_step);

  /// Whether the model with `share` of them, the rest Gauss-Newton's, is convex, to `tolerance` beside its own
  /// curvature by each control. Its minimum is then the way: Newton's step with share 1.
  bool convex(const Plan& plan, double share, double tolerance);

  /// After a model that was not: makes the way one along which the whole curvature bends the cost down. False where it
  /// does not.
  bool turn_down(const Plan& plan);

  const Way& way() const { return way_; }
  double slope() const { return slope_; }          ///< of the cost along the way
  double curvature() const { return curvature_; }  ///< half of its second derivative along the way
  double expected_decrease() const { return -slope_ - curvature_; }
  double change() const { return change_; }  ///< of any entry of the states, by the way in the linear model

 private:
  Known take_task(const Plan& plan, Sweep& sweep, int t);
  Known take_step(const Plan& plan, Sweep& sweep, int t);
  double reach(Eigen::Index j, double at) const;
  void measure(const Plan& plan);

  const AicoProblem& problem_;
  Eigen::MatrixXd root_, inverse_root_;  // of the start's covariance: x_0 = m + root w; empty where it is known
  std::mt19937 generator_;
  double relative_step_ = 0;
  Eigen::VectorXd least_;  // CoordinateSizes, by x and u
  long budget_ = 0;
  std::vector<Eigen::VectorXd> costate_;              // of x_t: T + 1
  std::vector<Eigen::MatrixXd> task_, step_;          // n x n, T + 1; by x and u together, T
  int bent_at_ = 0;                                   // where the last model was not convex; -1: by the start
  Eigen::MatrixXd at_bend_, V_, Q_xx_, Q_ux_, Q_uu_;  // the last ones of a recursion
  Eigen::VectorXd sizes_;                             // of at_bend_, by each control
  Way way_;
  double slope_ = 0, curvature_ = 0, change_ = 0;
};

}  // namespace quoin::planning
