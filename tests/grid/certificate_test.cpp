// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Sums of waves A sin(k . x + phase), whose fourth derivatives are bounded by the sum of |A k^a|, in any norm.
template <int Dim>
struct RandomWaves {
  static constexpr int outputs = 2, waves = 3;
  Eigen::Matrix<double, outputs * waves, Dim> k;
  Eigen::Matrix<double, outputs * waves, 1> amplitude, phase;

  explicit RandomWaves(unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (double& value : k.reshaped()) value = 1.5 * normal(random);
    for (double& value : amplitude) value = normal(random);
    for (double& value : phase) value = 3 * normal(random);
  }
  auto function() const {
    return exact_function<Dim>(
        outputs, [w = *this](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
          y.setZero();
          J.setZero();
          for (int i = 0; i < outputs * waves; ++i) {
            const double angle = w.k.row(i).dot(x) + w.phase[i];
            y[i % outputs] += w.amplitude[i] * std::sin(angle);
            J.row(i % outputs) += w.amplitude[i] * std::cos(angle) * w.k.row(i);
          }
        });
  }
  /// Root mean square over the outputs.
  FourthDerivativeBounds<Dim> bounds() const {
    FourthDerivativeBounds<Dim> bounds;
    for (int a = 0; a < Dim; ++a)
      for (int b = a; b < Dim; ++b)
        for (int c = b; c < Dim; ++c)
          for (int d = c; d < Dim; ++d) {
            Eigen::Matrix<double, outputs, 1> sum = Eigen::Matrix<double, outputs, 1>::Zero();
            for (int i = 0; i < outputs * waves; ++i)
              sum[i % outputs] += std::abs(amplitude[i] * k(i, a) * k(i, b) * k(i, c) * k(i, d));
            bounds.at({d, b, a, c}) = sum.norm() / std::sqrt(static_cast<double>(outputs));
          }
    return bounds;
  }
};

template <int Dim>
double largest_column(const Eigen::MatrixXd& J) {
  return J.colwise().norm().maxCoeff() / std::sqrt(static_cast<double>(J.rows()));
}

/// A polynomial of total degree four from its fourth derivatives, and its error on one cell.
template <int Dim>
struct Quartic {
  std::vector<std::pair<std::array<int, Dim>, double>> terms;  // exponents, coefficient

  auto function() const {
    return exact_function<Dim>(
        1, [terms = terms](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
          y.setZero();
          J.setZero();
          for (const auto& [exponents, coefficient] : terms) {
            double product = coefficient;
            for (int i = 0; i < Dim; ++i) product *= std::pow(x[i], exponents[i]);
            y[0] += product;
            for (int j = 0; j < Dim; ++j) {
              double slope = coefficient * exponents[j];
              for (int i = 0; i < Dim; ++i) slope *= std::pow(x[i], exponents[i] - (i == j && exponents[i] > 0));
              J(0, j) += slope;
            }
          }
        });
  }
};

/// sum x_i^4/4! + sum x_i^2 x_k^2/4: all its fourth derivatives that count are 1.
template <int Dim>
Quartic<Dim> worst_quartic() {
  Quartic<Dim> quartic;
  for (int i = 0; i < Dim; ++i)
    for (int k = i; k < Dim; ++k) {
      std::array<int, Dim> exponents{};
      exponents[i] += 2;
      exponents[k] += 2;
      quartic.terms.push_back({exponents, i == k ? 1.0 / 24 : 1.0 / 4});
    }
  return quartic;
}

