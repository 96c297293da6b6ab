// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/aico.hpp"
#include "quoin/robots/planning/aico/gaussian_chain.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// A trajectory that follows from its controls, with everything linearized along it.
struct Plan {
  explicit Plan(const AicoProblem& problem);

  Eigen::MatrixXd states, controls;
  Eigen::VectorXd pull;  // x_0 = m + S_0 pull: a singular S_0 has no inverse
  std::vector<LocalTask> tasks;
  std::vector<LinearStep> steps;
  double cost = 0, control_cost = 0;
  int failed_step = -1;
  StepStatus failed_status = StepStatus::ok;
};

/// The step that the control laws of a sweep take in the linear model.
struct ModelStep {
  double expected_decrease = 0;  // of the cost, without the damping
  double change = 0;             // largest entry of x_t - x_t before
};

/// A way off a plan, of any length: u = controls of the plan + length * controls + gains (x - states of the plan).
struct Way {
  std::vector<Eigen::VectorXd> controls;  // T
  std::vector<Eigen::MatrixXd> gains;     // T
  Eigen::VectorXd start, pull;            // of x_0, and of the plan's pull
};

/// The sweeps of `aico`, around plans that they do not change, and the trajectories that follow from them.
class Sweep {
 public:
  Sweep(const AicoProblem& problem, const AicoOptions& options);

  /// Messages around the plan. Forward ones are passed only where beliefs are needed: control laws need none.
  void run(const Plan& plan, double damping, int relinearizations);

  /// The true trajectory under the last sweep's control laws, or under given controls. False: it cannot be followed to
  /// its end, or a task is not finite.
  bool follow(Plan& plan);
  bool follow(const Eigen::MatrixXd& controls, Plan& plan);
  /// The true trajectory a length along a way off `from`.
  bool follow(const Plan& from, const Way& way, double length, Plan& plan);

  /// The task, or the step with its derivatives, at a point of its own. False: it cannot be computed there.
  bool linearize(int t, const Eigen::VectorXd& x, LocalTask& task);
  bool take_step(int t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, LinearStep& step,
                 StepStatus& status);

  /// Marginals of the last sweep, which was undamped and around this plan.
  void covariances(const Plan& plan, std::vector<Eigen::MatrixXd>& covariances);

  const ModelStep& step() const { return step_; }
  const GaussianChain& chain() const { return chain_; }
  int sweeps() const { return sweeps_; }
  long relinearizations() const { return relinearizations_; }
  long task_evaluations() const { return task_evaluations_; }
  long dynamics_calls() const { return dynamics_calls_; }

 private:
  const LocalTask& damped(const Plan& plan, const LocalTask& task, int t);
  void forward(const Plan& plan);
  void relinearize(const Plan& plan, int t, int times);
  void take_model_step(const Plan& plan);
  template <class Control>
  bool follow_by(const Control& control, Plan& plan);

  const AicoProblem& problem_;
  const AicoOptions& options_;
  GaussianChain chain_;
  double damping_ = 0;
  std::vector<LocalTask> relinearized_;  // of this sweep, where a slice's belief moved far
  std::vector<char> is_relinearized_;
  LocalTask damped_, again_;
  Gaussian marginal_;
  Eigen::VectorXd start_, pull_, x_, u_, next_, dx_, du_;
  ModelStep step_;
  int sweeps_ = 0;
  long relinearizations_ = 0, task_evaluations_ = 0, dynamics_calls_ = 0;
};

}  // namespace quoin::planning
