// SPDX-License-Identifier: BSD-3-Clause
#include "upper_chain.hpp"

#include "quoin/robots/linear_algebra/semidefinite_root.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {

MotionPrior brownian_prior(const Eigen::MatrixXd& covariance_per_step) {
  const Eigen::MatrixXd& W = covariance_per_step;
  const Eigen::Index m = W.rows();
  if (m < 1 || W.cols() != m || !W.allFinite()) {
    throw std::invalid_argument("brownian_prior: a covariance of " + to_text(m) + " x " + to_text(W.cols()) +
                                ", or not finite");
  }
  const linear_algebra::SemidefiniteRoot of(W, "brownian_prior: the covariance");
  return {{Eigen::MatrixXd::Identity(m, m), Eigen::VectorXd::Zero(m), of.root()}, Eigen::MatrixXd::Identity(m, m)};
}

MotionPrior second_order_prior(double dt, const Eigen::MatrixXd& control_cost) {
  return {second_order_step(control_cost.rows(), dt), control_cost};
}

Eigen::MatrixXd softened(double rho, const Eigen::MatrixXd& P) {
  const Eigen::Index m = P.rows();
  Eigen::MatrixXd sum = P;
  sum.diagonal().array() += 1 / rho;
  return sum.llt().solve(Eigen::MatrixXd::Identity(m, m));
}

Eigen::Index coordinates_of(const AicoProblem& problem, const UpperLevel& level) {
  return level.coordinates > 0 ? level.coordinates : problem.state_size / 2;
}

void check(const AicoProblem& problem, const UpperLevel& level, const char* caller) {
  problem.check(caller);
  const std::string begin = std::string(caller) + ": ";
  const LinearStep& step = level.prior.step;
  const Eigen::Index k = step.A.rows();
  if (level.size < 1 || k < level.size || step.A.cols() != k || step.a.size() != k || step.B.rows() != k ||
      step.B.cols() != level.prior.control_cost.rows()) {
    throw std::invalid_argument(begin + "y has " + to_text(level.size) + " entries, its prior A " + to_text(k) + " x " +
                                to_text(step.A.cols()) + ", a " + to_text(step.a.size()) + ", B " + shape_text(step.B) +
                                ", H " + shape_text(level.prior.control_cost));
  }
  if (level.precision.size() != problem.horizon + 1 || !level.precision.allFinite() || level.precision.minCoeff() < 0) {
    throw std::invalid_argument(begin + to_text(level.precision.size()) + " precisions for " +
                                to_text(problem.horizon + 1) + " times, or one is negative or not finite");
  }
  const Eigen::Index d = coordinates_of(problem, level);
  if (!level.map || d < 1 || d > problem.state_size) {
    throw std::invalid_argument(begin + "no map, or one of " + to_text(d) + " coordinates of " +
                                to_text(problem.state_size) + " states");
  }
}

UpperChain::UpperChain(const UpperLevel& level, const Eigen::VectorXd& y0, int horizon)
    : level_(level),
      z0_(Eigen::VectorXd::Zero(level.prior.step.A.rows())),
      horizon_(horizon),
      chain_(z0_.size(), level.prior.control_cost, horizon),
      means_(level.size, horizon + 1) {
  z0_.head(level.size) = y0;
}

const LocalTask& UpperChain::task(const Observation& observation) {
  task_.set_zero(z0_.size());
  if (observation.known) {
    task_.R.topLeftCorner(level_.size, level_.size) = observation.precision;
    task_.r.head(level_.size) = observation.precision * observation.mean;
  }
  return task_;
}

void UpperChain::smooth(const std::vector<Observation>& observations) {
  const LinearStep& step = level_.prior.step;
  chain_.start(z0_);
  StopCheck stop(16);
  for (int t = 0; t < horizon_; ++t, stop()) chain_.forward(t, step, task(observations[t]));
  chain_.finish();
  for (int t = horizon_ - 1; t >= 0; --t, stop()) chain_.backward(t, step, task(observations[t + 1]));
  Eigen::VectorXd z = z0_;
  prior_cost_ = 0;
  for (int t = 0; t <= horizon_; ++t) {
    means_.col(t) = z.head(level_.size);
    if (t == horizon_) break;
    const Eigen::VectorXd v = chain_.law(t).K * z + chain_.law(t).k;
    prior_cost_ += 0.5 * v.dot(level_.prior.control_cost * v);
    z = step.A * z + step.a + step.B * v;
  }
}

void UpperChain::marginals(const std::vector<Observation>& observations, std::vector<Eigen::MatrixXd>& covariances) {
  covariances.clear();
  Gaussian marginal;
  for (int t = 0; t <= horizon_; ++t) {
    chain_.belief(t, task(observations[t]), marginal);
    covariances.push_back(marginal.covariance.topLeftCorner(level_.size, level_.size));
  }
}

Gaussian UpperChain::cavity(int t) {
  Gaussian all;
  chain_.belief(t, task({}), all);
  return {all.mean.head(level_.size), all.covariance.topLeftCorner(level_.size, level_.size)};
}

}  // namespace quoin::planning
