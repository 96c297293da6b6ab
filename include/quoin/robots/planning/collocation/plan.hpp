// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"
#include "quoin/robots/planning/collocation/node_dynamics.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// The discretization between two mesh points t_i and t_{i+1} = t_i + h, with rates f = dx/dt.
enum class CollocationScheme {
  euler,           ///< x_{i+1} = x_i + h f_i, u held; first order, for comparison (Marchese, Tedrake, Rus 2015, Eq. 25)
  trapezoid,       ///< x_{i+1} = x_i + h/2 (f_i + f_{i+1}), u linear; second order
  hermite_simpson  ///< x_{i+1} = x_i + h/6 (f_i + 4 f_m + f_{i+1}), x_m = (x_i + x_{i+1})/2 + h/8 (f_i - f_{i+1}); u
                   ///< quadratic; fourth order. The midpoints m are nodes.
};

constexpr const char* to_string(CollocationScheme scheme) {
  switch (scheme) {
    case CollocationScheme::euler: return "Euler";
    case CollocationScheme::trapezoid: return "trapezoid";
    case CollocationScheme::hermite_simpson: return "Hermite-Simpson";
  }
  return "unknown";
}

/// The result of a collocation, or a guess to begin from. Nodes are the mesh points and, with Hermite-Simpson, the
/// midpoints between them. A guess needs times, states and controls; without rates it is linear between its nodes.
struct CollocationPlan {
  CollocationScheme scheme = CollocationScheme::hermite_simpson;  ///< how states and controls go on between nodes
  Eigen::VectorXd times = {};                                     ///< of the nodes: K, ascending
  Eigen::MatrixXd states = {};                                    ///< n x K
  Eigen::MatrixXd controls = {};                                  ///< m x K
  Eigen::MatrixXd rates = {};  ///< k x K: w of NodeDynamics, the acceleration or the whole dx/dt

  double cost = 0;                 ///< by the scheme's quadrature
  Stop stop = Stop::solver_error;  ///< why the solver ended
  int iterations = 0;              ///< by Ipopt's count, of all solves
  bool in_restoration = false;     ///< it ended while still looking for any feasible point: suspect infeasibility
  double residual = 0;             ///< of the collocated dynamics, defects and node equations, as the program sees them
  double violation = 0;            ///< of path and boundary constraints, in their units

  /// The error of the collocated dynamics per interval: a fine integration from its first node under control(t), minus
  /// the state at the next mesh point: the largest component's magnitude. Infinite where the integration failed, or did
  /// not resolve the motion.
  Eigen::VectorXd interval_defects = {};
  double largest_defect = 0;  ///< the largest of interval_defects

  optimization::NlpMultipliers multipliers = {};  ///< of the natural, unscaled variables and constraints

  /// Whether the solver met its tolerances, at a minimum where it was asked to look (`check_curvature`).
  bool converged() const { return stop == Stop::converged; }

  /// The number of intervals between mesh points.
  Eigen::Index intervals() const;

  /// Mesh points: the times without midpoints.
  Eigen::VectorXd mesh() const;

  /// The scheme's polynomials, at times clamped to the plan's: states linear (Euler) or cubic by values and rates at
  /// both ends; controls held, linear, or quadratic. O(log K).
  Eigen::VectorXd state(double time) const;
  /// At a time clamped to the plan's: m.
  Eigen::VectorXd control(double time) const;

  /// control(t) of interval i, at s = (t - t_i) / h: at its ends too, where the next interval's may differ.
  void control_in(Eigen::Index interval, double s, Eigen::VectorXd& u) const;
};

/// A motion under a plan's controls, integrated finely, to judge the plan.
struct CollocationReplay {
  Eigen::VectorXd times;               ///< s
  Eigen::MatrixXd states;              ///< n x times
  StepStatus status = StepStatus::ok;  ///< otherwise the motion ends where it failed; not_converged: no step is enough

  /// n: where the motion ended.
  Eigen::VectorXd final_state() const { return states.col(states.cols() - 1); }
};

/// Integrates the dynamics (the plan's, or those of another plant with the same sizes) under plan.control(t) from
/// `initial_state` (the plan's first where it is empty), by classical Runge-Kutta steps of at most `step`, a whole
/// number to each interval, which are halved where their error asks for it (RungeKuttaSteps). Inverse dynamics are
/// solved for the acceleration, one call with derivatives a stage.
/// Throws std::invalid_argument if sizes do not fit or step is not positive.
CollocationReplay replay(const NodeDynamics& dynamics, const CollocationPlan& plan, double step,
                         const Eigen::VectorXd& initial_state = {});

/// Fills in the plan's interval_defects and largest_defect: `substeps` such steps for each interval. Infinite where a
/// motion cannot be followed.
void measure_defects(const NodeDynamics& dynamics, CollocationPlan& plan, int substeps = 10);

}  // namespace quoin::planning