template <int Dim>
FourthDerivativeBounds<Dim> even_bounds() {
  FourthDerivativeBounds<Dim> bounds = FourthDerivativeBounds<Dim>::common(0);
  for (int i = 0; i < Dim; ++i)
    for (int k = i; k < Dim; ++k) bounds.at({i, k, i, k}) = 1;
  return bounds;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("certificates are never broken, on random waves, values and Jacobians", "", ((int Dim), Dim), 1,
                       2, 3, 4, 5, 6) {
  double closest_value = 0, closest_jacobian = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const RandomWaves<Dim> waves(100 * Dim + seed);
    const auto f = waves.function();
    GridOptions<Dim> options;
    for (int i = 0; i < Dim; ++i) options.spacing[i] = 0.3 + 0.2 * ((seed + i) % 4);
    options.fourth_derivatives = [bounds = waves.bounds()](const Point<Dim>&, const Point<Dim>&) { return bounds; };
    const AdaptiveGrid<Dim> grid(f, options);
    Eigen::VectorXd y, exact;
    Eigen::MatrixXd J, J_exact;
    const auto points = random_points<Dim>(Dim <= 4 ? 200 : 60, Point<Dim>::Zero(), options.spacing * 1.5, seed);
    for (const Point<Dim>& x : points) {
      const Answer answer = grid.evaluate(x, y, J);
      f.evaluate(x, exact, J_exact);
      REQUIRE(answer.trust == Trust::certified);
      const double error = (y - exact).norm() / std::sqrt(2.0), slope = largest_column<Dim>(J - J_exact);
      REQUIRE(error <= answer.error + 1e-14);
      REQUIRE(slope <= answer.jacobian_error + 1e-13);
      closest_value = std::max(closest_value, error / answer.error);
      closest_jacobian = std::max(closest_jacobian, slope / answer.jacobian_error);
    }
  }
  CHECK(closest_value > 0.05);  // the bounds are not merely loose
  CHECK(closest_jacobian > 0.02);
}

TEMPLATE_TEST_CASE_SIG("certificates of the value are attained by the worst quartics everywhere in the cell", "",
                       ((int Dim), Dim), 1, 2, 3, 4) {
  const auto f = worst_quartic<Dim>().function();
  GridOptions<Dim> options;
  for (int i = 0; i < Dim; ++i) options.spacing[i] = 0.7 + 0.1 * i;
  options.fourth_derivatives = [](const Point<Dim>&, const Point<Dim>&) { return even_bounds<Dim>(); };
  const AdaptiveGrid<Dim> grid(f, options);
  Eigen::VectorXd y, exact;
  Eigen::MatrixXd J;
  for (const Point<Dim>& x : random_points<Dim>(100, Point<Dim>::Zero(), options.spacing, 2)) {
    const Answer answer = grid.evaluate(x, y, J);
    f.evaluate(x, exact);
    const double error = std::abs(y[0] - exact[0]);
    CHECK(error <= answer.error * (1 + 1e-9) + 1e-15);
    CHECK(error >= 0.95 * answer.error - 1e-15);
  }
  // At the centre of a cube the common bound is d (3d - 2)/384 h^4.
  const auto bounds = FourthDerivativeBounds<Dim>::common(1);
  const double h = 0.5;
  CHECK(certified_error<Dim>(bounds, Point<Dim>::Constant(h), Point<Dim>::Constant(0.5)).value ==
        Approx(Dim * (3 * Dim - 2) / 384.0 * std::pow(h, 4)));
}

TEMPLATE_TEST_CASE_SIG("certificates of the Jacobian are attained by the worst quartics", "", ((int Dim), Dim), 1, 2, 3,
                       4) {
  // Along axis 0 the slope of sum x_0^2 x_k^2/4 errs most on its face, in the middle of the other axes; in one
  // dimension that of x^4 at (3 - sqrt 3)/6.
  const auto f = worst_quartic<Dim>().function();
  GridOptions<Dim> options;
  options.fourth_derivatives = [](const Point<Dim>&, const Point<Dim>&) { return even_bounds<Dim>(); };
  const AdaptiveGrid<Dim> grid(f, options);
  Point<Dim> x = Point<Dim>::Constant(0.5);
  x[0] = Dim == 1 ? (3 - std::sqrt(3.0)) / 6 : 1e-9;
  Eigen::VectorXd y, exact;
  Eigen::MatrixXd J, J_exact;
  const Answer answer = grid.evaluate(x, y, J);
  f.evaluate(x, exact, J_exact);
  const double error = (J - J_exact).cwiseAbs().maxCoeff();
  CHECK(error <= answer.jacobian_error * (1 + 1e-8));
  CHECK(error >= 0.95 * answer.jacobian_error);
}

