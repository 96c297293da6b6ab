// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/linear_system_fit.hpp"
#include "quoin/robots/identification/continuous_system.hpp"

#include "testing/drawn.hpp"
#include "testing/robots/drive_recording.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

using namespace quoin::identification;
using namespace quoin::identification::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using quoin::LinearSystem;
using quoin::test::drive;

TEST_CASE("the fit percentage is 100 for what is exact and 0 for the mean", "[linear_system_fit]") {
  const MatrixXd y = wave_input(1, 50);
  CHECK(fit_percentage(y, y) == 100);
  CHECK(fit_percentage(y, MatrixXd::Constant(1, 50, y.mean())) == Approx(0).margin(1e-12));
  CHECK(fit_percentage(y, 1.1 * y) < 100);
}

TEST_CASE("from exact samples the system is found to rounding, its initial state and direct term as well",
          "[linear_system_fit]") {
  LinearSystem truth = discretized(drive(), sample_time);
  const MatrixXd u = wave_input(1);
  const VectorXd x0{{0.3, -2.0}};
  for (const double direct : {0.0, 0.2}) {
    truth.D(0, 0) = direct;
    const auto fit = fit_linear_system(u, simulate(truth, u, x0), sample_time, {.direct = direct > 0});
    INFO("direct " << direct << ": " << to_string(fit.stop) << ", fit " << fit.fit);
    CHECK(fit.fit > 100 - 1e-5);
    const MatrixXd other = wave_input(2);
    CHECK(fit_percentage(simulate(truth, other), simulate(fit.system, other)) > 100 - 1e-5);
    CHECK(fit.system.D(0, 0) == Approx(direct).margin(1e-8));
    const auto continuous = continuous_of(fit.system);
    REQUIRE(continuous);
    const auto found = poles(*continuous);
    CHECK(std::abs(found[0]) == Approx(6 * std::numbers::pi).epsilon(1e-6));
  }
}

TEST_CASE(
    "at half a percent of noise the output error explains 98.8 to 99.2 % of other trials, the equation error less",
    "[linear_system_fit]") {
  const LinearSystem truth = discretized(drive(), sample_time);
  constexpr double noise = 0.005;  // of V_max, the greatest displacement; the deviation of the wave is half of that
  for (std::uint64_t trial = 1; trial <= 5; ++trial) {
    const MatrixXd u = wave_input(trial);
    const auto fit = fit_linear_system(u, noisy(simulate(truth, u), noise, 50 + trial), sample_time);
    CHECK(fit.converged());
    double worst = 100, worst_arx = 100, best_arx = 0;
    for (std::uint64_t other = 1; other <= 5; ++other) {
      if (other == trial) continue;
      const MatrixXd v = wave_input(other), y = noisy(simulate(truth, v), noise, 70 + other);
      worst = std::min(worst, fit_percentage(y, simulate(fit.system, v)));
      worst_arx = std::min(worst_arx, fit_percentage(y, simulate(fit.arx, v)));
      best_arx = std::max(best_arx, fit_percentage(y, simulate(fit.arx, v)));
      CHECK(fit_percentage(y, simulate(fit.system, v)) < 99.2);  // the noise alone is 0.8 to 1.2 %
    }
    INFO("trial " << trial << ": " << fit.iterations << " iterations, ARX " << worst_arx << " to " << best_arx
                  << ", output error from " << worst);
    CHECK(worst > 98.8);
    CHECK(best_arx < 97);
    const auto continuous = continuous_of(fit.system);
    REQUIRE(continuous);
    const double frequency = std::sqrt(std::abs(poles(*continuous).prod()));
    CHECK(frequency == Approx(6 * std::numbers::pi).epsilon(0.02));
  }
}

