// SPDX-License-Identifier: BSD-3-Clause
#include "augmented_lagrangian.hpp"

#include "quoin/robots/optimization/constraint_size.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

double square_of_positive(double s) { return s > 0 ? s * s : 0; }

}  // namespace

AugmentedLagrangian::AugmentedLagrangian(const AnyTrajectoryProblem& problem, const IlqrOptions& options)
    : problem_(problem), multipliers_(options.multipliers), state_bounds_(has_state_bounds(problem)) {
  if (multipliers_.penalty <= 0) multipliers_.penalty = options.initial_penalty;
}

void AugmentedLagrangian::begin(const StagedTrajectory& motion) {
  const Eigen::Index stages = problem_.horizon + 1;
  const auto fit = [&](Eigen::MatrixXd& bounds, const char* name) {
    if (bounds.size() == 0) bounds.setZero(problem_.dynamics.state_size(), stages);
    if (bounds.rows() != problem_.dynamics.state_size() || bounds.cols() != stages) {
      throw std::invalid_argument("ilqr: multipliers." + std::string(name) + " is " + shape_text(bounds) +
                                  ", must be " + to_text(problem_.dynamics.state_size()) + " x " + to_text(stages));
    }
  };
  if (state_bounds_) {
    fit(multipliers_.lower_state, "lower_state");
    fit(multipliers_.upper_state, "upper_state");
  }
  has_terms_ = state_bounds_;
  begun_ = true;
  auto& lambda = multipliers_.constraints;
  const bool given = !lambda.empty();
  lambda.resize(stages);
  for (Eigen::Index i = 0; i < stages; ++i) {
    if (!given) lambda[i].setZero(motion.h[i].size());
    if (lambda[i].size() != motion.h[i].size()) {
      throw std::invalid_argument("ilqr: multipliers.constraints[" + to_text(i) + "] has " + to_text(lambda[i].size()) +
                                  " entries, the stage has " + to_text(motion.h[i].size()) + " constraints");
    }
    has_terms_ = has_terms_ || motion.h[i].size() > 0;
  }
}

double AugmentedLagrangian::value(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& h) const {
  if (!begun_) return 0;
  const double mu = multipliers_.penalty;
  double sum = 0;
  for (Eigen::Index j = 0; j < h.size(); ++j) sum += square_of_positive(multipliers_.constraints[i][j] + mu * h[j]);
  if (state_bounds_ && i > 0) {
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      sum += square_of_positive(multipliers_.lower_state(j, i) + mu * (problem_.lower_state[j] - x[j]));
      sum += square_of_positive(multipliers_.upper_state(j, i) + mu * (x[j] - problem_.upper_state[j]));
    }
  }
  return sum / (2 * mu);
}

double AugmentedLagrangian::total(const StagedTrajectory& motion) const {
  double sum = 0;
  for (int i = 0; i <= problem_.horizon; ++i) sum += value(i, motion.x[i], motion.h[i]);
  return sum;
}

Eigen::VectorXd AugmentedLagrangian::forces(int i, const Eigen::VectorXd& h) const {
  return (multipliers_.constraints[i] + multipliers_.penalty * h).cwiseMax(0.0);
}

double AugmentedLagrangian::violation(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& h) const {
  double largest = h.size() > 0 ? std::max(0.0, h.maxCoeff()) : 0.0;
  if (state_bounds_ && i > 0) {
    largest = std::max({largest, (problem_.lower_state - x).maxCoeff(), (x - problem_.upper_state).maxCoeff()});
  }
  return largest;
}

void AugmentedLagrangian::add_to(StageModel& model, int i, const Eigen::VectorXd& x,
                                 const StageDerivatives& stage) const {
  const double mu = multipliers_.penalty;
  for (Eigen::Index j = 0; j < stage.h.size(); ++j) {
    const double s = multipliers_.constraints[i][j] + mu * stage.h[j];
    if (s <= 0) continue;
    model.q_x.noalias() += s * stage.h_x.row(j).transpose();
    model.q_xx.noalias() += mu * stage.h_x.row(j).transpose() * stage.h_x.row(j);
    if (i == problem_.horizon) continue;
    model.q_u.noalias() += s * stage.h_u.row(j).transpose();
    model.q_uu.noalias() += mu * stage.h_u.row(j).transpose() * stage.h_u.row(j);
    model.q_ux.noalias() += mu * stage.h_u.row(j).transpose() * stage.h_x.row(j);
  }
  if (!state_bounds_ || i == 0) return;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double below = multipliers_.lower_state(j, i) + mu * (problem_.lower_state[j] - x[j]);
    const double above = multipliers_.upper_state(j, i) + mu * (x[j] - problem_.upper_state[j]);
    if (below > 0) {
      model.q_x[j] -= below;
      model.q_xx(j, j) += mu;
    }
    if (above > 0) {
      model.q_x[j] += above;
      model.q_xx(j, j) += mu;
    }
  }
}

