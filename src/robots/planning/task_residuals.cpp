// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/task_residuals.hpp"

#include "quoin/util/to_text.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace quoin::planning {

TaskResiduals::TaskResiduals(std::vector<TaskTerm> terms, const Eigen::VectorXd& control_precision)
    : terms_(std::move(terms)), control_root_(control_precision.cwiseSqrt()) {
  require_terms(terms_, "TaskResiduals");
  for (Eigen::Index i = 0; i < control_precision.size(); ++i)
    if (!(control_precision[i] >= 0) || !std::isfinite(control_precision[i]))
      throw std::invalid_argument("TaskResiduals: precision " + to_text(control_precision[i]) + " of control " +
                                  to_text(i));
}

bool TaskResiduals::residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
  Eigen::MatrixXd dx, du;
  return residual(i, x, u, r, dx, du);
}

bool TaskResiduals::residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                             Eigen::MatrixXd& dr_dx, Eigen::MatrixXd& dr_du) const {
  if (i < 0 || i > horizon())
    throw std::invalid_argument("TaskResiduals: step " + to_text(i) + " of a horizon of " + to_text(horizon()));
  if (u.size() != 0 && u.size() != control_root_.size())
    throw std::invalid_argument("TaskResiduals: " + to_text(u.size()) + " controls, and precisions of " +
                                to_text(control_root_.size()));
  // The controls' rows first: their number is known
  r = control_root_.head(u.size()).cwiseProduct(u);
  dr_dx.setZero(u.size(), x.size());
  dr_du = control_root_.head(u.size()).asDiagonal();
  Eigen::VectorXd e;
  Eigen::MatrixXd J;
  for (const TaskTerm& term : terms_) {
    if (term.precision[i] == 0) continue;
    if (!term.residual(i, x, e, J)) return false;
    if (J.rows() != e.size() || J.cols() > x.size())
      throw std::invalid_argument("TaskResiduals: term '" + term.name + "' has " + to_text(e.size()) +
                                  " residuals and a derivative of " + shape_text(J) + " for a state of " +
                                  to_text(x.size()));
    const double root = std::sqrt(term.precision[i]);
    const Eigen::Index rows = r.size();
    r.conservativeResize(rows + e.size());
    r.tail(e.size()) = root * e;
    dr_dx.conservativeResize(r.size(), Eigen::NoChange);
    dr_dx.bottomRows(e.size()) << root * J, Eigen::MatrixXd::Zero(e.size(), x.size() - J.cols());
  }
  dr_du.conservativeResize(r.size(), Eigen::NoChange);
  dr_du.bottomRows(r.size() - u.size()).setZero();
  return true;
}

}  // namespace quoin::planning
