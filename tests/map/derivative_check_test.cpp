// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/derivative_check.hpp"

#include "quoin/map/exact_function.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace quoin {
namespace {

/// sin(a) b, exp(a - b) and a + b^2 of a and b in units `of_input`, each output in units of its own; the sign of a row
/// may be wrong.
struct Mixed {
  Eigen::Vector3d of_output = {1, 1, 1};
  Eigen::Vector2d of_input = {1, 1};
  int wrong_row = -1;
  double offset = 0;  ///< of the first output
  double noise = 0;   ///< relative, of all outputs

  Eigen::Index output_size() const { return 3; }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const double a = x[0] / of_input[0], b = x[1] / of_input[1];
    y = Eigen::Vector3d(std::sin(a) * b, std::exp(a - b), a + b * b);
    for (double& value : y) value *= 1 + noise * std::sin(1e9 * value);
    J.resize(3, 2);
    J << std::cos(a) * b, std::sin(a), std::exp(a - b), -std::exp(a - b), 1, 2 * b;
    y = of_output.cwiseProduct(y);
    y[0] += offset;
    J = of_output.asDiagonal() * J * of_input.cwiseInverse().asDiagonal();
    if (wrong_row >= 0) J.row(wrong_row) *= -1;
    return {};
  }
};

const Point<2> place(0.3, 0.4);

}  // namespace

TEST_CASE("a wrong sign is found in any row, and right Jacobians are right, whatever the units of outputs and inputs") {
  std::mt19937 random(test::seed_wanted());
  std::uniform_real_distribution<double> exponent(-6, 6), noise(-13, -8), where(0.2, 1);
  const int draws = test::draws_wanted(300);
  int unclear = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Mixed f;
    for (double& unit : f.of_output) unit = std::pow(10, exponent(random));
    for (double& unit : f.of_input) unit = std::pow(10, exponent(random));
    f.noise = draw % 2 ? std::pow(10, noise(random)) : 0;
    const Point<2> x = Point<2>(where(random), where(random)).cwiseProduct(Point<2>(f.of_input));
    CAPTURE(draw, f.of_output.transpose(), f.of_input.transpose());
    const DerivativeCheck right = check_derivatives<2>(f, x);
    CHECK(right.verdict != DerivativeVerdict::wrong);
    if (f.noise == 0) CHECK(right.verdict == DerivativeVerdict::right);
    unclear += right.verdict == DerivativeVerdict::unclear;
    CHECK(right.relative_error < 1e-4);
    for (f.wrong_row = 0; f.wrong_row < 3; ++f.wrong_row) {
      const DerivativeCheck wrong = check_derivatives<2>(f, x);
      CHECK(wrong.verdict == DerivativeVerdict::wrong);
      CHECK(wrong.row == f.wrong_row);
      CHECK_FALSE(wrong.passed);
    }
  }
  CHECK(unclear <= 1 + draws / 500);  // of those with noise
}

TEST_CASE("an entry that the sizes of the inputs hide from other directions is looked at along its own axis") {
  for (const double error : {0., 1e-3, 2.}) {
    const auto f = exact_function<2>(1, [error](const Point<2>& x, auto y, auto J) {
      y[0] = std::sin(x[0]) + 1e-7 * std::sin(x[1]);
      J << std::cos(x[0]), (1 - error) * 1e-7 * std::cos(x[1]);
    });
    CAPTURE(error);
    CHECK(check_derivatives<2>(f, place).verdict == (error > 0 ? DerivativeVerdict::wrong : DerivativeVerdict::right));
  }
}

TEST_CASE("entries that are rounding of zeros hinder nothing") {
  const auto f = exact_function<2>(2, [](const Point<2>& x, auto y, auto J) {
    y << std::sin(x[0]), std::cos(x[1]);
    J << std::cos(x[0]), 6e-17, -1e-16, -std::sin(x[1]);
  });
  CHECK(check_derivatives<2>(f, place).passed);
}

TEST_CASE("a row whose differences do not agree is unclear, with its number and how far they do") {
  // The first output is lost in its offset.
  const DerivativeCheck covered = check_derivatives<2>(Mixed{.offset = 1e13}, place);
  CHECK(covered.verdict == DerivativeVerdict::unclear);
  CHECK(covered.row == 0);
  CHECK_FALSE(covered.passed);
  CHECK_THAT(covered.message, Catch::Contains("row 0 of the Jacobian is right is unclear"));
  CHECK(check_derivatives<2>(Mixed{.wrong_row = 1, .offset = 1e13}, place).row == 1);
  // Inputs at 0 say nothing of their size: the steps are too long, and the next ones are not.
  const Mixed small{.of_input = {1e-7, 1e-7}};
  CHECK(check_derivatives<2>(small, Point<2>(0, 0)).verdict == DerivativeVerdict::unclear);
  CHECK(check_derivatives<2>(small, Point<2>(0, 0), {.largest_step = 1e-8}).verdict == DerivativeVerdict::right);
}

/// A smooth function, strongly curved, of three inputs in units of their own; and a fold of drawn place, direction and
/// size, whose two slopes average to the derivative that it claims plus `side` of half their difference.
struct Folded {
  std::array<Eigen::Vector3d, 3> waves;
  Eigen::Vector3d of_input, centre, normal;
  double of_output = 1, size = 0, side = 0;

