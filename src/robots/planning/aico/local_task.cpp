// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/local_task.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {

void LocalTask::set_zero(Eigen::Index n) {
  R.setZero(n, n);
  r.setZero(n);
  cost = 0;
}

void LocalTask::add(const Eigen::VectorXd& e, const Eigen::MatrixXd& J, const Eigen::VectorXd& x) {
  const Eigen::Index k = J.cols();
  if (J.rows() != e.size() || k > x.size() || x.size() != r.size()) {
    throw std::invalid_argument("LocalTask::add: J is " + to_text(J.rows()) + " x " + to_text(k) + " for " +
                                to_text(e.size()) + " residuals, " + to_text(x.size()) + " states and a task of " +
                                to_text(r.size()));
  }
  R.topLeftCorner(k, k).noalias() += J.transpose() * J;
  r.head(k).noalias() += J.transpose() * (J * x.head(k) - e);
  cost += 0.5 * e.squaredNorm();
}

}  // namespace quoin::planning