TEST_CASE("the kernels of one axis are sharp for functions whose derivatives change their sign") {
  // g''' = +-1, with a change of sign at s = 1/2: |(1 - Q) g| at t = 1/2 is the bound h^3/96 of the third
  // derivative. In two dimensions f = y g(x) has f_xxxy = g''' and no other fourth derivative, so that its slope
  // along y errs by as much.
  const auto f =
      exact_function<2>(1, [](const Point<2>& p, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        const double s = p[0] - 0.5, g = s * s * std::abs(s) / 6, slope = s * std::abs(s) / 2;
        y[0] = p[1] * g;
        J << p[1] * slope, g;
      });
  GridOptions<2> options;
  options.fourth_derivatives = [](const Point<2>&, const Point<2>&) {
    auto bounds = FourthDerivativeBounds<2>::common(0);
    bounds.at({0, 0, 0, 1}) = 1;
    return bounds;
  };
  const AdaptiveGrid<2> grid(f, options);
  Eigen::VectorXd y, exact;
  Eigen::MatrixXd J, J_exact;
  const Point<2> x(0.5, 0.3);
  const Answer answer = grid.evaluate(x, y, J);
  f.evaluate(x, exact, J_exact);
  CHECK(answer.jacobian_error == Approx(1.0 / 96));
  CHECK(std::abs(J(0, 1) - J_exact(0, 1)) == Approx(1.0 / 96));
}

TEST_CASE("the slope's kernel is the integral of its absolute value") {
  // d/dt of the error of cubic Hermite interpolation is the integral of f'''' against dG/dt(t, s), whose absolute value
  // is integrated numerically.
  const auto kernel = [](double t, double s) {
    const double r = 1 - s;
    const double plus = t > s ? 3 * (t - s) * (t - s) : 0;
    return (plus - 6 * t * (1 - t) * r * r * r - 3 * r * r * (3 * t * t - 2 * t)) / 6;
  };
  auto bounds = FourthDerivativeBounds<1>::common(1);
  for (const double t : {0.02, 0.1, 0.2113, 0.3, 0.35, 0.42, 0.5, 0.61, 0.7, 0.95}) {
    double integral = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) integral += std::abs(kernel(t, (i + 0.5) / n)) / n;
    CHECK(certified_error<1>(bounds, Point<1>(1), Point<1>(t)).jacobian == Approx(integral).epsilon(1e-6));
  }
}

TEST_CASE("with a certificate tolerance mode measures nothing, and takes the first level that is certified") {
  const Calls calls = new_calls();
  const auto f =
      exact_function<1>(1, [calls](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        ++*calls;
        y[0] = std::exp(x[0]);
        J(0, 0) = y[0];
      });
  GridOptions<1> options;
  options.tolerance = 1e-4;
  options.fourth_derivatives = [](const Point<1>&, const Point<1>& upper) {
    return FourthDerivativeBounds<1>::common(std::exp(upper[0]));
  };
  const AdaptiveGrid<1> grid(f, options);
  Eigen::VectorXd y;
  for (const double x : {-4.3, 0.4, 2.7}) {
    const int before = *calls;
    const Answer answer = grid.evaluate(Point<1>(x), y);
    CHECK(*calls == before + 2);
    CHECK(answer.trust == Trust::certified);
    CHECK(answer.error <= 1e-4);
    CHECK(std::abs(y[0] - std::exp(x)) <= answer.error);
    CHECK(grid.error_estimate(Point<1>(x)).error == answer.error);
  }
  CHECK(grid.evaluate(Point<1>(-4.3), y).level < grid.evaluate(Point<1>(2.7), y).level);
}

