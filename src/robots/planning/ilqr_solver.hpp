// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/ilqr.hpp"

#include "augmented_lagrangian.hpp"
#include "backward_sweep.hpp"
#include "staged_trajectory.hpp"

#include <Eigen/Core>

#include <limits>
#include <optional>
#include <vector>

namespace quoin::planning {

/// Throws std::invalid_argument, naming the value, for options that mean nothing.
void check(const IlqrOptions& options);

/// Controls for the whole horizon, of rough plans over an eighth of it, a quarter, ...; none where even the first step
/// fails. Adds what it calls to the calls of a result.
std::optional<Eigen::MatrixXd> grown_guess(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& guess,
                                           const IlqrOptions& options, IlqrResult& calls);

/// One solve of ilqr: its iterations (ilqr.cpp), what it asks of a point before it calls it converged
/// (ilqr_verification.cpp), and how it leaves one that is a saddle (ilqr_saddle.cpp).
class IlqrSolver {
 public:
  IlqrSolver(const AnyTrajectoryProblem& problem, const IlqrOptions& options)
      : problem_(problem),
        options_(options),
        lagrangian_(problem, options),
        sweep_(problem),
        motion_(problem),
        trial_(problem),
        stages_(problem.horizon + 1),
        trial_stages_(options.derivatives_in_trial ? problem.horizon + 1 : 0),
        largest_control_(Eigen::VectorXd::Zero(problem.dynamics.control_size())) {}

  IlqrResult solve(const Eigen::MatrixXd& initial_controls);

 private:
  static constexpr double rounding = 1e-13;  // of the merit: less cannot be seen

  enum class Inner { converged, go_on, saddle, stalled, limit, derivatives_failed, observer };

  /// A motion below a saddle, and how steps go on from it.
  struct Descent {
    StagedTrajectory motion;
    double promised;    // decrease of the merit, by the model
    bool exact = true;  // steps take exact Hessians along
  };

  void foretell();
  bool roll_out(double step, double bound, bool with_derivatives);
  bool take_derivatives();
  bool derivatives_of_stage(int i);
  Inner minimize(double tolerance);
  bool take_hessians();
  bool sweep_back(double regularization);
  bool stationary();
  bool convex(double share);
  Inner verify();
  Inner verify_closer();
  Inner leave_saddle(double& share);
  bool descend(int most, std::vector<Descent>& descents);
  bool take(Descent descent);
  Inner follow(std::vector<Descent> descents);
  void accept_trial(bool with_derivatives);
  bool line_search(IlqrIteration& entry);
  bool begin(const Eigen::MatrixXd& controls);
  bool leads_away();
  bool full_step_holds();
  bool record(IlqrIteration entry);
  bool at_minimum(double tolerance);
  bool raise_regularization();
  void lower_regularization();
  void finish(Stop stop);
  double expected_decrease() const { return -(sweep_.linear_term() + sweep_.quadratic_term()); }

  const AnyTrajectoryProblem& problem_;
  const IlqrOptions& options_;
  AugmentedLagrangian lagrangian_;
  BackwardSweep sweep_;
  StagedTrajectory motion_, trial_;
  std::vector<StageDerivatives> stages_, trial_stages_;
  Eigen::VectorXd residual_, deviation_;
  bool rollout_failed_ = false;
  bool have_derivatives_ = false, have_step_derivatives_ = false, have_hessians_ = false;
  std::vector<Eigen::MatrixXd> hessians_;
  bool exact_ = false;     // steps take hessians_ along
  bool refuted_ = false;   // negative curvature, by rollouts, which then was looked at closer to the minimum
  bool explored_ = false;  // a saddle's descents: once, at the first
  double share_ = 1;       // of hessians_ in the models; the rest is Gauss-Newton's
  int poor_steps_ = 0;     // in a row
  double verified_merit_ = std::numeric_limits<double>::infinity();  // when a verification last let it go on
  Eigen::VectorXd largest_control_;                                  // so far
  double regularization_ = 0, regularization_factor_ = 1;
  int outer_ = 0, failed_at_ = -1;
  StepStatus failed_status_ = StepStatus::ok;
  IlqrResult result_;
};

}  // namespace quoin::planning
