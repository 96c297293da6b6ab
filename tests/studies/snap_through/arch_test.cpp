// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/arch.hpp"

#include "quoin/map/derivative_check.hpp"
#include "testing/drawn.hpp"

#include <Eigen/Eigenvalues>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

using namespace studies;
using namespace studies::branches;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The first load at which the upper branch ends as the load rises from 0 to `largest`.
double limit_load(const Arch& arch, double largest, double tolerance) {
  const auto up = arch.settle(arch.rest(), {0, 0});
  REQUIRE(up);
  REQUIRE(up->branch == 1);
  return largest * fold(arch, {0, 0}, *up, {largest, 0}, 0.01, tolerance);
}

/// A shallow arch of half-sine shape under a half-sine load, x_0 in units of pi^4 E I 2 r / span^4, r^2 = I / A.
/// lambda: rise / (2 r).
Arch shallow_arch(double lambda, int segments) {
  ArchOptions options{.span = 1, .rise = 0.005, .segments = segments};
  const double r = options.rise / (2 * lambda);
  options.axial_stiffness = options.bending_stiffness / (r * r);
  const double unit = std::pow(std::numbers::pi, 4) * options.bending_stiffness * 2 * r / std::pow(options.span, 4);
  options.loads.setZero(2 * (segments + 1), 2);
  for (int i = 1; i < segments; ++i)
    options.loads(2 * i + 1, 0) = -unit * std::sin(std::numbers::pi * i / segments) * options.span / segments;
  return Arch(options);
}

}  // namespace

