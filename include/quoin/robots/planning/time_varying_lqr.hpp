// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/util/abi_check.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::planning {

/// Dynamics of small deviations from a motion: dx_{i+1} = A_i dx_i + B_i du_i, i = 0..K-1.
struct LinearizedMotion {
  std::vector<Eigen::MatrixXd> A;      ///< K, n x n
  std::vector<Eigen::MatrixXd> B;      ///< K, n x m
  int failed_step = -1;                ///< the first step without derivatives; A and B then end before it
  StepStatus status = StepStatus::ok;  ///< of the step that failed
  double largest_defect = 0;           ///< largest |g(x_i, u_i) - x_{i+1}|: how far the motion is from these dynamics
};

/// Linearizes along states (n x (K+1)) and controls (m x K), by K calls with derivatives. Throws std::invalid_argument
/// for shapes that do not fit the dynamics, and numbers that are not finite.
template <DiscreteDynamics Dynamics>
LinearizedMotion linearize_along(const Dynamics& dynamics, const Eigen::MatrixXd& states,
                                 const Eigen::MatrixXd& controls) {
  if (states.rows() != dynamics.state_size() || controls.rows() != dynamics.control_size() ||
      states.cols() != controls.cols() + 1) {
    throw std::invalid_argument("linearize_along: states are " + shape_text(states) + ", controls " +
                                shape_text(controls) + ", the dynamics have " + to_text(dynamics.state_size()) +
                                " and " + to_text(dynamics.control_size()));
  }
  for (Eigen::Index i = 0; i < states.cols(); ++i)
    if (!states.col(i).allFinite() || (i < controls.cols() && !controls.col(i).allFinite()))
      throw std::invalid_argument("linearize_along: state or control " + to_text(i) + " is not finite");
  if constexpr (Hintable<Dynamics>) dynamics.hint(states.leftCols(controls.cols()));
  LinearizedMotion linear;
  Eigen::VectorXd x, u, next;
  Eigen::MatrixXd A, B;
  for (Eigen::Index i = 0; i < controls.cols(); ++i) {
    x = states.col(i);
    u = controls.col(i);
    linear.status = dynamics.step(x, u, next, A, B);
    if (linear.status != StepStatus::ok) {
      linear.failed_step = static_cast<int>(i);
      return linear;
    }
    linear.largest_defect = std::max(linear.largest_defect, (next - states.col(i + 1)).cwiseAbs().maxCoeff());
    linear.A.push_back(A);
    linear.B.push_back(B);
  }
  return linear;
}

/// The cost of deviations: sum_i 1/2 dx_i^T Q_i dx_i + 1/2 du_i^T R_i du_i + 1/2 dx_K^T final dx_K.
struct LqrWeights {
  std::vector<Eigen::MatrixXd> Q;  ///< n x n, positive semidefinite: K of them, or one for all i < K
  std::vector<Eigen::MatrixXd> R;  ///< m x m, positive semidefinite, and definite with B^T S B: K, or one
  Eigen::MatrixXd final;           ///< n x n, positive semidefinite
};

/// The feedback, and what deviations will cost under it.
struct TimeVaryingLqr {
  std::vector<Eigen::MatrixXd> gains;       ///< K_i, m x n: du_i = -K_i dx_i
  std::vector<Eigen::MatrixXd> cost_to_go;  ///< S_i, K+1, n x n: 1/2 dx_i^T S_i dx_i from i on
};

/// The optimal linear feedback over a finite horizon, by the backward Riccati recursion in its symmetric form
/// (Anderson, Moore 1990, section 2.4; along a plan as in Tedrake 2009):
///
///     K_i = (R_i + B_i^T S_{i+1} B_i)^-1 B_i^T S_{i+1} A_i
///     S_i = Q_i + K_i^T R_i K_i + (A_i - B_i K_i)^T S_{i+1} (A_i - B_i K_i)
///
///     auto linear = linearize_along(step, plan.states, plan.controls);
///     auto lqr = time_varying_lqr(linear, {.Q = {Q}, .R = {R}, .final = Qf});
///     u = plan.controls.col(i) - lqr.gains[i] * (x - plan.states.col(i));  // within its bounds
///
/// O(K (n + m)^3). Throws std::invalid_argument for shapes that do not fit, weights that are not symmetric, finite and
/// positive semidefinite (to 1e-9 of their largest number), a linearization that failed, and where
/// R_i + B_i^T S_{i+1} B_i is not positive definite.
TimeVaryingLqr time_varying_lqr(const LinearizedMotion& motion, const LqrWeights& weights);

/// The state along a plan from noisy measurements y_i = C_i x_i + v_i: a time-varying Kalman filter of the deviations
/// from the plan, dx_{i+1} = A_i dx_i + B_i du_i + w_i.
///
///     TrajectoryFilter filter(linear, P0);
///     for (int i = 0; i < K; ++i) {
///       if (seen) filter.update(C[i], y - y_planned.col(i), V);         // V: covariance of v_i
///       u = plan.controls.col(i) - lqr.gains[i] * filter.estimate();
///       filter.predict(u - plan.controls.col(i), W);                    // W: covariance of w_i
///     }
///
/// Delayed inputs: u_{i-d} acts in step i, and the input decided in step i acts d steps later. Give `predict`
/// the input that acts, and apply the gain of i + d to `ahead(pending)`, the deviation expected there after
/// the d inputs under way.
///
/// Covariances stay symmetric and positive semidefinite (Joseph's form). update: O(n^2 p + p^3), predict: O(n^3).
/// Throws std::invalid_argument for sizes that do not fit, numbers that are not finite, covariances that are none (to
/// 1e-9 of their largest number), and a V that leaves the innovation's covariance singular.
class TrajectoryFilter {
 public:
  /// covariance: of dx_0, n x n. initial: its mean; zero if empty.
  TrajectoryFilter(LinearizedMotion motion, Eigen::MatrixXd covariance, Eigen::VectorXd initial = {});

  /// dy (p): measured minus planned. C: p x n. V: p x p.
  void update(const Eigen::MatrixXd& C, const Eigen::VectorXd& dy, const Eigen::MatrixXd& V);

  /// Moves to the next step; past the end of the plan its last A and B apply. W: n x n.
  void predict(const Eigen::VectorXd& du, const Eigen::MatrixXd& W);

  /// The mean d steps ahead, after the pending deviations of the inputs (m x d) have acted. The filter
  /// itself does not move.
  Eigen::VectorXd ahead(const Eigen::MatrixXd& pending) const;

  /// i, from 0.
  int step() const { return step_; }
  const Eigen::VectorXd& estimate() const { return mean_; }          ///< n
  const Eigen::MatrixXd& covariance() const { return covariance_; }  ///< n x n

 private:
  std::size_t at(int step) const;

  LinearizedMotion motion_;
  Eigen::MatrixXd covariance_;
  Eigen::VectorXd mean_;
  int step_ = 0;
};

}  // namespace quoin::planning
