// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/linear_step.hpp"
#include "quoin/robots/planning/aico/local_task.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <cstddef>
#include <vector>

namespace quoin::planning {

/// Gaussian messages along a chain x_0..x_T of linear steps with a local task at each: the Kalman smoother in the
/// form of AICO (Toussaint 2009; Zarubin et al. 2012, section III-A).
///
///     GaussianChain chain(n, H, T);
///     chain.start(x0);
///     for (int t = 0; t < T; ++t) chain.forward(t, step[t], task[t]);             // (S, s) of t + 1
///     chain.finish();
///     for (int t = T - 1; t >= 0; --t) chain.backward(t, step[t], task[t + 1]);   // (L, e) and the control law of t
///     chain.belief(t, task[t], marginal);
///
/// Forward alpha(x_t) = N(s, S) holds the tasks before t, backward beta(x_t) ~ exp{-1/2 x^T L x + e^T x} those after t,
/// and neither the one at t. No message, no A and no B is inverted: S may be singular or zero (a known start), L zero
/// (a free end), B of any rank:
///
///     S^ = (I + S R)^-1 S,  s^ = (I + S R)^-1 (s + S r),  S' = A S^ A^T + B H^-1 B^T,  s' = A s^ + a,
///     Lam = L' + R', eta = e' + r', G = H + B^T Lam B,
///     L = A^T (Lam - Lam B G^-1 B^T Lam) A,  e = A^T (w - Lam B G^-1 B^T w),  w = eta - Lam a,
///     belief: covariance (I + S (L + R))^-1 S, mean (I + S (L + R))^-1 (s + S (e + r)).
///
/// Each call is O(n^3) and allocates nothing after the first; a task on the first k of n entries makes `forward`
/// cheaper. The caller is responsible for sizes (asserted), except those of the constructor.
class GaussianChain {
 public:
  /// The distribution of u_t given x_t and all later tasks: u ~ N(K x + k, .). K is the Riccati gain.
  struct ControlLaw {
    Eigen::MatrixXd K;  ///< m x n
    Eigen::VectorXd k;  ///< m
  };

  /// control_cost: H, m x m. Throws std::invalid_argument unless it is positive definite and T at least 1.
  GaussianChain(Eigen::Index state_size, const Eigen::MatrixXd& control_cost, int horizon);

  int horizon() const { return static_cast<int>(laws_.size()); }

  /// alpha(x_0); an empty covariance says that x_0 is known.
  void start(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance = {});
  void forward(int t, const LinearStep& step, const LocalTask& task);        ///< alpha(x_{t+1}); task: that of t
  void finish();                                                             ///< beta(x_T) = 1
  void backward(int t, const LinearStep& step, const LocalTask& next_task);  ///< beta(x_t); next_task: that of t + 1

  /// The belief of x_t given all tasks: its mean, or its mean and covariance.
  const Eigen::VectorXd& belief(int t, const LocalTask& task);
  void belief(int t, const LocalTask& task, Gaussian& marginal);

  /// Of t = 0..T-1, after backward(t).
  const ControlLaw& law(int t) const { return laws_[static_cast<std::size_t>(t)]; }
  /// Mean of alpha(x_t): n.
  const Eigen::VectorXd& s(int t) const { return forward_[static_cast<std::size_t>(t)].vector; }
  /// Covariance of alpha(x_t): n x n.
  const Eigen::MatrixXd& S(int t) const { return forward_[static_cast<std::size_t>(t)].matrix; }
  /// Linear term of beta(x_t): n.
  const Eigen::VectorXd& e(int t) const { return backward_[static_cast<std::size_t>(t)].vector; }
  /// Precision of beta(x_t): n x n.
  const Eigen::MatrixXd& L(int t) const { return backward_[static_cast<std::size_t>(t)].matrix; }

 private:
  struct Message {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd vector;
  };

  void combine(int t, const LocalTask& task);  // factors I + S (L + R), fills the mean

  Eigen::MatrixXd inverse_root_;  // L_H^-T, H = L_H L_H^T
  std::vector<Message> forward_, backward_;
  std::vector<ControlLaw> laws_;
  Eigen::MatrixXd B_, P_, G_, C_, Y_, product_, gain_, below_, filtered_, system_;
  Eigen::VectorXd mean_, rest_, weighed_, pulled_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace quoin::planning
