// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/aico.hpp"
#include "quoin/robots/planning/aico/end_state_posterior.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace quoin::planning {

/// A linear-Gaussian motion prior: z' = A z + a + B v, v ~ N(0, H^-1). y is the leading part of z: all of it, or the
/// position without the velocity.
struct MotionPrior {
  LinearStep step;               ///< A, a and B of z
  Eigen::MatrixXd control_cost;  ///< H
};

/// y' ~ N(y, W): z = y. W is m x m, positive semidefinite; in its null space y does not move.
MotionPrior brownian_prior(const Eigen::MatrixXd& covariance_per_step);

/// z = (y, yd) under accelerations v that cost 1/2 v^T H v: smooth in y. z_0 is at rest.
MotionPrior second_order_prior(double dt, const Eigen::MatrixXd& control_cost);

/// A second level above the states, tied to them by factors exp{-1/2 rho_t |phi_t(q_t) - y_t|^2} (Zarubin et al. 2012,
/// section III-B, Fig. 4).
struct UpperLevel {
  MotionPrior prior;             ///< of y over time, before any task
  Eigen::Index size = 0;         ///< m of y
  Eigen::VectorXd precision;     ///< rho_t, t = 0..T, not negative; 0: untied at t
  Eigen::Index coordinates = 0;  ///< d of q, the first of x; 0: half of x
  /// phi_t: y (m) and J (m x d). False: cannot be computed at q.
  std::function<bool(int t, const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd& J)> map = {};
};

/// The information that the levels exchange.
enum class Exchange {
  /// y_t as a target with precision rho_t, phi(q_t) as an observation with precision rho_t: descent of the joint cost
  /// by one level at a time. The cost never rises, but falls slowly where rho is large against both priors.
  means,
  /// Means with covariances, each without the receiver's own contribution (a cavity): the precisions become
  /// (1/rho + P)^-1. Loopy Gaussian message passing: few rounds, descent not guaranteed.
  messages
};

/// Which stages run, how often, and what they tell each other.
struct HierarchyOptions {
  int max_rounds = 1;                   ///< of AICO and smoothing y; 1 is the paper's three stages
  double tolerance = 1e-6;              ///< stop when no entry of y and of the states moves by more in a round
  Exchange exchange = Exchange::means;  ///< what the levels tell each other
  bool use_end_state = true;            ///< stage 1; without it y first follows its prior from phi(q_0)
  AicoOptions aico = {};                ///< of each round's plan
  EndStateOptions end_state = {};       ///< of stage 1
};

/// Why hierarchical_aico ended.
enum class HierarchyStop {
  converged,
  round_limit,
  end_state_failed,  ///< the task cannot be computed at the prior's mean of x_T
  map_failed,        ///< phi cannot be computed at the initial trajectory, the end state or a plan
  plan_failed        ///< AICO's initial trajectory failed
};

const char* to_string(HierarchyStop stop);

/// The record of one round.
struct HierarchyRound {
  double cost = 0;            ///< joint: tasks, controls, the prior of y, the factors
  double prior_cost = 0;      ///< of y
  double factor_cost = 0;     ///< 1/2 sum_t rho_t |phi_t(q_t) - y_t|^2
  double change = 0;          ///< largest, of y and states
  int aico_iterations = 0;    ///< of this round's plan
  long task_evaluations = 0;  ///< of AicoProblem::task, in this round
};

/// Both levels, and what they took.
struct HierarchyResult {
  EndStateResult end_state;                         ///< of stage 1, if it ran
  Eigen::MatrixXd first_y;                          ///< m x (T+1): stage 2, before AICO
  Eigen::MatrixXd y;                                ///< m x (T+1): means given the plan
  std::vector<Eigen::MatrixXd> y_covariances;       ///< T+1 of m x m, given what the lower level told
  AicoResult plan;                                  ///< its costs are those of AicoProblem's task with the factors
  HierarchyStop stop = HierarchyStop::round_limit;  ///< why it ended
  std::vector<HierarchyRound> rounds;               ///< in their order
  long task_evaluations = 0;                        ///< of AicoProblem::task
  long map_evaluations = 0;                         ///< of UpperLevel::map

  /// Whether a round moved nothing by more than the tolerance.
  bool converged() const { return stop == HierarchyStop::converged; }
};

/// The stage-wise scheme of Zarubin et al. 2012, section III-C, and its iteration, which the paper leaves open:
///   1. the end state x_T under the dynamics along the initial controls and c_T (`end_state_posterior`);
///   2. y_0..y_T under its prior, given y_0 = phi(q_0) and phi(x_T) with the end state's covariance carried over;
///   3. AICO in x with the factors to y as tasks;
///   4. y again, given the plan (without the end state, since the plan contains its task); then 3 again.
///
///     HierarchyResult result = hierarchical_aico(problem, level, MatrixXd::Zero(m, T), {.max_rounds = 5});
///
/// For a linear phi and a linear-quadratic problem both exchanges end, where they converge, at the joint maximum of
/// both levels; the covariances are each level's own. phi(q_0) at the start's mean counts as known. Throws
/// std::invalid_argument for sizes that disagree, and what the parts throw.
HierarchyResult hierarchical_aico(const AicoProblem& problem, const UpperLevel& level,
                                  const Eigen::MatrixXd& initial_controls, const HierarchyOptions& options = {});

}  // namespace quoin::planning
