// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/linear_system_fit.hpp"

#include "quoin/robots/identification/continuous_system.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/QR>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Numbers: a_1..a_n, b_1..b_n, then b_0 if direct, then x_0 if it is estimated.
struct Form {
  Index n;
  bool direct, with_state;

  Index size() const { return 2 * n + (direct ? 1 : 0) + (with_state ? n : 0); }
  double b0(const VectorXd& p) const { return direct ? p[2 * n] : 0; }
  VectorXd state(const VectorXd& p) const { return with_state ? VectorXd(p.tail(n)) : VectorXd::Zero(n); }

  LinearSystem system(const VectorXd& p, double time_step) const {
    LinearSystem s{MatrixXd::Zero(n, n), p.segment(n, n) - b0(p) * p.head(n), MatrixXd::Zero(1, n),
                   MatrixXd::Constant(1, 1, b0(p)), time_step};
    s.A.topRightCorner(n, n).diagonal(1).setOnes();
    s.A.col(0) -= p.head(n);
    s.C(0, 0) = 1;
    return s;
  }
};

VectorXd arx(const Form& form, const VectorXd& u, const VectorXd& y) {
  const Index n = form.n, rows = y.size() - n, columns = 2 * n + (form.direct ? 1 : 0);
  MatrixXd regressors(rows, columns);
  for (Index i = 1; i <= n; ++i) {
    regressors.col(i - 1) = -y.segment(n - i, rows);
    regressors.col(n + i - 1) = u.segment(n - i, rows);
  }
  if (form.direct) regressors.col(2 * n) = u.tail(rows);
  VectorXd p = VectorXd::Zero(form.size());
  p.head(columns) = Eigen::ColPivHouseholderQR<MatrixXd>(regressors).solve(y.tail(rows));
  return p;
}

}  // namespace

LinearSystemFit fit_linear_system(const Eigen::Ref<const MatrixXd>& inputs, const Eigen::Ref<const MatrixXd>& outputs,
                                  double time_step, const LinearSystemFitOptions& options) {
  const Form form{options.order, options.direct, options.estimate_initial_state};
  const Index n = form.n, samples = outputs.cols();
  if (n < 1 || inputs.rows() != 1 || outputs.rows() != 1 || inputs.cols() != samples || samples < 4 * n + 4 ||
      !(time_step > 0) || !std::isfinite(time_step)) {
    throw std::invalid_argument("fit_linear_system: order " + to_text(n) + ", inputs 1 x " + to_text(inputs.cols()) +
                                " (rows: " + to_text(inputs.rows()) + "), outputs " + to_text(outputs.rows()) + " x " +
                                to_text(samples) + ", time step " + to_text(time_step));
  }
  if (!inputs.allFinite() || !outputs.allFinite() || outputs.isZero(0))
    throw std::invalid_argument("fit_linear_system: inputs and outputs must be finite, the outputs not all zero");
  OptionsOf{"fit_linear_system"}.not_negative("max_iterations", options.max_iterations);
  // In units of their own: those of input and output do not matter.
  const double of_input = inputs.isZero(0) ? 1 : inputs.norm(), of_output = outputs.norm();
  const MatrixXd scaled_inputs = inputs / of_input;
  const VectorXd u = scaled_inputs.row(0), y = outputs.row(0) / of_output;
  const auto in_given_units = [&](LinearSystem s) {
    s.B *= of_output / of_input;
    s.D *= of_output / of_input;
    return s;
  };

  VectorXd start = arx(form, u, y);
  const double radius = poles(form.system(start, time_step)).cwiseAbs().maxCoeff();
  if (constexpr double greatest = 0.999; radius > greatest) {
    // a_i radius^-i has the same poles nearer to zero.
    for (Index i = 0; i < n; ++i) start[i] *= std::pow(greatest / radius, static_cast<double>(i + 1));
  }
  LinearSystemFit fit;
  fit.arx = in_given_units(form.system(start, time_step));
  fit.arx_fit = fit_percentage(outputs, simulate(fit.arx, inputs));

  constexpr double infinity = std::numeric_limits<double>::infinity();
  VectorXd upper = VectorXd::Constant(form.size(), infinity);
  double binomial = 1;
  for (Index i = 1; i <= n; ++i)
    upper[i - 1] = binomial = binomial * static_cast<double>(n - i + 1) / static_cast<double>(i);
  const optimization::ResidualFunction residual = [&](const VectorXd& p, VectorXd& r) {
    r = simulate(form.system(p, time_step), scaled_inputs, form.state(p)).row(0).transpose() - y;
    return r.allFinite();
  };
  const optimization::ResidualJacobian jacobian = [&](const VectorXd& p, VectorXd& r, MatrixXd& J) {
    const LinearSystem s = form.system(p, time_step);
    VectorXd x = form.state(p);
    MatrixXd S = MatrixXd::Zero(n, form.size()), next;  // dx/dp
    if (form.with_state) S.rightCols(n).setIdentity();
    r.resize(samples);
    J.resize(samples, form.size());
    for (Index k = 0; k < samples; ++k) {
      r[k] = x[0] + form.b0(p) * u[k] - y[k];
      J.row(k) = S.row(0);
      if (form.direct) J(k, 2 * n) += u[k];
      next.noalias() = s.A * S;
      next.diagonal().head(n).array() -= x[0] + form.b0(p) * u[k];
      next.middleCols(n, n).diagonal().array() += u[k];
      if (form.direct) next.col(2 * n) -= u[k] * p.head(n);
      S.swap(next);
      x = s.A * x + s.B * u[k];
    }
    return J.allFinite();
  };
  const auto found = optimization::box_least_squares(residual, jacobian, start, -upper, upper,
                                                     {.max_iterations = options.max_iterations});
  fit.system = in_given_units(form.system(found.x, time_step));
  fit.initial_state = of_output * form.state(found.x);
  fit.fit = fit_percentage(outputs, simulate(fit.system, inputs, fit.initial_state));
  fit.stop = found.stop;
  fit.iterations = found.iterations;
  return fit;
}

double fit_percentage(const Eigen::Ref<const MatrixXd>& measured, const Eigen::Ref<const MatrixXd>& predicted) {
  if (measured.rows() != predicted.rows() || measured.cols() != predicted.cols() || measured.size() == 0) {
    throw std::invalid_argument("fit_percentage: measured " + shape_text(measured) + ", predicted " +
                                shape_text(predicted));
  }
  const double spread = (measured.colwise() - measured.rowwise().mean()).norm();
  if (spread == 0) return -std::numeric_limits<double>::infinity();
  return 100 * (1 - (measured - predicted).norm() / spread);
}

}  // namespace quoin::identification
