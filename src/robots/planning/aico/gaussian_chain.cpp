// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/gaussian_chain.hpp"

#include "quoin/util/to_text.hpp"

#include "control_root.hpp"
#include "robots/planning/make_symmetric.hpp"

#include <cassert>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

using Matrix = Eigen::MatrixXd;
using Eigen::Index;
using Eigen::Lower;

void mirror_lower(Matrix& M) { M.triangularView<Eigen::StrictlyUpper>() = M.transpose(); }

// The number of leading entries of the state that the task depends on.
Index support(const LocalTask& task) {
  Index k = task.r.size();
  while (k > 0 && task.r[k - 1] == 0 && (task.R.col(k - 1).array() == 0).all()) --k;
  return k;
}

}  // namespace

GaussianChain::GaussianChain(Index state_size, const Matrix& control_cost, int horizon)
    : inverse_root_(inverse_root_of(control_cost, "GaussianChain")) {
  if (state_size < 1 || horizon < 1) {
    throw std::invalid_argument("GaussianChain: " + to_text(state_size) + " states, " + to_text(horizon) + " steps");
  }
  const Message zero{Matrix::Zero(state_size, state_size), Eigen::VectorXd::Zero(state_size)};
  forward_.assign(horizon + 1, zero);
  backward_.assign(horizon + 1, zero);
  const Index m = control_cost.rows();
  laws_.assign(horizon, ControlLaw{Matrix::Zero(m, state_size), Eigen::VectorXd::Zero(m)});
}

void GaussianChain::start(const Eigen::VectorXd& mean, const Matrix& covariance) {
  assert(mean.size() == forward_[0].vector.size());
  forward_[0].vector = mean;
  if (covariance.size() == 0) {
    forward_[0].matrix.setZero();
  } else {
    assert(covariance.rows() == mean.size() && covariance.cols() == mean.size());
    forward_[0].matrix = covariance;
  }
}

void GaussianChain::forward(int t, const LinearStep& step, const LocalTask& task) {
  const Matrix& S = forward_[t].matrix;
  const Eigen::VectorXd& s = forward_[t].vector;
  const Index n = s.size(), k = support(task), rest = n - k;
  assert(task.r.size() == n && step.A.rows() == n);

  // (I + S R) is block lower triangular where R has only its leading block.
  mean_ = s;
  if (k == 0) {
    filtered_ = S;
  } else {
    filtered_.resize(n, n);
    const auto R = task.R.topLeftCorner(k, k);
    system_.noalias() = S.topLeftCorner(k, k) * R;
    system_.diagonal().array() += 1;
    lu_.compute(system_);
    rest_ = s;
    rest_.head(k).noalias() += S.topLeftCorner(k, k) * task.r.head(k);
    mean_.head(k) = lu_.solve(rest_.head(k));
    filtered_.topRows(k) = lu_.solve(S.topRows(k));
    if (rest > 0) {
      below_.noalias() = S.bottomLeftCorner(rest, k) * R;
      filtered_.bottomRows(rest) = S.bottomRows(rest);
      filtered_.bottomRows(rest).noalias() -= below_ * filtered_.topRows(k);
      mean_.tail(rest).noalias() += S.bottomLeftCorner(rest, k) * task.r.head(k);
      mean_.tail(rest).noalias() -= below_ * mean_.head(k);
    }
    make_symmetric(filtered_);
  }

  Message& next = forward_[t + 1];
  B_.noalias() = step.B * inverse_root_;
  product_.noalias() = step.A * filtered_;
  next.matrix.triangularView<Lower>() = product_ * step.A.transpose();
  next.matrix.selfadjointView<Lower>().rankUpdate(B_);
  mirror_lower(next.matrix);
  next.vector = step.a;
  next.vector.noalias() += step.A * mean_;
}

void GaussianChain::finish() {
  backward_.back().matrix.setZero();
  backward_.back().vector.setZero();
}

void GaussianChain::backward(int t, const LinearStep& step, const LocalTask& next_task) {
  B_.noalias() = step.B * inverse_root_;
  P_ = backward_[t + 1].matrix + next_task.R;
  rest_ = backward_[t + 1].vector + next_task.r;  // eta, then w = eta - Lam a
  rest_.noalias() -= P_ * step.a;

  G_.noalias() = P_ * B_;
  C_.noalias() = B_.transpose() * G_;
  C_.diagonal().array() += 1;
  llt_.compute(C_);
  Y_ = G_.transpose();
  llt_.matrixL().solveInPlace(Y_);
  pulled_.noalias() = B_.transpose() * rest_;
  llt_.matrixL().solveInPlace(pulled_);
  P_.selfadjointView<Lower>().rankUpdate(Y_.transpose(), -1);
  mirror_lower(P_);
  rest_.noalias() -= Y_.transpose() * pulled_;

  Message& here = backward_[t];
  product_.noalias() = P_ * step.A;
  here.matrix.triangularView<Lower>() = step.A.transpose() * product_;
  mirror_lower(here.matrix);
  here.vector.noalias() = step.A.transpose() * rest_;

  ControlLaw& law = laws_[t];
  gain_.noalias() = Y_ * step.A;
  llt_.matrixU().solveInPlace(gain_);
  llt_.matrixU().solveInPlace(pulled_);
  law.K.noalias() = -inverse_root_ * gain_;
  law.k.noalias() = inverse_root_ * pulled_;
}

void GaussianChain::combine(int t, const LocalTask& task) {
  const Matrix& S = forward_[t].matrix;
  P_ = backward_[t].matrix + task.R;
  rest_ = backward_[t].vector + task.r;
  system_.noalias() = S * P_;
  system_.diagonal().array() += 1;
  lu_.compute(system_);
  weighed_ = forward_[t].vector;
  weighed_.noalias() += S * rest_;
  mean_ = lu_.solve(weighed_);
}

const Eigen::VectorXd& GaussianChain::belief(int t, const LocalTask& task) {
  combine(t, task);
  return mean_;
}

void GaussianChain::belief(int t, const LocalTask& task, Gaussian& marginal) {
  combine(t, task);
  marginal.mean = mean_;
  marginal.covariance = lu_.solve(forward_[t].matrix);
  make_symmetric(marginal.covariance);
}

}  // namespace quoin::planning
