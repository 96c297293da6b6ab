// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of box_least_squares promises, asked over drawn fits and reaches whose obvious guesses are saddles.
#include "quoin/robots/optimization/box_least_squares.hpp"
#include "testing/drawn.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

using namespace quoin::optimization;

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Residuals whose symmetries hold a search at saddles, of unknowns in units of their own, with J by the complex step.
struct SymmetricFit {
  enum class Kind { exponentials, stretched_arm, wells } kind;
  VectorXd unit;         ///< of the unknowns
  MatrixXd mixing = {};  ///< of wells
  VectorXd target = {};  ///< data, goal, pull
  double output = 1;     ///< unit of the residuals

  template <class T>
  Eigen::Matrix<T, Eigen::Dynamic, 1> values(const Eigen::Matrix<T, Eigen::Dynamic, 1>& x) const {
    using std::cos;
    using std::exp;
    using std::sin;
    const Eigen::Matrix<T, Eigen::Dynamic, 1> z = x.cwiseQuotient(unit.template cast<T>());
    Eigen::Matrix<T, Eigen::Dynamic, 1> r(target.size());
    switch (kind) {
      case Kind::exponentials:  // sums of a e^(-k t): alike until something tells them apart
        for (Eigen::Index i = 0; i < r.size(); ++i) {
          const double t = 0.2 * static_cast<double>(i);
          r[i] = -target[i];
          for (Eigen::Index j = 0; j < z.size(); j += 2) r[i] += z[j] * exp(-z[j + 1] * t);
        }
        break;
      case Kind::stretched_arm: {  // towards a goal on its own line
        T angle = 0, across = 0, along = 0;
        for (Eigen::Index j = 0; j < z.size(); ++j) {
          angle += z[j];
          along += cos(angle);
          across += sin(angle);
          r[j + 2] = 0.05 * z[j];
        }
        r[0] = along - target[0];
        r[1] = across - target[1];
        break;
      }
      case Kind::wells:
        for (Eigen::Index i = 0; i < r.size(); ++i) {
          T sum = 0;
          for (Eigen::Index j = 0; j < z.size(); ++j) sum += mixing(i, j) * z[j];
          r[i] = 1.0 + target[i] - sum * sum;
        }
    }
    return output * r;
  }
  ResidualFunction function() const {
    return [this](const VectorXd& x, VectorXd& r) {
      r = values<double>(x);
      return true;
    };
  }
  ResidualJacobian jacobian() const {
    return [this](const VectorXd& x, VectorXd& r, MatrixXd& J) {
      r = values<double>(x);
      J.resize(r.size(), x.size());
      Eigen::VectorXcd moved = x.cast<std::complex<double>>();
      for (Eigen::Index j = 0; j < x.size(); ++j) {
        moved[j] += std::complex<double>(0, 1e-30 * unit[j]);
        J.col(j) = values<std::complex<double>>(moved).imag() / (1e-30 * unit[j]);
        moved[j] = x[j];
      }
      return true;
    };
  }
  /// The least eigenvalue of the whole Hessian in units of z, over the greatest.
  double curvature(const VectorXd& x) const {
    const auto gradient = [&](const VectorXd& at) -> VectorXd {
      VectorXd r;
      MatrixXd J;
      jacobian()(at, r, J);
      return (J.transpose() * r).cwiseProduct(unit);
    };
    MatrixXd hessian(x.size(), x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const VectorXd step = 1e-5 * unit[j] * VectorXd::Unit(x.size(), j);
      hessian.col(j) = (gradient(x + step) - gradient(x - step)) / 2e-5;
    }
    const VectorXd values =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (hessian + hessian.transpose())).eigenvalues();
    return values[0] / values.cwiseAbs().maxCoeff();
  }
};

struct Drawn {
  SymmetricFit fit;
  VectorXd start;
};

