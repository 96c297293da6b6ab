// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/task_sum.hpp"

#include "quoin/util/to_text.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace quoin::planning {

TaskSum::TaskSum(std::vector<TaskTerm> terms) : terms_(std::move(terms)) { require_terms(terms_, "TaskSum"); }

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

}  // namespace quoin::planning