  Eigen::Index output_size() const { return 1; }
  Answer evaluate(const Point<3>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<3>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const Eigen::Vector3d z = x.cwiseQuotient(of_input);
    double value = size * std::abs(normal.dot(z - centre));
    Eigen::Vector3d slope = side * size * normal;
    for (const Eigen::Vector3d& k : waves) {
      value += std::sin(k.dot(z)) + std::exp(0.3 * k.dot(z));
      slope += (std::cos(k.dot(z)) + 0.3 * std::exp(0.3 * k.dot(z))) * k;
    }
    y = Eigen::VectorXd::Constant(1, of_output * value);
    J = of_output * slope.cwiseQuotient(of_input).transpose();
    return {};
  }
};

Folded drawn_fold(std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-6, 6), strength(-1, 1), where(0.3, 2);
  Folded f;
  const double curved = std::pow(10, strength(random));  // waves of up to 10 radians in a unit
  for (Eigen::Vector3d& wave : f.waves)
    for (double& k : wave) k = curved * normal(random);
  for (int i = 0; i < 3; ++i) {
    f.of_input[i] = std::pow(10, exponent(random));
    f.centre[i] = where(random) * (normal(random) > 0 ? 1 : -1);
    f.normal[i] = normal(random);
  }
  f.normal.normalize();
  f.of_output = std::pow(10, exponent(random));
  return f;
}

TEST_CASE("where the values have a kink no Jacobian is right, and where they are strongly curved a right one is") {
  std::mt19937 random(test::seed_wanted() + 40);
  std::uniform_real_distribution<double> exponent(-3, 0);
  const int draws = test::draws_wanted(400);
  int smooth_right = 0, called_right = 0, called_wrong = 0, told = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Folded f = drawn_fold(random);
    const Point<3> x = f.centre.cwiseProduct(f.of_input);
    const DerivativeCheck smooth = check_derivatives<3>(f, x);
    smooth_right += smooth.verdict == DerivativeVerdict::right;
    CHECK(smooth.verdict != DerivativeVerdict::wrong);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    f.evaluate(x, y, J);
    f.size = std::pow(10, exponent(random)) * J.cwiseProduct(f.of_input.transpose()).norm() / f.of_output;
    f.side = draw % 3 - 1;
    CAPTURE(draw, f.size, f.side);
    const DerivativeCheck folded = check_derivatives<3>(f, x);
    called_right += folded.verdict == DerivativeVerdict::right;
    called_wrong += folded.verdict == DerivativeVerdict::wrong;
    told += folded.message.find("kink") != std::string::npos;
  }
  INFO(smooth_right << " smooth ones right, of those with a kink " << called_right << " right, " << called_wrong
                    << " wrong, " << told << " told, of " << draws);
  CHECK(smooth_right >= 0.998 * draws);
  CHECK(called_right <= 0.002 * draws);
  CHECK(told >= 0.998 * draws);
}

TEST_CASE("a right Jacobian within a narrow layer is hardly ever called wrong, and a wrong one there never right") {
  std::mt19937 random(test::seed_wanted());
  std::normal_distribution<double> normal;
  const auto layer = [](int kind, double t) -> std::pair<double, double> {
    if (kind == 0) return {std::atan(t), 1 / (1 + t * t)};
    if (kind == 1) return {std::tanh(t), 1 - std::tanh(t) * std::tanh(t)};
    return {std::exp(-t * t / 2), -t * std::exp(-t * t / 2)};
  };
  const int draws = test::draws_wanted(300);
  for (const double width : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4}) {
    int called_wrong = 0, called_right = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const double slope = normal(random), place = normal(random);
      for (const double factor : {1., -1.}) {
        const auto f = exact_function<1>(1, [&](const Point<1>& x, auto y, auto J) {
          const auto [value, rate] = layer(draw % 3, slope * (x[0] - 1) / width + place);
          y[0] = value;
          J(0, 0) = factor * slope / width * rate;
        });
        const DerivativeVerdict verdict = check_derivatives<1>(f, Point<1>(1)).verdict;
        called_wrong += factor > 0 && verdict == DerivativeVerdict::wrong;
        called_right += factor < 0 && verdict == DerivativeVerdict::right;
      }
    }
    CAPTURE(width, called_wrong, called_right);
    CHECK(called_wrong <= (width < 1e-3 ? 0.05 : 0.005) * draws);
    CHECK(called_right == 0);
  }
}

TEST_CASE("steps that can tell nothing are refused with their numbers") {
  CHECK_THROWS_WITH(check_derivatives<2>(Mixed{}, place, {.largest_step = -0.5}), Catch::Contains("-0.5"));
  CHECK_THROWS_WITH(check_derivatives<2>(Mixed{}, place, {.halvings = 1}), Catch::Contains("1 halvings"));
  CHECK_THROWS_WITH(check_derivatives<2>(Mixed{}, place, {.directions = 0}), Catch::Contains("0 directions"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(check_derivatives<2>(Mixed{}, place, {.largest_step = nan}), std::invalid_argument);
}

}  // namespace quoin
