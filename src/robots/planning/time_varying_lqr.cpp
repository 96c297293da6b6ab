// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/time_varying_lqr.hpp"

#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include "make_symmetric.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void require_shape(const MatrixXd& m, Index rows, Index cols, const char* what) {
  if (m.rows() == rows && m.cols() == cols) return;
  throw std::invalid_argument(std::string(what) + " is " + shape_text(m) + ", must be " + to_text(rows) + " x " +
                              to_text(cols));
}

/// Refuses weights and covariances that are none: to 1e-9 in units in which their diagonal is 1.
void require_semidefinite(const MatrixXd& m, const std::string& what) {
  if (m.size() == 0) return;
  if (!m.allFinite()) throw std::invalid_argument(what + " is not finite");
  const VectorXd sizes = m.diagonal().cwiseAbs().cwiseSqrt();
  const VectorXd inverse = (sizes.array() > 0).select(sizes.cwiseInverse(), 1.0);
  const MatrixXd scaled = inverse.asDiagonal() * m * inverse.asDiagonal();
  constexpr double rounding = 1e-9;
  if ((scaled - scaled.transpose()).cwiseAbs().maxCoeff() > rounding)
    throw std::invalid_argument(what + " is not symmetric: it and its transpose differ by " +
                                to_text((m - m.transpose()).cwiseAbs().maxCoeff()));
  const Eigen::LDLT<MatrixXd> factor(scaled);
  if (const double least = factor.vectorD().minCoeff(); least < -rounding)
    throw std::invalid_argument(what + " is not positive semidefinite: it has the negative pivot " + to_text(least) +
                                " where its diagonal is scaled to 1");
}

void require_finite(const MatrixXd& m, const std::string& what) {
  if (!m.allFinite()) throw std::invalid_argument(what + " is not finite");
}

void check(const LinearizedMotion& motion, const char* who) {
  if (motion.failed_step >= 0 || motion.A.empty() || motion.B.size() != motion.A.size()) {
    throw std::invalid_argument(std::string(who) + ": the motion has " + to_text(motion.A.size()) + " A and " +
                                to_text(motion.B.size()) + " B, its linearization failed at step " +
                                to_text(motion.failed_step));
  }
  const Index n = motion.A.front().rows(), m = motion.B.front().cols();
  for (std::size_t i = 0; i < motion.A.size(); ++i) {
    require_shape(motion.A[i], n, n, "LinearizedMotion: A");
    require_shape(motion.B[i], n, m, "LinearizedMotion: B");
  }
}

void check(const std::vector<MatrixXd>& weights, std::size_t steps, Index size, const char* what) {
  if (weights.size() != 1 && weights.size() != steps) {
    throw std::invalid_argument("time_varying_lqr: " + to_text(weights.size()) + " weights " + what + " for " +
                                to_text(steps) + " steps");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require_shape(weights[i], size, size, "time_varying_lqr: a weight");
    require_semidefinite(weights[i], "time_varying_lqr: weight " + to_text(i) + " of " + what);
  }
}

}  // namespace

TimeVaryingLqr time_varying_lqr(const LinearizedMotion& motion, const LqrWeights& weights) {
  check(motion, "time_varying_lqr");
  const std::size_t steps = motion.A.size();
  const Index n = motion.A.front().rows(), m = motion.B.front().cols();
  check(weights.Q, steps, n, "Q");
  check(weights.R, steps, m, "R");
  require_shape(weights.final, n, n, "time_varying_lqr: the final weight");
  require_semidefinite(weights.final, "time_varying_lqr: the final weight");

  TimeVaryingLqr lqr;
  lqr.gains.resize(steps);
  lqr.cost_to_go.resize(steps + 1);
  lqr.cost_to_go[steps] = weights.final;
  MatrixXd pull, curvature, closed;
  StopCheck stop(16);
  for (std::size_t i = steps; i-- > 0;) {
    stop();
    const MatrixXd &A = motion.A[i], &B = motion.B[i], &S = lqr.cost_to_go[i + 1];
    const MatrixXd& Q = weights.Q[weights.Q.size() == 1 ? 0 : i];
    const MatrixXd& R = weights.R[weights.R.size() == 1 ? 0 : i];
    pull.noalias() = B.transpose() * S;
    curvature = R + pull * B;
    const Eigen::LLT<MatrixXd> factor(curvature);
    if (factor.info() != Eigen::Success) {
      throw std::invalid_argument("time_varying_lqr: R + B^T S B of step " + to_text(i) + " is not positive definite");
    }
    lqr.gains[i] = factor.solve(pull * A);
    closed = A - B * lqr.gains[i];
    MatrixXd& here = lqr.cost_to_go[i];
    here = Q;
    here.noalias() += lqr.gains[i].transpose() * R * lqr.gains[i];
    here.noalias() += closed.transpose() * S * closed;
    make_symmetric(here);
  }
  return lqr;
}