TEST_CASE("where bounds are missing a tolerance is measured") {
  GridOptions<1> options;
  options.tolerance = 1e-4;
  options.fourth_derivatives = [](const Point<1>&, const Point<1>&) { return FourthDerivativeBounds<1>(); };
  const AdaptiveGrid<1> grid(Waves<1>(1).jet<1>(), options);
  Eigen::VectorXd y;
  const Answer answer = grid.evaluate(Point<1>(0.3), y);
  CHECK(answer.trust == Trust::estimated);
  CHECK(answer.level < 8);
}

TEST_CASE("what is no bound does not certify") {
  for (const double bound : {std::nan(""), -5.0, std::numeric_limits<double>::infinity()}) {
    auto bounds = FourthDerivativeBounds<2>::common(1);
    bounds.at({0, 0, 0, 1}) = bound;
    CHECK(std::isinf(certified_error<2>(bounds, Point<2>(1, 1), Point<2>(0.5, 0.3)).jacobian));
    bounds.at({0, 0, 1, 1}) = bound;
    CHECK(std::isinf(certified_error<2>(bounds, Point<2>(1, 1), Point<2>(0.5, 0.3)).value));
    CHECK(std::isinf(certified_error<2>(bounds, Point<2>(1e-90, 1e-90), Point<2>(0.5, 0.3)).value));
  }
  GridOptions<1> options;
  options.fourth_derivatives = [](const Point<1>&, const Point<1>&) { return FourthDerivativeBounds<1>::common(1); };
  const auto f = exact_function<1>(
      1, [](const Point<1>&, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) { y[0] = J(0, 0) = 0; },
      {.repeatable_to = 1e-9});
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, options), Catch::Contains("repeats only to 1e-09"));
}

TEST_CASE("nothing is certified where a bound is missing, and only for values and Jacobians") {
  GridOptions<2> options;
  options.fourth_derivatives = [](const Point<2>&, const Point<2>&) {
    FourthDerivativeBounds<2> bounds;
    bounds.at({0, 0, 0, 0}) = 1;
    return bounds;
  };
  const AdaptiveGrid<2> grid(Waves<2>(1).jet<1>(), options);
  Eigen::VectorXd y;
  CHECK(grid.evaluate(Point<2>(0.3, 0.3), y).trust == Trust::unchecked);
  CHECK_THROWS_WITH(AdaptiveGrid<2>(Waves<2>(1).jet<2>(), options), Catch::Contains("jets of order 2"));
  CHECK_THROWS_WITH(FourthDerivativeBounds<2>().at({0, 1, 2, 0}), Catch::Contains("axis 2 is not in 0..1"));
}

TEST_CASE("far from zero certificates and estimates hold beside corners as elsewhere") {
  for (const double origin : {0.0, 1e6, 1.7e9}) {  // the last: seconds since 1970
    INFO("origin " << origin);
    const auto f =
        exact_function<1>(1, [=](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
          y[0] = std::sin(x[0] - origin);
          J(0, 0) = std::cos(x[0] - origin);
        });
    GridOptions<1> options;
    options.origin = Point<1>(origin);
    options.spacing = Point<1>(0.125);
    options.tolerance = 1e-9;
    const AdaptiveGrid<1> estimated(f, options);
    options.fourth_derivatives = [](const Point<1>&, const Point<1>&) {
      return FourthDerivativeBounds<1>::common(1.0);
    };
    const AdaptiveGrid<1> certified(f, options);
    int over = 0;
    Eigen::VectorXd y;
    for (int corner = 0; corner < 64; ++corner) {
      double x = origin + corner / 64.0;
      for (int ulp = 0; ulp < 24; ++ulp, x = std::nextafter(x, 1e300))
        for (const AdaptiveGrid<1>* grid : {&certified, &estimated}) {
          const Answer answer = grid->evaluate(Point<1>(x), y);
          over += std::abs(y[0] - std::sin(x - origin)) > answer.error + 1e-14;
        }
    }
    CHECK(over == 0);
  }
}
