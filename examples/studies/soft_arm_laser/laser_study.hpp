// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_problem.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

#include <Eigen/Core>

#include <optional>
#include <vector>

/// The laser problem planned three ways - through the grid, on exact Eq. 8, on Eq. 2 - and the quality of each plan.
namespace studies::laser {

/// The arm and all that is fixed before planning.
template <int SpaceDim>
struct Arm {
  static constexpr int lines = soft_arm::line_count<SpaceDim>;
  static constexpr int space = SpaceDim;

  Setup setup;
  soft_arm::SoftArm<SpaceDim> body;

  explicit Arm(const Setup& setup = {});
  /// An arm of the user's own mesh.
  Arm(const Setup& setup, soft_arm::ArmMesh<SpaceDim> mesh);
};

using studies::PlanIteration;
using studies::PlanObserver;

/// A plan on a reduced arm: its points are the states' alpha, its evaluations the equilibria solved. Or one on Eq. 2:
/// it has no points, and its evaluations are full steps.
struct Plan : studies::Plan {
  bool inertial = false;             ///< on the arm that its inertia bends
  Eigen::MatrixXd spots = {};        ///< (SpaceDim - 1) x (K + 1), on the planner's dynamics
  Eigen::MatrixXd tips = {};         ///< [tip; layer before], 2 SpaceDim x (K + 1), on the same
  Eigen::VectorXd multipliers = {};  ///< of the obstacles, ball by ball after each step; empty: there are none
  double penalty = 0;                ///< of the same
  /// The plan finished on Eq. 2, if that was asked for. Its log begins with this plan's cost there.
  std::optional<studies::Plan> polished = {};
};

/// Options of planning through the grid.
struct GridChoice {
  int jet_order = 1;  ///< K: 1, as in the paper, values and Jacobians; 2, with second derivatives; 3, with third
  double spacing = 0.5;
  double threshold = 0.2;  ///< levels 0 .. ceil(log2(spacing / threshold))
  /// If positive, tolerance mode instead of levels: the errors allowed of f_s, in the mass norm of shapes divided by
  /// the square root of the arm's mass (a root mean square over the body, m), and of the tip's coordinates, m.
  double tolerance = 0;
  /// If positive, level after level until the error of [q; l] along the plan is at most this: a root mean square over
  /// the body, m.
  double enough = 0;
  int threads = 0;              ///< for missing corners; 0: all cores
  bool evaluate_ahead = false;  ///< along the nominal motion, many at once
  bool obstacles = false;       ///< keep the beam clear of obstacles(setup) (in space only)
  bool inertial = false;        ///< on the arm that its inertia bends, not on Eq. 8
  int polish = 0;               ///< iterations on Eq. 2 that finish the plan, at most
  int rollouts = 0;             ///< of Eq. 2 that correct an inertial plan, at most
};

/// An arm on a grid, kept for examination afterwards.
template <int SpaceDim>
struct Surrogate : soft_arm::SoftArmGrid<SpaceDim> {
  double seconds;                                   ///< time to make it
  GridView<soft_arm::line_count<SpaceDim>> solved;  ///< the view of the last solve

  Surrogate(const Arm<SpaceDim>& arm, const GridChoice& choice, const studies::Stopwatch& watch = {});
};

/// Algorithm 1 of the paper around iLQR, from zero controls; then, if asked for, a polish on Eq. 2.
template <int SpaceDim>
Plan plan_through_grid(const Arm<SpaceDim>& arm, Surrogate<SpaceDim>& surrogate, const GridChoice& choice,
                       const PlanObserver& observer = {});

/// The same planner on exact Eq. 8: every query of a shape is an equilibrium of the mesh,
/// started from the nearest known one.
template <int SpaceDim>
Plan plan_on_exact_shapes(const Arm<SpaceDim>& arm, const PlanObserver& observer = {});

/// Options of planning on Eq. 2, from scratch or to finish a plan.
struct FullChoice {
  Eigen::MatrixXd controls = {};  ///< to begin with, lines x K; empty: zero
  int max_iterations = Setup().max_iterations;
  double relative_tolerance = Setup().relative_tolerance;
  double first_damping = Setup().first_damping;
  bool obstacles = false;            ///< keep the beam clear of obstacles(setup) (in space only)
  Eigen::VectorXd multipliers = {};  ///< of these, ball by ball after each step, from a similar problem; empty: zero
  double penalty = 0;                ///< of the same; 0: the default
};

/// Gauss-Newton over all controls on Eq. 2, with sensitivities by the adjoint.
template <int SpaceDim>
Plan plan_on_full_dynamics(const Arm<SpaceDim>& arm, const FullChoice& choice = {}, const PlanObserver& observer = {});

/// A plan on Eq. 8 finished by at most this many iterations of that, from its controls and multipliers.
template <int SpaceDim>
Plan polish(const Arm<SpaceDim>& arm, const Plan& plan, int iterations, const PlanObserver& observer = {});

/// When a planner on Eq. 2 had a cost within 1 % of `best`, s; infinity if it never had.
double seconds_to_one_percent(const studies::Plan& on_full, double best);

/// A plan run on Eq. 2, the reference.
struct Replay {
  bool complete = false;      ///< all K steps were solved
  Eigen::MatrixXd positions;  ///< N x (K + 1)
  Eigen::MatrixXd spots;      ///< (SpaceDim - 1) x (K + 1)
  double largest_error = 0;   ///< of the spot while the laser is on, m
  double mean_error = 0;      ///< root mean square, m
  double cost = 0;            ///< of the problem, on Eq. 2
};

template <int SpaceDim>
Replay replay(const Arm<SpaceDim>& arm, const Eigen::MatrixXd& controls);

/// The largest differences between a step g~ on a surrogate and the exact step g, over several steps of a plan.
struct StepErrors {
  double state = 0;            ///< |x - x~| / |x|, vertex positions (the paper's error)
  double displacement = 0;     ///< |x - x~| / |x - rest|
  double jacobian = 0;         ///< of d alpha_{i+1} / d (alpha_i, alpha_{i-1}, u_i), Frobenius, relative
  double basis_remainder = 0;  ///< the part of shapes outside the span of the basis
  double shape = 0;            ///< |f - f~| at the surrogate's next state, root mean square over [x; l], m
  double shape_verified = 0;   ///< the same as verified answers say, without f
  double share_verified = 0;   ///< of the states, those that could be verified; `shape` and the line above are of these
  double seconds_exact = 0;    ///< an exact step with derivatives, mean along the plan
  double seconds_grid = 0;     ///< a step on the grid with derivatives, mean along the plan, median of several passes
  double evaluations_per_step = 0;  ///< equilibria solved in an exact step
};

/// samples: number of steps of Eq. 8, evenly spread along the plan's states; seconds are those of the plan's own steps.
template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const Surrogate<SpaceDim>& surrogate, const Plan& plan, int samples);

}  // namespace studies::laser
