// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/kernel/kernel_interpolant.hpp"
#include "sampled_kernels.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("sigma falls with every sample, from 1 to the floor, and looks at no output") {
  KernelInterpolant<2> kernel(1, 1, lengths<2>(1.2)), other(1, 1, lengths<2>(1.2));
  const auto tests = points_in_box<2>(30, 41);
  std::vector<KernelDeviation> before(tests.size());
  CHECK(kernel.deviation(tests[0]).value == 1);
  for (const Point<2>& x : points_in_box<2>(25, 42)) {
    kernel.add(x, Eigen::MatrixXd::Random(1, 3));
    other.add(x, Eigen::MatrixXd::Zero(1, 3));
    Eigen::MatrixXd X(2, 30);
    for (int m = 0; m < 30; ++m) X.col(m) = tests[m];
    const auto together = kernel.view().samples().deviations(X);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const KernelDeviation d = kernel.deviation(tests[i]);
      CHECK(d.value <= before[i].value + 1e-6);
      CHECK(d.gradient <= before[i].gradient + 1e-6);
      CHECK(d.value >= 1e-6);
      CHECK(d.value == other.deviation(tests[i]).value);
      CHECK(together[i].value == Approx(d.value).margin(3e-7));
      CHECK(together[i].gradient == Approx(d.gradient).margin(3e-7));
      before[i] = d;
    }
    CHECK(kernel.deviation(x).value < 3e-6);
  }
  for (const KernelDeviation& d : before) CHECK(d.value < 0.01);
}

TEST_CASE("calibrated estimates are seldom exceeded, never by much, and are not idle") {
  int asked = 0, points = 0, exceeded = 0, jacobian_exceeded = 0, idle = 0;
  double worst = 0, jacobian_worst = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Waves<3> waves(8, 0.7 + 0.05 * seed);
    const auto kernel = sampled<3, 1>(waves, points_in_box<3>(15 + 2 * seed, seed), lengths<3>(2));
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (const Point<3>& x : points_in_box<3>(200, 100 + seed)) {
      const Answer answer = kernel.evaluate(x, y, J);
      ++asked;
      if (answer.trust == Trust::unchecked) continue;  // in the corners of the box, far from all samples
      REQUIRE(answer.trust == Trust::estimated);
      const double error = (y - waves.value(x)).norm() / std::sqrt(8.0);
      const double jacobian = (J - waves.jacobian(x)).colwise().norm().maxCoeff() / std::sqrt(8.0);
      ++points;
      exceeded += error > answer.error;
      jacobian_exceeded += jacobian > answer.jacobian_error;
      worst = std::max(worst, error / answer.error);
      jacobian_worst = std::max(jacobian_worst, jacobian / answer.jacobian_error);
      idle += error < answer.error / 1000;
    }
  }
  CHECK(points > 0.85 * asked);
  CHECK(exceeded < 0.002 * points);
  CHECK(jacobian_exceeded < 0.002 * points);
  CHECK(worst < 2);
  CHECK(jacobian_worst < 2);
  CHECK(idle < 0.1 * points);
}

TEST_CASE("two samples estimate nothing, few indicate an error, twelve estimate it; values alone no gradient's error") {
  const Waves<1> waves(3);
  KernelInterpolant<1> kernel(3, 1), values(3, 0);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  int count = 0;
  for (const Point<1>& x : points_in_box<1>(14, 51)) {
    kernel.add(x, jet_at<1, 1>(waves, x));
    values.add(x, waves.value(x));
    const Answer answer = kernel.evaluate(Point<1>(0.3), y, J);
    ++count;
    const int apart = kernel.view().calibration(Point<1>(0.3)).samples;  // those next to each other count once
    CHECK(apart > 0.8 * count);
    CHECK(answer.trust == (apart < 3 ? Trust::unchecked : apart < 12 ? Trust::indicated : Trust::estimated));
    CHECK(std::isnan(answer.error) == (answer.trust == Trust::unchecked));
    CHECK(std::isnan(answer.jacobian_error) == std::isnan(answer.error));
    CHECK(std::isnan(kernel.evaluate(Point<1>(0.3), y).jacobian_error));
    if (count >= 3) CHECK((y - waves.value(Point<1>(0.3))).norm() / std::sqrt(3.0) <= answer.error);
  }
  CHECK(values.evaluate(Point<1>(0.3), y, J).trust == Trust::estimated);
  CHECK(std::isnan(values.evaluate(Point<1>(0.3), y, J).jacobian_error));
}

TEST_CASE("estimates at many points are those of their answers") {
  const Waves<2> waves(3);
  KernelOptions<2> options = lengths<2>(1);
  for (const int limit : {200, 15}) {
    options.localize_above = options.neighbours = limit;
    options.neighbours = std::min(limit, 40);
    const auto kernel = sampled<2, 1>(waves, points_in_box<2>(25, 61), options);
    const Eigen::MatrixXd X = Eigen::MatrixXd::Random(2, 70);
    const std::vector<Answer> estimates = kernel.view().estimates(X);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (int m = 0; m < 70; ++m) {
      const Answer answer = kernel.evaluate(X.col(m), y, J), at_once = estimates[static_cast<std::size_t>(m)];
      CHECK(at_once.trust == answer.trust);
      if (answer.trust == Trust::unchecked) continue;
      CHECK(at_once.error == Approx(answer.error).epsilon(1e-3));
      CHECK(at_once.jacobian_error == Approx(answer.jacobian_error).epsilon(1e-3));
    }
  }
}