TEST_CASE("a truss of two bars snaps through at von Mises' limit load") {
  // P = 2 E A (1 - cos^(2/3) theta)^(3/2), theta the bars' angle at rest (von Mises 1923).
  for (const double rise : {0.1, 0.25}) {
    ArchOptions options{.span = 1, .rise = rise, .segments = 2, .axial_stiffness = 1e4, .bending_stiffness = 0};
    options.loads = MatrixXd::Zero(6, 2);
    options.loads(3, 0) = -1;
    const Arch truss(options);
    const double cosine = 0.5 / std::hypot(0.5, rise);
    const double expected = 2e4 * std::pow(1 - std::pow(cosine, 2.0 / 3), 1.5);
    CHECK(limit_load(truss, 2 * expected, 1e-8) == Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE(
    "a low arch snaps through symmetrically at the limit load of shallow arches, a higher one sideways before it") {
  // Fung and Kaplan 1952, half-sine arch and load: q = lambda + sqrt(4 (lambda^2 - 1)^3 / 27) up to lambda^2 = 5.5;
  // beyond, the second mode takes it at q = lambda + 3 sqrt(lambda^2 - 4).
  const double low = 2, high = 3;
  CHECK(limit_load(shallow_arch(low, 40), 6, 1e-4) ==
        Approx(low + std::sqrt(4 * std::pow(low * low - 1, 3) / 27)).epsilon(0.005));
  CHECK(limit_load(shallow_arch(high, 40), 15, 1e-4) == Approx(high + 3 * std::sqrt(high * high - 4)).epsilon(0.005));
}

TEST_CASE("the limit load converges to the shallow arch's with the second order of the segments' length") {
  const double lambda = 2, exact = lambda + std::sqrt(4 * std::pow(lambda * lambda - 1, 3) / 27);
  double before = 0;
  for (const int segments : {8, 16, 32}) {
    const double error = std::abs(limit_load(shallow_arch(lambda, segments), 6, 1e-7) - exact);
    if (before > 0) {
      const double order = std::log2(before / error);
      CHECK(order > 1.7);
      CHECK(order < 2.3);
    }
    before = error;
  }
}

TEST_CASE("the arch's gradient and Hessian are those of its energy") {
  const Arch arch;
  VectorXd y = arch.rest();
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] += 0.004 * std::sin(3.7 * static_cast<double>(i) + 0.3);
  const Point<2> x(5, -2);
  VectorXd gradient, ahead, behind, unused;
  MatrixXd hessian, other;
  arch.derivatives(y, x, gradient, hessian);
  CHECK((hessian - hessian.transpose()).norm() < 1e-12 * hessian.norm());
  VectorXd w(y.size());
  for (Eigen::Index i = 0; i < y.size(); ++i) w[i] = std::cos(1.3 * static_cast<double>(i));
  const double h = 1e-6;
  const double difference = (arch.energy(y + h * w, x) - arch.energy(y - h * w, x)) / (2 * h);
  CHECK(difference == Approx(gradient.dot(w)).epsilon(1e-6));
  arch.derivatives(y + h * w, x, ahead, other);
  arch.derivatives(y - h * w, x, behind, other);
  CHECK(((ahead - behind) / (2 * h) - hessian * w).norm() < 1e-6 * (hessian * w).norm());
}

TEST_CASE("the arch's equilibria on either branch have the Jacobian that their Taylor remainder asks for") {
  const Arch arch;
  const auto f = labelled(arch);
  for (const double load : {-2.0, 9.0}) {  // on either side of the jump
    const DerivativeCheck check = check_derivatives<2>(f, Point<2>(load, 1), {.largest_step = 1});
    INFO(check.message);
    CHECK(check.passed);
    CHECK(check.slope < 2.5);
  }
}

TEST_CASE("an arch between its folds rests in two ways, and answers do not depend on where they were started from") {
  const Arch arch;
  const Point<2> x(3, 0.5);
  const std::vector<Equilibrium> both = equilibria(arch, x);
  REQUIRE(both.size() == 2);
  CHECK(both[0].branch == 1);
  CHECK(both[1].branch == -1);
  CHECK((both[0].y - both[1].y).norm() > 0.5);
  for (const Equilibrium& equilibrium : both) {
    VectorXd gradient;
    MatrixXd hessian;
    arch.derivatives(equilibrium.y, x, gradient, hessian);
    CHECK(gradient.segment(2, gradient.size() - 4).lpNorm<Eigen::Infinity>() < 1e-8);
    const auto again = follow(arch, {2, -1}, arch.settle(equilibrium.y, {2, -1})->y, x, 0.1);
    REQUIRE(again);
    CHECK(again->branch == equilibrium.branch);
    CHECK((again->y - equilibrium.y).lpNorm<Eigen::Infinity>() < 1e-10);
  }
}

TEST_CASE("of drawn arches no state that is called an equilibrium is unstable, at folds and bifurcations neither") {
  std::mt19937 generator(quoin::test::seed_wanted());
  const int draws = quoin::test::draws_wanted(40);
  int settled = 0, corrected = 0, refused = 0;
  double least = std::numeric_limits<double>::infinity();
  // The smallest eigenvalue over the largest, of the coordinates off the hinges.
  const auto stability = [](const Arch& arch, const VectorXd& y, const Point<2>& x) {
    VectorXd gradient;
    MatrixXd hessian;
    arch.derivatives(y, x, gradient, hessian);
    const Eigen::Index free = y.size() - 4;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> modes(hessian.block(2, 2, free, free), Eigen::EigenvaluesOnly);
    return modes.eigenvalues()[0] / modes.eigenvalues()[free - 1];
  };
  for (int draw = 0; draw < draws; ++draw) {
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
    const Arch arch = shallow_arch(between(1.2, 4), 4 * (2 + draw % 4));  // from 2.35 on it bifurcates before its fold
    const double sideways = draw % 2 ? 0 : between(-1e-3, 1e-3);
    const auto up = arch.settle(arch.rest(), {0, 0});
    REQUIRE(up);
    const double last = 16 * fold(arch, {0, sideways}, *up, {16, sideways}, 0.02, 1e-6);
    const ErrorNorm norm(arch.output_size());
    for (int k = 0; k < 12; ++k) {
      const double load = k < 6 ? last * between(0.5, 1.5) : last + std::pow(10, between(-8, -2)) * (k % 2 ? 1 : -1);
      const double near = last - std::pow(10, between(-8, -1));
      const Point<2> x(load, sideways);
      const auto before = follow(arch, {0, sideways}, up->y, {near, sideways}, 0.2);
      CAPTURE(draw, k, load, last, near);
      if (!before) continue;
      if (const auto found = arch.settle(k % 3 ? before->y : arch.starts()[k % 2], x)) {
        ++settled;
        const double stable = stability(arch, found->y, x);
        least = std::min(least, stable);
        CHECK(stable > 0);
      }
      VectorXd dy;
      if (!arch.correction(x, before->y, norm, dy)) {
        ++refused;
        continue;
      }
      ++corrected;
      CHECK(stability(arch, before->y + dy, x) > 0);
    }
  }
  INFO(settled << " settled, the least stable at " << least << "; " << corrected << " corrected, " << refused
               << " refused");
  CHECK(settled > 10 * draws);
  CHECK(corrected > 2 * draws);
}

TEST_CASE("an arch of an odd number of segments or with loads of another size is refused with its numbers") {
  const auto message = [](ArchOptions options) -> std::string {
    try {
      Arch arch(options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  CHECK_THAT(message({.segments = 5}), Catch::Contains("Arch: 5 segments"));
  CHECK_THAT(message({.segments = 4, .loads = MatrixXd::Zero(4, 2)}), Catch::Contains("4 x 2, not 10 x 2"));
}
