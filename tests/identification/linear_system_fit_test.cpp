// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/identification/linear_system_fit.hpp"

#include "drive_recording.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

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
