// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/chebyshev_interpolant.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

ChebyshevInterpolant::ChebyshevInterpolant(const SampledFunction& f, const Box& box, int points_per_axis)
    : box_(box), n_(points_per_axis), outputs_(f.outputs) {
  if (n_ < 2) throw std::invalid_argument("ChebyshevInterpolant: " + to_text(n_) + " points per axis; at least 2");
  Eigen::Index points = 1;
  for (int i = 0; i < f.dim; ++i) points *= n_;
  coefficients_.resize(outputs_ * points);

  const auto angle = [this](int j) { return std::numbers::pi * j / (n_ - 1); };
  Eigen::VectorXd x(f.dim);
  Eigen::MatrixXd value(outputs_, 1);
  for (Eigen::Index p = 0; p < points; ++p) {
    Eigen::Index rest = p;
    for (int i = 0; i < f.dim; ++i, rest /= n_) {
      const double t = std::cos(angle(static_cast<int>(rest % n_)));
      x[i] = 0.5 * ((1 - t) * box_.lower[i] + (1 + t) * box_.upper[i]);
    }
    f.sample(x, 0, value);
    coefficients_.segment(p * outputs_, outputs_) = value;
  }

  Eigen::MatrixXd transform(n_, n_);  // [point][coefficient]
  for (int j = 0; j < n_; ++j)
    for (int k = 0; k < n_; ++k) {
      const double at_end = (j % (n_ - 1) == 0 ? 0.5 : 1) * (k % (n_ - 1) == 0 ? 0.5 : 1);
      transform(j, k) = at_end * 2 / (n_ - 1) * std::cos(k * angle(j));
    }
  Eigen::Index inner = outputs_;
  for (int i = 0; i < f.dim; ++i, inner *= n_)
    for (Eigen::Index at = 0; at < coefficients_.size(); at += inner * n_) {
      Eigen::Map<Eigen::MatrixXd> line(coefficients_.data() + at, inner, n_);
      line = (line * transform).eval();
    }
}

void ChebyshevInterpolant::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  using Slices = Eigen::Map<const Eigen::MatrixXd>;
  const int dim = static_cast<int>(x.size());
  // The axes are contracted from the last to the first, for the value and for the derivatives
  // along the axes already done.
  const double* data = coefficients_.data();
  Eigen::VectorXd value;
  std::vector<Eigen::VectorXd> derivatives(dim);
  Eigen::Index inner = coefficients_.size();
  for (int i = dim - 1; i >= 0; --i) {
    inner /= n_;
    const double half = 0.5 * (box_.upper[i] - box_.lower[i]);
    const double s = (x[i] - 0.5 * (box_.lower[i] + box_.upper[i])) / half;
    Eigen::MatrixXd basis(n_, 2);  // T_k(s) and its derivative along x
    basis.row(0) << 1, 0;
    basis.row(1) << s, 1 / half;
    for (int k = 2; k < n_; ++k) {
      basis(k, 0) = 2 * s * basis(k - 1, 0) - basis(k - 2, 0);
      basis(k, 1) = 2 * basis(k - 1, 0) / half + 2 * s * basis(k - 1, 1) - basis(k - 2, 1);
    }
    for (int done = i + 1; done < dim; ++done)
      derivatives[done] = (Slices(derivatives[done].data(), inner, n_) * basis.col(0)).eval();
    const Slices slices(data, inner, n_);
    const Eigen::MatrixXd both = slices * basis;
    value = both.col(0);
    derivatives[i] = both.col(1);
    data = value.data();
  }
  y = value;
  J.resize(outputs_, dim);
  for (int i = 0; i < dim; ++i) J.col(i) = derivatives[i];
}

}  // namespace benchmarks