void AugmentedLagrangian::measure(const StagedTrajectory& motion, const std::vector<StageDerivatives>& stages) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(problem_.dynamics.state_size()),
                  u = Eigen::VectorXd::Zero(problem_.dynamics.control_size());
  for (const Eigen::VectorXd& state : motion.x) x = x.cwiseMax(state.cwiseAbs());
  for (int i = 0; i < problem_.horizon; ++i) u = u.cwiseMax(motion.u[i].cwiseAbs());
  min_size_ = 1;
  if (state_bounds_) {
    state_sizes_.setZero(x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      double& size = state_sizes_[j];
      for (const double bound : {problem_.lower_state[j], problem_.upper_state[j]})
        if (std::isfinite(bound)) size = std::max(size, std::abs(bound));
      if (size > 0) size = std::max(size, x[j]);  // a state that shall not leave 0 tells no size
      size = optimization::constraint_size(size);
    }
    min_size_ = state_sizes_.minCoeff();
  }
  sizes_.resize(motion.h.size());
  for (std::size_t i = 0; i < motion.h.size(); ++i) {
    sizes_[i].setOnes(motion.h[i].size());
    const StageDerivatives& stage = stages[i];
    if (stage.h_x.rows() != sizes_[i].size()) continue;
    for (Eigen::Index j = 0; j < sizes_[i].size(); ++j) {
      double variation = stage.h_x.row(j).cwiseAbs().dot(x);
      if (stage.h_u.cols() == u.size()) variation += stage.h_u.row(j).cwiseAbs().dot(u);
      sizes_[i][j] = optimization::constraint_size(variation);
      min_size_ = std::min(min_size_, sizes_[i][j]);
    }
  }
}

template <class Measure>
double AugmentedLagrangian::largest(const StagedTrajectory& motion, const Measure& measure) const {
  double largest = 0;
  for (int i = 0; i <= problem_.horizon; ++i) {
    const auto stage = static_cast<std::size_t>(i);
    for (Eigen::Index j = 0; j < motion.h[i].size(); ++j)
      largest = std::max(largest, measure(motion.h[i][j], multipliers_.constraints[i][j]) / sizes_[stage][j]);
    if (!state_bounds_ || i == 0) continue;
    for (Eigen::Index j = 0; j < problem_.dynamics.state_size(); ++j) {
      const double below = measure(problem_.lower_state[j] - motion.x[i][j], multipliers_.lower_state(j, i));
      const double above = measure(motion.x[i][j] - problem_.upper_state[j], multipliers_.upper_state(j, i));
      largest = std::max(largest, std::max(below, above) / state_sizes_[j]);
    }
  }
  return largest;
}

double AugmentedLagrangian::infeasibility(const StagedTrajectory& motion) const {
  const double mu = multipliers_.penalty;
  return largest(motion, [mu](double h, double lambda) { return std::abs(std::max(h, -lambda / mu)); });
}

double AugmentedLagrangian::relative_violation(const StagedTrajectory& motion) const {
  return largest(motion, [](double h, double) { return std::max(h, 0.0); });
}

void AugmentedLagrangian::update_multipliers(const StagedTrajectory& motion) {
  const double mu = multipliers_.penalty;
  for (int i = 0; i <= problem_.horizon; ++i) {
    auto& lambda = multipliers_.constraints[i];
    lambda = (lambda + mu * motion.h[i]).cwiseMax(0.0);
    if (!state_bounds_ || i == 0) continue;
    auto below = multipliers_.lower_state.col(i);
    auto above = multipliers_.upper_state.col(i);
    below = (below + mu * (problem_.lower_state - motion.x[i])).cwiseMax(0.0);
    above = (above + mu * (motion.x[i] - problem_.upper_state)).cwiseMax(0.0);
  }
}

void AugmentedLagrangian::raise_penalty(double factor, double greatest) {
  multipliers_.penalty = std::min(multipliers_.penalty * factor, greatest);
}

}  // namespace quoin::planning