namespace {

/// A system of drawn poles: near 1, near each other, slow, fast, outside the unit circle; with its recording.
struct DrawnRecording {
  LinearSystem truth;
  MatrixXd u, exact, noise;
};

DrawnRecording drawn_recording(std::uint64_t seed) {
  std::mt19937 generator(static_cast<std::mt19937::result_type>(seed * 7919 + 3));
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
  const int kind = static_cast<int>(seed % 4);
  double a1, a2;    // z^2 + a1 z + a2
  if (kind == 0) {  // an oscillation
    const double radius = between(0.7, 0.99), angle = between(0.1, 1.5);
    a1 = -2 * radius * std::cos(angle), a2 = radius * radius;
  } else if (kind == 1) {  // nearly defective
    const double pole = between(0.6, 0.95), gap = std::pow(10, between(-8, -2));
    a1 = -(2 * pole + gap), a2 = pole * (pole + gap);
  } else if (kind == 2) {  // grows by 1 to 30 over the recording
    const double pole = 1 + between(0, 0.015), other = between(0.3, 0.9);
    a1 = -(pole + other), a2 = pole * other;
  } else {  // slow and fast
    const double slow = between(0.98, 0.999), fast = between(-0.3, 0.3);
    a1 = -(slow + fast), a2 = slow * fast;
  }
  DrawnRecording drawn;
  drawn.truth = {MatrixXd(2, 2), VectorXd(2), MatrixXd(1, 2), MatrixXd::Zero(1, 1), 0.01};
  drawn.truth.A << -a1, 1, -a2, 0;
  drawn.truth.B << between(-1, 1), between(-1, 1);
  drawn.truth.C << 1, 0;
  const Eigen::Index samples = seed % 5 == 0 ? 12 + static_cast<Eigen::Index>(seed % 8) : 200;
  std::normal_distribution<double> normal;
  drawn.u = MatrixXd::NullaryExpr(1, samples, [&] { return normal(generator); });
  drawn.exact = simulate(drawn.truth, drawn.u);
  drawn.noise = MatrixXd::NullaryExpr(1, samples, [&] { return normal(generator); });
  drawn.noise *= 0.02 * drawn.exact.norm() / std::sqrt(static_cast<double>(samples));
  return drawn;
}

}  // namespace

TEST_CASE("a drawn system's fit that converged explains its recording as the truth does, in any units",
          "[linear_system_fit]") {
  const auto first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(100);
  int converged = 0, worse = 0, apart = 0, inexact = 0;
  for (auto seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const DrawnRecording drawn = drawn_recording(seed);
    CAPTURE(seed);
    const auto exact = fit_linear_system(drawn.u, drawn.exact, 0.01);
    if (exact.converged() && exact.fit < 100 - 1e-3) ++inexact;
    const MatrixXd y = drawn.exact + drawn.noise;
    const auto fit = fit_linear_system(drawn.u, y, 0.01);
    if (!fit.converged()) continue;
    ++converged;
    // The truth is one candidate: a least sum of squares is no greater.
    if (fit.fit < fit_percentage(y, drawn.exact) - 0.01) ++worse;
    for (const double unit : {1e-6, 1e6}) {
      const auto scaled = fit_linear_system(drawn.u / unit, y * unit, 0.01);
      if (!(std::abs(scaled.fit - fit.fit) < 0.01)) ++apart;
    }
  }
  INFO(converged << " of " << draws << " converged, " << worse << " worse than the truth, " << inexact
                 << " not exact without noise, " << apart << " apart in other units");
  CHECK(converged >= 0.9 * draws);
  CHECK(worse <= 0.01 * draws);
  CHECK(inexact <= 0.01 * draws);
  CHECK(apart <= 0.01 * draws);
}

TEST_CASE("recordings that do not fit are refused", "[linear_system_fit]") {
  CHECK_THROWS_AS(fit_percentage(MatrixXd::Zero(1, 5), MatrixXd::Zero(1, 4)), std::invalid_argument);
  const MatrixXd u = wave_input(1, 50);
  CHECK_THROWS_AS(fit_linear_system(u, u.leftCols(49), 0.01), std::invalid_argument);
  CHECK_THROWS_AS(fit_linear_system(u.leftCols(11), u.leftCols(11), 0.01), std::invalid_argument);
  CHECK_THROWS_AS(fit_linear_system(u, MatrixXd::Zero(1, 50), 0.01), std::invalid_argument);
  CHECK_THROWS_AS(fit_linear_system(u, u, 0.01, {.order = 0}), std::invalid_argument);
  CHECK_THROWS_WITH(fit_linear_system(u, u, 0.01, {.max_iterations = -1}),
                    Catch::Contains("fit_linear_system: max_iterations = -1"));
  CHECK_THROWS_AS(fit_linear_system(u, u, HUGE_VAL), std::invalid_argument);
}
