// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/aico/task_sum.hpp"

#include "quoin/core/to_text.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace quoin::planning {

TaskSum::TaskSum(std::vector<TaskTerm> terms) : terms_(std::move(terms)) {
  if (terms_.empty()) throw std::invalid_argument("TaskSum: no terms");
  for (const TaskTerm& term : terms_) {
    const std::string who = "TaskSum: term '" + term.name + "' ";
    if (!term.residual) throw std::invalid_argument(who + "has no residual");
    if (term.precision.size() == 0 || term.precision.size() != terms_.front().precision.size())
      throw std::invalid_argument(who + "has " + to_text(term.precision.size()) + " precisions, the first has " +
                                  to_text(terms_.front().precision.size()));
    for (Eigen::Index t = 0; t < term.precision.size(); ++t)
      if (!(term.precision[t] >= 0) || !std::isfinite(term.precision[t]))
        throw std::invalid_argument(who + "has precision " + to_text(term.precision[t]) + " at time " + to_text(t));
  }
}

bool TaskSum::operator()(int t, const Eigen::VectorXd& x, LocalTask& task) const {
  if (t < 0 || t > horizon())
    throw std::invalid_argument("TaskSum: time " + to_text(t) + " of a horizon of " + to_text(horizon()));
  Eigen::VectorXd e;
  Eigen::MatrixXd J;
  for (const TaskTerm& term : terms_) {
    if (term.precision[t] == 0) continue;
    if (!term.residual(t, x, e, J)) return false;
    const double root = std::sqrt(term.precision[t]);
    e *= root;
    J *= root;
    task.add(e, J, x);
  }
  return true;
}

Eigen::VectorXd TaskSum::costs(const Eigen::MatrixXd& states) const {
  if (states.cols() != horizon() + 1)
    throw std::invalid_argument("TaskSum::costs: " + to_text(states.cols()) + " states for a horizon of " +
                                to_text(horizon()));
  Eigen::VectorXd costs = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(terms_.size()));
  Eigen::VectorXd e;
  Eigen::MatrixXd J;
  for (Eigen::Index k = 0; k < costs.size(); ++k) {
    const TaskTerm& term = terms_[static_cast<std::size_t>(k)];
    for (int t = 0; t <= horizon(); ++t)
      if (term.precision[t] != 0)
        costs[k] += term.residual(t, states.col(t), e, J) ? 0.5 * term.precision[t] * e.squaredNorm()
                                                          : std::numeric_limits<double>::quiet_NaN();
  }
  return costs;
}

Eigen::VectorXd throughout(int horizon, double precision) {
  if (horizon < 0) throw std::invalid_argument("throughout: a horizon of " + to_text(horizon));
  return Eigen::VectorXd::Constant(horizon + 1, precision);
}

Eigen::VectorXd at_end(int horizon, double precision) {
  Eigen::VectorXd precisions = throughout(horizon, 0);
  precisions[horizon] = precision;
  return precisions;
}

TaskResidual limit_residual(Eigen::VectorXd lower, Eigen::VectorXd upper, double margin) {
  if (lower.size() != upper.size())
    throw std::invalid_argument("limit_residual: " + to_text(lower.size()) + " lower and " + to_text(upper.size()) +
                                " upper limits");
  for (Eigen::Index i = 0; i < lower.size(); ++i)
    if (!(upper[i] - lower[i] >= 2 * margin) || !(margin >= 0))
      throw std::invalid_argument("limit_residual: limits " + to_text(lower[i]) + " and " + to_text(upper[i]) +
                                  " of coordinate " + to_text(i) + " leave nothing with a margin of " +
                                  to_text(margin));
  return [lower = std::move(lower), upper = std::move(upper), margin](int, const Eigen::VectorXd& x, Eigen::VectorXd& e,
                                                                      Eigen::MatrixXd& J) {
    const Eigen::Index d = lower.size();
    if (x.size() != 2 * d)
      throw std::invalid_argument("limit_residual: limits of " + to_text(d) + " coordinates for a state of " +
                                  to_text(x.size()));
    e.setZero(d);
    J.setZero(d, d);
    for (Eigen::Index i = 0; i < d; ++i) {
      const double above = x[i] - (upper[i] - margin), below = x[i] - (lower[i] + margin);
      if (above <= 0 && below >= 0) continue;
      e[i] = above > 0 ? above : below;
      J(i, i) = 1;
    }
    return true;
  };
}

TaskResidual rest_residual() {
  return [](int, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    const Eigen::Index d = x.size() / 2;
    e = x.tail(d);
    J.setZero(d, x.size());
    J.rightCols(d).setIdentity();
    return true;
  };
}

}  // namespace quoin::planning