Drawn drawn_fit(unsigned seed) {
  std::mt19937 generator(seed * 7919 + 11);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
  const auto kind = static_cast<SymmetricFit::Kind>(seed % 3);
  const int size = static_cast<int>(seed / 3) % 6;
  const Eigen::Index n = kind == SymmetricFit::Kind::exponentials ? 4 + 2 * (size % 2) : 3 + size;
  Drawn drawn{.fit = {.kind = kind, .unit = VectorXd(n)}, .start = VectorXd::Zero(n)};
  SymmetricFit& fit = drawn.fit;
  for (double& unit : fit.unit) unit = std::pow(10, between(-6, 6));
  fit.output = std::pow(10, between(-6, 6));
  if (kind == SymmetricFit::Kind::exponentials) {
    const double a = between(0.5, 2), b = between(0.5, 2), k = between(0.2, 0.6), l = between(1, 4);
    fit.target = VectorXd::NullaryExpr(20, [&](Eigen::Index i) {
      const double t = 0.2 * static_cast<double>(i);
      return a * std::exp(-k * t) + b * std::exp(-l * t) + between(-0.01, 0.01);
    });
    const double amount = between(0.5, 1.5), rate = between(0.5, 2);
    for (Eigen::Index j = 0; j < n; ++j) drawn.start[j] = j % 2 ? rate : amount;
  } else if (kind == SymmetricFit::Kind::stretched_arm) {
    fit.target = VectorXd::Zero(n + 2);
    fit.target[0] = between(0.2, 0.9) * static_cast<double>(n);
  } else {
    MatrixXd random(n, n);
    for (double& entry : random.reshaped()) entry = between(-1, 1);
    fit.mixing = Eigen::HouseholderQR<MatrixXd>(random).householderQ();
    fit.target = VectorXd::NullaryExpr(n, [&] { return between(-0.5, 0.5); });
  }
  if (seed % 4 == 3)  // some guesses are no saddles
    for (double& value : drawn.start) value += between(-0.5, 0.5);
  drawn.start = drawn.start.cwiseProduct(fit.unit).eval();
  return drawn;
}

}  // namespace

TEST_CASE("of drawn fits and reaches none that box least squares calls converged is a saddle, in any units") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(300);
  int converged = 0, saddles = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const auto [fit, start] = drawn_fit(seed);
    const VectorXd far = VectorXd::Constant(start.size(), std::numeric_limits<double>::infinity());
    const auto found = box_least_squares(fit.function(), fit.jacobian(), start, -far, far,
                                         {.max_iterations = 1000, .relative_tolerance = 1e-8});
    CAPTURE(seed, to_string(found.stop), found.cost, found.iterations);
    if (!found.converged()) continue;
    ++converged;
    const double curvature = fit.curvature(found.x);
    CAPTURE(curvature);
    if (curvature < -1e-5) ++saddles;
  }
  INFO(converged << " of " << draws << " converged, " << saddles << " of them at saddles");
  CHECK(saddles == 0);
  CHECK(converged > 0.75 * draws);  // sums of exponentials creep
}

TEST_CASE("a saddle at zero is left within bounds of any width, and in any unit") {
  for (const double unit : {1e-12, 1e-6, 1., 1e6}) {
    for (const double width : {3., 1e3, 1e6, 1e9, 1e20, std::numeric_limits<double>::infinity()}) {
      const auto residual = [unit](const VectorXd& x, VectorXd& r) {
        const double z = x[0] / unit;
        r = Eigen::Vector2d(1 - z * z + x[1], 0.3 * x[1] - 0.1);
        return true;
      };
      const auto jacobian = [unit, residual](const VectorXd& x, VectorXd& r, MatrixXd& J) {
        J = (Eigen::Matrix2d() << -2 * x[0] / (unit * unit), 1, 0, 0.3).finished();
        return residual(x, r);
      };
      const VectorXd bound = Eigen::Vector2d(width * unit, 10);
      const LeastSquaresResult fit = box_least_squares(residual, jacobian, Eigen::Vector2d(0, 1), -bound, bound);
      CAPTURE(unit, width, to_string(fit.stop), fit.iterations, fit.cost, fit.x.transpose());
      CHECK((!fit.converged() || fit.cost < 1e-6));  // 0.073 at the saddle
      CHECK(fit.cost < 0.07);
    }
  }
}
