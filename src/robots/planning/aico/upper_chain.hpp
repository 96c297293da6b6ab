// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/gaussian_chain.hpp"
#include "quoin/robots/planning/aico/hierarchical_aico.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// N(mean, precision^-1) of y at one time; no observation where `known` is false.
struct Observation {
  Eigen::VectorXd mean;
  Eigen::MatrixXd precision;
  bool known = false;
};

/// (1/rho + P)^-1
Eigen::MatrixXd softened(double rho, const Eigen::MatrixXd& P);

/// Throws std::invalid_argument if the level does not fit the problem.
void check(const AicoProblem& problem, const UpperLevel& level, const char* caller);
Eigen::Index coordinates_of(const AicoProblem& problem, const UpperLevel& level);

/// The chain of y under its prior, from a known y_0, given observations.
class UpperChain {
 public:
  UpperChain(const UpperLevel& level, const Eigen::VectorXd& y0, int horizon);

  void smooth(const std::vector<Observation>& observations);

  const Eigen::MatrixXd& means() const { return means_; }  // m x (T+1)
  double prior_cost() const { return prior_cost_; }        // of the means
  void marginals(const std::vector<Observation>& observations, std::vector<Eigen::MatrixXd>& covariances);

  /// The belief of y_t given all but the observation at t.
  Gaussian cavity(int t);

 private:
  const LocalTask& task(const Observation& observation);

  const UpperLevel& level_;
  Eigen::VectorXd z0_;
  int horizon_;
  GaussianChain chain_;
  LocalTask task_;
  Eigen::MatrixXd means_;
  double prior_cost_ = 0;
};

}  // namespace quoin::planning