TrajectoryFilter::TrajectoryFilter(LinearizedMotion motion, MatrixXd covariance, VectorXd initial)
    : motion_(std::move(motion)), covariance_(std::move(covariance)), mean_(std::move(initial)) {
  check(motion_, "TrajectoryFilter");
  const Index n = motion_.A.front().rows();
  if (mean_.size() == 0) mean_.setZero(n);
  require_shape(covariance_, n, n, "TrajectoryFilter: the covariance");
  require_shape(mean_, n, 1, "TrajectoryFilter: the initial mean");
  require_semidefinite(covariance_, "TrajectoryFilter: the covariance");
  require_finite(mean_, "TrajectoryFilter: the initial mean");
}

std::size_t TrajectoryFilter::at(int step) const {
  return std::min(static_cast<std::size_t>(step), motion_.A.size() - 1);
}

void TrajectoryFilter::update(const MatrixXd& C, const VectorXd& dy, const MatrixXd& V) {
  const Index n = mean_.size(), p = dy.size();
  require_shape(C, p, n, "TrajectoryFilter::update: C");
  require_shape(V, p, p, "TrajectoryFilter::update: V");
  require_finite(C, "TrajectoryFilter::update: C");
  require_finite(dy, "TrajectoryFilter::update: dy");
  require_semidefinite(V, "TrajectoryFilter::update: V");
  const MatrixXd cross = covariance_ * C.transpose();
  const Eigen::LLT<MatrixXd> innovation(C * cross + V);
  if (innovation.info() != Eigen::Success)
    throw std::invalid_argument("TrajectoryFilter::update: C P C^T + V is not positive definite");
  const MatrixXd gain = innovation.solve(cross.transpose()).transpose();
  mean_ += gain * (dy - C * mean_);
  const MatrixXd rest = MatrixXd::Identity(n, n) - gain * C;
  covariance_ = (rest * covariance_ * rest.transpose() + gain * V * gain.transpose()).eval();
  make_symmetric(covariance_);
}

void TrajectoryFilter::predict(const VectorXd& du, const MatrixXd& W) {
  const Index n = mean_.size();
  require_shape(du, motion_.B.front().cols(), 1, "TrajectoryFilter::predict: du");
  require_shape(W, n, n, "TrajectoryFilter::predict: W");
  require_finite(du, "TrajectoryFilter::predict: du");
  require_semidefinite(W, "TrajectoryFilter::predict: W");
  const MatrixXd &A = motion_.A[at(step_)], &B = motion_.B[at(step_)];
  mean_ = A * mean_ + B * du;
  covariance_ = (A * covariance_ * A.transpose() + W).eval();
  make_symmetric(covariance_);
  ++step_;
}

VectorXd TrajectoryFilter::ahead(const MatrixXd& pending) const {
  require_shape(pending, motion_.B.front().cols(), pending.cols(), "TrajectoryFilter::ahead: pending");
  require_finite(pending, "TrajectoryFilter::ahead: pending");
  VectorXd dx = mean_;
  for (Index j = 0; j < pending.cols(); ++j) {
    const std::size_t i = at(step_ + static_cast<int>(j));
    dx = motion_.A[i] * dx + motion_.B[i] * pending.col(j);
  }
  return dx;
}

}  // namespace quoin::planning
