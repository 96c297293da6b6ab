// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/task_constraints.hpp"

#include <utility>

namespace quoin::planning {

BoundaryConstraint end_constraint(std::vector<TaskResidual> tasks) {
  return [tasks = std::move(tasks)](const Eigen::VectorXd& x, Eigen::VectorXd& h, Eigen::MatrixXd& dx) {
    h.resize(0);
    dx.resize(0, x.size());
    Eigen::VectorXd e;
    Eigen::MatrixXd J;
    for (const TaskResidual& task : tasks) {
      if (!task(0, x, e, J)) return false;
      const Eigen::Index rows = h.size() + e.size();
      h.conservativeResize(rows);
      h.tail(e.size()) = e;
      dx.conservativeResize(rows, Eigen::NoChange);
      dx.bottomRows(e.size()) << J, Eigen::MatrixXd::Zero(e.size(), x.size() - J.cols());
    }
    return true;
  };
}

RunningCost effort_and_tasks(Eigen::MatrixXd R, std::vector<TaskTerm> terms) {
  require_terms(terms, "effort_and_tasks");
  return [of_controls = effort(std::move(R)), terms = std::move(terms)](double t, const Eigen::VectorXd& x,
                                                                        const Eigen::VectorXd& u, double& cost,
                                                                        Eigen::VectorXd& dx, Eigen::VectorXd& du) {
    if (!of_controls(t, x, u, cost, dx, du)) return false;
    Eigen::VectorXd e;
    Eigen::MatrixXd J;
    for (const TaskTerm& term : terms) {
      if (!term.residual(0, x, e, J)) return false;
      cost += term.precision[0] * e.squaredNorm();
      dx.head(J.cols()).noalias() += 2 * term.precision[0] * J.transpose() * e;
    }
    return true;
  };
}

}  // namespace quoin::planning
