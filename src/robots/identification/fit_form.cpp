// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/fit.hpp"
#include "quoin/robots/identification/force_regression.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd columns_at(const ForceRegression& regression, const RobotEstimate& estimate) {
  return regression.columns_of(estimate.parameters(), estimate.damping());
}

/// d columns / d numbers of the estimate, in the order of detail::flat.
MatrixXd columns_slope(const ForceRegression& regression, const RobotEstimate& estimate) {
  const Index each = estimate.theta.rows(), joints = estimate.joints();
  MatrixXd slope = MatrixXd::Zero(regression.columns(), estimate.theta.size() + estimate.damping_root.size());
  MatrixXd derivative;
  for (Index i = 0; i < joints; ++i) {
    linear_parameters(estimate.form, estimate.theta.col(i), estimate.floor, derivative);
    for (Index k = 0; k < each; ++k) {
      RobotParameters one = RobotParameters::Zero(13, joints);
      one.col(i) = derivative.col(k);
      slope.block(10 * i, i * each + k, 10, 1) = regression.columns_of(one, VectorXd::Zero(joints)).segment(10 * i, 10);
    }
  }
  if (regression.with_damping() && estimate.damping_root.size() > 0)
    slope.bottomRightCorner(joints, joints) = (2 * estimate.damping_root).asDiagonal();
  return slope;
}

}  // namespace

FormFit fit_form(const ForceRegression& regression, const RobotEstimate& start, int iterations) {
  if (start.form == InertiaForm::unstructured || start.theta.rows() != parameter_count(start.form) ||
      start.joints() != regression.joints() || regression.instants() == 0 ||
      (start.damping_root.size() != 0 && start.damping_root.size() != start.joints()))
    throw std::invalid_argument("fit_form: " + std::string(to_string(start.form)) + " with theta " +
                                shape_text(start.theta) + " for " + to_text(regression.joints()) + " joints, " +
                                to_text(regression.instants()) + " instants");
  constexpr double converged = 1e-12;  // relative change of the residual, or of the numbers
  constexpr double most_damping = 1e16;
  FormFit fit{.estimate = start, .residual = regression.residual(columns_at(regression, start))};
  double damping = 1e-3;
  while (fit.iterations < iterations) {
    if (!std::isfinite(fit.residual)) {
      fit.stop = Stop::not_finite;
      return fit;
    }
    ++fit.iterations;
    const MatrixXd J = regression.R() * columns_slope(regression, fit.estimate);
    const VectorXd off = regression.R() * columns_at(regression, fit.estimate) - regression.c();
    const MatrixXd normal = J.transpose() * J;
    const VectorXd downhill = -(J.transpose() * off);
    const double scale = normal.diagonal().maxCoeff();
    const VectorXd numbers = detail::flat(fit.estimate);
    for (;; damping *= 4) {
      MatrixXd damped = normal;
      damped.diagonal().array() += damping * scale;  // the same for all: steps stay short in unidentified directions
      const VectorXd step = damped.ldlt().solve(downhill);
      RobotEstimate moved = fit.estimate;
      detail::set_flat(numbers + step, moved);
      const double residual = regression.residual(columns_at(regression, moved));
      const bool lower = residual < fit.residual;
      const bool settled =
          fit.residual - residual <= converged * fit.residual || step.norm() <= converged * numbers.norm();
      if (lower) {
        fit.estimate = moved;
        fit.residual = residual;
        damping = std::max(damping / 8, 1e-15);
      }
      if ((lower && settled) || damping > most_damping) {
        fit.stop = Stop::converged;
        return fit;
      }
      if (lower) break;
    }
  }
  return fit;
}

}  // namespace quoin::identification
