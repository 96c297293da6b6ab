// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/writhe.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

namespace quoin::topology {
namespace {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double two_pi = 2 * std::numbers::pi;

Matrix3Xd circle(const Vector3d& centre, const Vector3d& u, const Vector3d& v, int segments) {
  Matrix3Xd points(3, segments + 1);
  for (int k = 0; k <= segments; ++k) {
    const double angle = two_pi * (k % segments) / segments;
    points.col(k) = centre + std::cos(angle) * u + std::sin(angle) * v;
  }
  return points;
}

/// About the z axis; turns > 0: right-handed on its way up.
Matrix3Xd helix(double turns, double from, double to, int segments) {
  Matrix3Xd points(3, segments + 1);
  for (int k = 0; k <= segments; ++k) {
    const double s = static_cast<double>(k) / segments;
    points.col(k) << 0.1 * std::cos(two_pi * turns * s), 0.1 * std::sin(two_pi * turns * s), from + (to - from) * s;
  }
  return points;
}

Matrix3Xd pole(double length) {
  Matrix3Xd points(3, 2);
  points << 0, 0, 0, 0, -length, length;
  return points;
}

TEST_CASE("linked circles have writhe of one whole turn, with a sign, unlinked ones none", "[topology]") {
  const Matrix3Xd one = circle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 40);
  const Matrix3Xd linked = circle({1, 0, 0}, {1, 0, 0}, {0, 0, 1}, 30);
  const double sum = writhe_matrix(one, linked).sum();
  CHECK(std::abs(sum) == Approx(1).epsilon(1e-12));
  CHECK(writhe_matrix(one, linked.rowwise().reverse()).sum() == Approx(-sum));
  CHECK(std::abs(writhe_matrix(one, circle({3, 0, 0}, {1, 0, 0}, {0, 0, 1}, 30)).sum()) < 1e-12);
  CHECK(std::abs(writhe_matrix(one, circle({0, 0, 0.2}, {1, 0, 0}, {0, 1, 0}, 30)).sum()) < 1e-12);
}

TEST_CASE("a helix of n turns around a long segment has a writhe of n, whose sign is its hand", "[topology]") {
  for (const double turns : {0.5, 1.0, 2.5})
    for (const double hand : {1.0, -1.0}) {
      const double near = writhe_matrix(helix(hand * turns, 0, 1, 60), pole(2)).sum();
      const double far = writhe_matrix(helix(hand * turns, 0, 1, 60), pole(200)).sum();
      CHECK(far == Approx(hand * turns).epsilon(1e-4));
      CHECK(std::abs(near - hand * turns) > std::abs(far - hand * turns));
    }
}

TEST_CASE("winding forth and back sums to nothing with signs, and adds up without", "[topology]") {
  const Matrix3Xd forth = helix(2, 0, 1, 40), back = helix(-2, 1, 2, 40);
  Matrix3Xd both(3, 81);
  both << forth, back.rightCols(40);
  const Matrix3Xd rod = pole(500);
  CHECK(std::abs(writhe_matrix(both, rod).sum()) < 1e-3);
  CHECK(writhe_matrix(both, rod, {.absolute = true}).sum() == Approx(4).epsilon(2e-3));
}

TEST_CASE("every form is a sum of the matrix, and raw ones are 4 pi times normalized ones", "[topology]") {
  const Matrix3Xd arm = helix(1.3, 0, 1, 12), loop = circle({0.1, 0, 0.4}, {0.3, 0, 0}, {0, 0.3, 0.1}, 7);
  for (const bool absolute : {false, true})
    for (const bool normalized : {false, true}) {
      WritheOptions options{.absolute = absolute, .normalized = normalized};
      const MatrixXd W = writhe_matrix(arm, loop, options);
      CHECK((W * (normalized ? 1 : 1 / (2 * two_pi)) - writhe_matrix(arm, loop, {.absolute = absolute})).norm() <
            1e-14);
      VectorXd w;
      writhe(arm, loop, options, w);
      CHECK((w - W.rowwise().sum()).norm() < 1e-13);
      options.form = WritheForm::of_environment_segments;
      writhe(arm, loop, options, w);
      CHECK((w - W.colwise().sum().transpose()).norm() < 1e-13);
      options.form = WritheForm::scalar;
      writhe(arm, loop, options, w);
      CHECK(w.size() == 1);
      CHECK(std::abs(w[0] - W.sum()) < 1e-13);
      options.form = WritheForm::matrix;
      writhe(arm, loop, options, w);
      CHECK((w - W.transpose().reshaped()).norm() == 0);
    }
}

TEST_CASE("the derivative by the robot's points leaves a Taylor remainder of second order, in every form",
          "[topology]") {
  const Matrix3Xd arm = helix(1.3, 0, 1, 9), loop = circle({0.1, 0, 0.4}, {0.3, 0, 0}, {0, 0.3, 0.1}, 7);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Matrix3Xd direction = Matrix3Xd::NullaryExpr(3, arm.cols(), [&] { return 0.1 * normal(random); });
  for (const WritheForm form :
       {WritheForm::matrix, WritheForm::of_robot_segments, WritheForm::of_environment_segments, WritheForm::scalar})
    for (const bool absolute : {false, true}) {
      const WritheOptions options{.form = form, .absolute = absolute};
      VectorXd w, stepped;
      MatrixXd slope;
      writhe(arm, loop, options, w, &slope);
      REQUIRE(slope.rows() == writhe_size(form, arm.cols(), loop.cols()));
      const auto remainder = [&](double h) {
        writhe(arm + h * direction, loop, options, stepped);
        return (stepped - w - h * slope * direction.reshaped()).norm();
      };
      const double order = std::log10(remainder(1e-3) / remainder(1e-4));
      CHECK(order > 1.9);
      CHECK(order < 2.1);
    }
}

TEST_CASE("chains without a segment are refused with their numbers", "[topology]") {
  CHECK_THROWS_WITH(writhe_matrix(Matrix3Xd::Zero(3, 1), pole(1)), Catch::Contains("chains of 1 and 2 points"));
}

}  // namespace
}  // namespace quoin::topology
