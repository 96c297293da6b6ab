// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/gradient_polynomial.hpp"

#include <Eigen/QR>

#include <array>
#include <cmath>
#include <numbers>

namespace benchmarks {

Eigen::VectorXd halton_point(int dim, int m) {
  constexpr std::array<int, 6> primes{2, 3, 5, 7, 11, 13};
  Eigen::VectorXd x = Eigen::VectorXd::Zero(dim);
  for (int i = 0; i < dim; ++i) {
    double digit = 1;
    for (int rest = m + 1; rest > 0; rest /= primes[i]) x[i] += (digit /= primes[i]) * (rest % primes[i]);
  }
  return x;
}

Eigen::Index GradientPolynomial::coefficients(int dim, int degree) {
  Eigen::Index count = 1;
  for (int i = 1; i <= dim; ++i) count = count * (degree + i) / i;
  return count;
}

GradientPolynomial::GradientPolynomial(const SampledFunction& f, const Box& box, int degree)
    : box_(box), degree_(degree), evaluations_((3 * coefficients(f.dim, degree) / 2 + f.dim) / (1 + f.dim)) {
  std::vector<int> index(f.dim, 0);
  const auto append = [&](auto&& self, int axis, int rest) -> void {
    if (axis == f.dim) {
      indices_.push_back(index);
      return;
    }
    for (index[axis] = 0; index[axis] <= rest; ++index[axis]) self(self, axis + 1, rest - index[axis]);
    index[axis] = 0;
  };
  append(append, 0, degree);

  const Eigen::Index n = 1 + f.dim;
  Eigen::MatrixXd A(n * evaluations_, std::ssize(indices_)), data(n * evaluations_, f.outputs), jet(f.outputs, n);
  for (Eigen::Index m = 0; m < evaluations_; ++m) {
    Eigen::VectorXd x = halton_point(f.dim, static_cast<int>(m));
    for (int i = 0; i < f.dim; ++i) {
      const double t = std::cos(std::numbers::pi * x[i]);
      x[i] = 0.5 * ((1 - t) * box.lower[i] + (1 + t) * box.upper[i]);
    }
    f.sample(x, 1, jet);
    A.middleRows(m * n, n) = basis(x);
    data.middleRows(m * n, n) = jet.transpose();
    for (int i = 0; i < f.dim; ++i) {  // gradients per half edge and degree are of the size of the values
      const double scale = 0.5 * (box.upper[i] - box.lower[i]) / (1 + degree);
      A.row(m * n + 1 + i) *= scale;
      data.row(m * n + 1 + i) *= scale;
    }
  }
  coefficients_ = A.householderQr().solve(data).transpose();
}

Eigen::MatrixXd GradientPolynomial::basis(const Eigen::VectorXd& x) const {
  const int dim = static_cast<int>(x.size());
  Eigen::MatrixXd T(degree_ + 1, dim), dT(degree_ + 1, dim);
  for (int i = 0; i < dim; ++i) {
    const double half = 0.5 * (box_.upper[i] - box_.lower[i]);
    const double t = (x[i] - 0.5 * (box_.lower[i] + box_.upper[i])) / half;
    for (int k = 0; k <= degree_; ++k) {
      T(k, i) = k == 0 ? 1 : k == 1 ? t : 2 * t * T(k - 1, i) - T(k - 2, i);
      dT(k, i) = k == 0 ? 0 : k == 1 ? 1 / half : 2 * T(k - 1, i) / half + 2 * t * dT(k - 1, i) - dT(k - 2, i);
    }
  }
  Eigen::MatrixXd basis(1 + dim, std::ssize(indices_));
  Eigen::VectorXd before(dim + 1);
  for (Eigen::Index m = 0; m < basis.cols(); ++m) {
    before[0] = 1;
    for (int i = 0; i < dim; ++i) before[i + 1] = before[i] * T(indices_[m][i], i);
    basis(0, m) = before[dim];
    double after = 1;
    for (int i = dim - 1; i >= 0; --i) {
      basis(1 + i, m) = before[i] * dT(indices_[m][i], i) * after;
      after *= T(indices_[m][i], i);
    }
  }
  return basis;
}

void GradientPolynomial::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  const Eigen::MatrixXd weights = basis(x);
  y.noalias() = coefficients_ * weights.row(0).transpose();
  J.noalias() = coefficients_ * weights.bottomRows(weights.rows() - 1).transpose();
}

}  // namespace benchmarks
