// SPDX-License-Identifier: BSD-3-Clause
#include "stage_lagrangian.hpp"

#include "make_symmetric.hpp"
#include "staged_trajectory.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::planning {
namespace {

/// The step of a difference at `centre`, shortened and turned so that it ends within the bounds.
double step_within(double centre, double lower, double upper, double wanted) {
  const double above = std::min(wanted, upper - centre), below = std::min(wanted, centre - lower);
  return above >= below ? above : -below;
}

}  // namespace

bool StageLagrangian::gradient(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& out) const {
  StageDerivatives at;
  if (!problem.residuals.residual(stage, x, u, at.r, at.r_x, at.r_u) ||
      !problem.constraints.constraint(stage, x, u, at.h, at.h_x, at.h_u)) {
    return false;
  }
  out.resize(x.size() + u.size());
  out.head(x.size()) = weight * at.r_x.transpose() * at.r + at.h_x.transpose() * constraint_multipliers;
  if (u.size() == 0) return out.allFinite();
  ++derivative_calls;
  if (problem.dynamics.step(x, u, at.next, at.g_x, at.g_u) != StepStatus::ok) return false;
  out.head(x.size()) -= at.g_x.transpose() * defect_multipliers;
  out.tail(u.size()) = weight * at.r_u.transpose() * at.r + at.h_u.transpose() * constraint_multipliers -
                       at.g_u.transpose() * defect_multipliers;
  return out.allFinite();
}

bool StageLagrangian::curvature(Eigen::VectorXd x, Eigen::VectorXd u, Eigen::MatrixXd& out) const {
  Eigen::VectorXd here, there;
  if (!gradient(x, u, here)) return false;
  const Eigen::Index n = x.size(), size = here.size();
  out.setZero(size, size);
  for (Eigen::Index j = stage == 0 ? n : 0; j < size; ++j) {
    double& coordinate = j < n ? x[j] : u[j - n];
    const double lower = j < n ? problem.lower_state[j] : problem.lower_control[j - n];
    const double upper = j < n ? problem.upper_state[j] : problem.upper_control[j - n];
    const double centre = coordinate;
    const double least = sizes.size() > 0 ? sizes[j] : 1;
    double step = step_within(centre, lower, upper, relative_step * std::max(least, std::abs(centre)));
    if (step == 0) continue;  // bounds that leave it no room
    const auto ahead = [&] {
      coordinate = centre + step;
      return gradient(x, u, there);
    };
    bool computed = ahead();
    if (!computed) {
      step = -step;
      computed = ahead();
    }
    if (!computed) return false;
    out.col(j) = (there - here) / step;
    coordinate = centre;
  }
  make_symmetric(out);
  return true;
}

}  // namespace quoin::planning
