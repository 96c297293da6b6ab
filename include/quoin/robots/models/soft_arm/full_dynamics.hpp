// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/point.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace quoin::soft_arm {

/// Options of FullDynamics.
struct FullDynamicsOptions {
  double time_step = 0.02;       ///< dt, seconds
  double stiffness_damping = 0;  ///< beta, seconds: damping force beta d/dt (dE/dx) at fixed controls
  double mass_damping = 0;       ///< a, 1/seconds: damping force a M v
  double tolerance = 1e-9;       ///< largest |residual| / F0 of an accepted step
  int max_iterations = 100;      ///< Newton iterations in a step
  /// Share of a row's adjoint that a sensitivity may leave out each time that it replaces the adjoints of all rows by
  /// combinations of fewer; 0: it never does.
  double adjoint_tolerance = 1e-12;
};

/// Cost of one step.
struct FullStepReport {
  StepStatus status = StepStatus::ok;  ///< whether the step was found
  int iterations = 0;                  ///< Newton iterations, with old factorizations too
  int factorizations = 0;              ///< those of them that began with a new one
  double residual = 0;                 ///< |residual|_inf / F0 where the step stopped
};

/// A motion of the whole mesh.
struct FullTrajectory {
  StepStatus status = StepStatus::ok;  ///< of the last step tried
  int steps = 0;                       ///< steps completed: K if the status is ok
  int iterations = 0;                  ///< total Newton iterations
  int factorizations = 0;              ///< total
  Eigen::MatrixXd positions;           ///< N x (steps + 2): x_{-1}, x_0, x_1, ..., x_steps
  Eigen::MatrixXd controls;            ///< lines x steps: u_0, ..., u_{steps - 1}

  auto position(int k) const { return positions.col(k + 1); }  ///< x_k, k = -1 ... steps
};

/// Derivatives along a motion. `status` is `singular` if a step's matrix is not positive definite.
struct FullSensitivity {
  StepStatus status = StepStatus::ok;  ///< why there are none, if not ok
  Eigen::MatrixXd jacobian;            ///< (total rows) x (lines * steps)
};

/// The full dynamics of the soft arm: implicit Euler on every vertex (Jia, Pan, Manocha 2019, Eq. 2), the reference for
/// the reduced dynamics. A step x_i, x_{i-1}, u -> x solves
///
///     M (x - 2 x_i + x_{i-1}) / dt^2 + a M (x - x_i) / dt + dE/dx(x, u) + beta (dE/dx(x, u) - dE/dx(x_i, u)) / dt = 0
///
/// by minimizing its potential (inertia + energy) with Newton's method and line search; the symbolic factorization
/// of the matrix is done once. The stiffness damping is that of a Kelvin-Voigt solid to first order in dt;
/// projected on the static shapes it is ReducedDynamics' beta C (alpha - alpha_i) / dt, up to O(dt^2) and the
/// difference of u and alpha in the geometric stiffness of the lines. Its Hessian and its derivatives are exact
/// without third derivatives of E.
///
///     FullDynamics<3> full(arm, {.stiffness_damping = 0.02});
///     FullTrajectory motion = full.rollout(arm.rest(), arm.rest(), controls);               // controls: lines x K
///     FullSensitivity d = full.sensitivity(motion, arm.tip_rows().leftCols(arm.size()), 2);  // 6K x lines K
///
/// Statuses: `not_converged`; `singular` if no shift makes the step's matrix positive definite;
/// `map_failed` if an element is inverted at the solution. Newton's method keeps a factorization while it contracts
/// well; a rollout begins each step at the polynomial through the positions before.
///
/// State [x_i; x_{i-1}], 2 N, full positions; control: lines. Const, and safe to call from many threads. Throws only
/// std::invalid_argument, for sizes that do not fit and options out of range.
template <int SpaceDim>
class FullDynamics {
 public:
  static constexpr int lines = line_count<SpaceDim>;  ///< 2 in the plane, 4 in space
  /// Of the step.
  using Options = FullDynamicsOptions;
  /// One number a line.
  using Controls = Point<lines>;

  /// Analyses the pattern of the steps' matrix. Throws std::invalid_argument for options out of range.
  explicit FullDynamics(SoftArm<SpaceDim> arm, const Options& options = {});

  /// As it was given.
  const SoftArm<SpaceDim>& arm() const;
  /// As they were given.
  const Options& options() const;
  Eigen::Index state_size() const;  ///< 2 N
  Eigen::Index control_size() const { return lines; }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const;

  /// One step from x_i and x_{i-1} (N each), and its cost.
  FullStepReport solve(const Eigen::VectorXd& now, const Eigen::VectorXd& before, const Controls& u,
                       Eigen::VectorXd& next) const;

  /// The motion from x_0 and x_{-1} under controls u_0 ... u_{K-1} (lines x K); stops at the first step that fails.
  FullTrajectory rollout(const Eigen::VectorXd& now, const Eigen::VectorXd& before,
                         const Eigen::MatrixXd& controls) const;

  /// Kinetic energy of the last step plus E(x_i, u): 1/2 |x_i - x_{i-1}|_M^2 / dt^2 + E. It never grows at constant u.
  double energy(const Eigen::VectorXd& now, const Eigen::VectorXd& before, const Controls& u) const;

  /// d(rows[k] x_{k+1}) / du_j for all k and j, exact: rows[k] (m_k x N) act on the position after step k; the result
  /// has the rows of k = 0 first, and column lines * j + i for line i of u_j; it is zero for j > k. Adjoint method:
  /// backward in time, all rows pending at a step are solved for at once, as combinations of fewer columns where
  /// adjoint_tolerance allows. Threads beyond the first assemble and factorize the steps ahead.
  FullSensitivity sensitivity(const FullTrajectory& motion, const std::vector<Eigen::MatrixXd>& rows,
                              int threads = 1) const;
  /// The same rows (m x N) after every step.
  FullSensitivity sensitivity(const FullTrajectory& motion, const Eigen::MatrixXd& rows, int threads = 1) const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

extern template class FullDynamics<2>;
extern template class FullDynamics<3>;

}  // namespace quoin::soft_arm
