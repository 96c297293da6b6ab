// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/smoothed_motion.hpp"

#include "quoin/robots/identification/sine_excitation.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

TEST_CASE("a log of cubics gives their values and rates, without phase", "[identification]") {
  constexpr double step = 0.01;
  constexpr Index instants = 40;
  MatrixXd q(2, instants), tau(2, instants);
  for (Index k = 0; k < instants; ++k) {
    const double t = step * static_cast<double>(k);
    q.col(k) << 1 - 2 * t + 3 * t * t - 4 * t * t * t, t;
    tau.col(k) << 5 * t * t * t, 2;
  }
  const RobotMotion motion = smoothed_motion(q, tau, step, 6);
  REQUIRE(motion.instants() == instants - 12);
  for (Index k = 0; k < motion.instants(); ++k) {
    const double t = step * static_cast<double>(k + 6);
    CHECK(motion.q(0, k) == Approx(1 - 2 * t + 3 * t * t - 4 * t * t * t).epsilon(1e-12));
    CHECK(motion.qd(0, k) == Approx(-2 + 6 * t - 12 * t * t).epsilon(1e-9));
    CHECK(motion.qdd(0, k) == Approx(6 - 24 * t).epsilon(1e-7).margin(1e-9));
    CHECK(motion.qd(1, k) == Approx(1).epsilon(1e-9));
    CHECK(motion.tau(0, k) == Approx(5 * t * t * t).margin(1e-13));
    CHECK(motion.tau(1, k) == Approx(2).epsilon(1e-12));
  }
}

TEST_CASE("noise in positions has in accelerations the deviation that is promised", "[identification]") {
  constexpr double step = 0.004, deviation = 1e-3;
  constexpr int half_window = 20;
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, deviation);
  const MatrixXd q = MatrixXd::NullaryExpr(1, 20000, [&] { return noise(random); });
  const RobotMotion motion = smoothed_motion(q, q, step, half_window);
  const double m = 2 * half_window + 1, measured = std::sqrt(motion.qdd.squaredNorm() / motion.instants());
  const double promised = deviation * std::sqrt(720 / std::pow(m, 5)) / (step * step);
  CHECK(measured > 0.9 * promised);
  CHECK(measured < 1.1 * promised);
}

TEST_CASE("logs that cannot be smoothed are refused with their numbers", "[identification]") {
  const MatrixXd q = MatrixXd::Zero(2, 10);
  CHECK_THROWS_WITH(smoothed_motion(q, MatrixXd::Zero(2, 9), 0.1, 2), Catch::Contains("tau 2 x 9"));
  CHECK_THROWS_WITH(smoothed_motion(q, q, 0.1, 1), Catch::Contains("half window 1"));
  CHECK_THROWS_WITH(smoothed_motion(q, q, 0.1, 5), Catch::Contains("q is 2 x 10"));
  CHECK_THROWS_AS(smoothed_motion(q, q, 0, 2), std::invalid_argument);
  CHECK_THROWS_AS(smoothed_motion(MatrixXd::Constant(2, 10, std::numeric_limits<double>::quiet_NaN()), q, 0.1, 2),
                  std::invalid_argument);
}

TEST_CASE("the rates of sines are those of their positions", "[identification]") {
  const SineExcitation sines{.amplitudes = Eigen::Vector2d(0.5, 2), .periods = Eigen::Vector2d(3, 7)};
  constexpr double h = 1e-4;
  const JointReference before = sines.at(1.3 - h), now = sines.at(1.3), after = sines.at(1.3 + h);
  CHECK(((after.q - before.q) / (2 * h) - now.qd).norm() < 1e-7);
  CHECK(((after.qd - before.qd) / (2 * h) - now.qdd).norm() < 1e-7);
  CHECK(sines.at(0).q.norm() == 0);
  CHECK((sines.at(21).q).norm() < 1e-12);
  CHECK_THROWS_WITH((SineExcitation{.amplitudes = Eigen::Vector2d(1, 1), .periods = Eigen::Vector2d(1, 0)}.at(0)),
                    Catch::Contains("periods must be positive"));
}

}  // namespace
}  // namespace quoin::identification
