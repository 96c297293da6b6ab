// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/segment_writhe.hpp"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

namespace quoin::topology {
namespace {

using Eigen::Vector3d;
using Points = Eigen::Matrix<double, 3, 4>;  // a, b, c, d

constexpr double pi = std::numbers::pi;

double writhe_of(const Points& p) { return segment_writhe(p.col(0), p.col(1), p.col(2), p.col(3)); }
Points slope_of(const Points& p) {
  Points slope;
  segment_writhe(p.col(0), p.col(1), p.col(2), p.col(3), slope);
  return slope;
}

Points random_points(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Points::NullaryExpr([&] { return normal(random); });
}

/// Klenin and Langowski 2000, Eqs. 13 to 16, defined where no three of the points are collinear: the
/// angle with its sign.
double by_arcsines(const Points& p) {
  const Vector3d r12 = p.col(1) - p.col(0), r34 = p.col(3) - p.col(2), r13 = p.col(2) - p.col(0),
                 r14 = p.col(3) - p.col(0), r23 = p.col(2) - p.col(1), r24 = p.col(3) - p.col(1);
  const Vector3d n1 = r13.cross(r14).normalized(), n2 = r14.cross(r24).normalized(), n3 = r24.cross(r23).normalized(),
                 n4 = r23.cross(r13).normalized();
  const double angle = std::asin(n1.dot(n2)) + std::asin(n2.dot(n3)) + std::asin(n3.dot(n4)) + std::asin(n4.dot(n1));
  return r34.cross(r12).dot(r13) > 0 ? angle : -angle;
}

/// The slopes of the Taylor remainder of second order between steps of 1e-2 and 1e-3 in a random direction.
double remainder_order(const Points& p, std::mt19937& random) {
  const Points direction = random_points(random), slope = slope_of(p);
  const auto remainder = [&](double h) {
    return std::abs(writhe_of(p + h * direction) - writhe_of(p) - h * slope.cwiseProduct(direction).sum());
  };
  const double coarse = remainder(1e-3), fine = remainder(1e-4);
  return coarse < 1e-12 ? 2 : std::log10(coarse / fine);
}

TEST_CASE("writhe of two segments is Klenin's and Langowski's, where that is defined", "[topology]") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Points p = random_points(random);
    CHECK(writhe_of(p) == Approx(by_arcsines(p)).margin(1e-7));  // arcsines lose half of the digits near their ends
  }
}

TEST_CASE("writhe's derivative leaves a Taylor remainder of second order", "[topology]") {
  std::mt19937 random(2);
  int good = 0;
  for (int i = 0; i < 300; ++i) {
    const double order = remainder_order(random_points(random), random);
    if (order > 1.7 && order < 2.4) ++good;
  }
  CHECK(good >= 285);  // the others are too close to contact or to zero curvature for these steps
}

TEST_CASE("coplanar segments have no writhe, and the right derivative out of their plane", "[topology]") {
  std::mt19937 random(3);
  int tried = 0;
  for (int i = 0; i < 400; ++i) {
    Points p = random_points(random);
    p.row(2).setZero();
    const Eigen::Matrix3d turn = Eigen::Quaterniond::UnitRandom().toRotationMatrix();
    const auto side = [&](int from, int to, int point) {
      return (p(0, to) - p(0, from)) * (p(1, point) - p(1, from)) -
             (p(1, to) - p(1, from)) * (p(0, point) - p(0, from));
    };
    if (side(0, 1, 2) * side(0, 1, 3) < 0 && side(2, 3, 0) * side(2, 3, 1) < 0) continue;  // they cross: they touch
    ++tried;
    const Points turned = turn * p;
    CHECK(std::abs(writhe_of(turned)) < 1e-9);
    Points lifted = p;
    constexpr double h = 1e-7;
    lifted.row(2) << h, -2 * h, 3 * h, h;
    const double expected = slope_of(p).row(2).dot(Eigen::RowVector4d(1, -2, 3, 1));
    REQUIRE(std::isfinite(expected));
    CHECK(writhe_of(lifted) / h == Approx(expected).epsilon(1e-4).margin(1e-5));
  }
  CHECK(tried > 200);
}

TEST_CASE("collinear and parallel segments have no writhe and finite derivatives", "[topology]") {
  const Vector3d along = Vector3d(1, 2, -1).normalized(), aside(0.3, -0.1, 0.2);
  const double apart[][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {1, 0, 2, 5}, {0, 1, -3, -1}};
  for (const auto& at : apart)
    for (const double beside : {0.0, 1.0}) {
      Points p;
      for (int k = 0; k < 4; ++k) p.col(k) = at[k] * along + (k >= 2 ? beside : 0.0) * aside;
      CHECK(std::abs(writhe_of(p)) < 1e-12);
      CHECK(slope_of(p).allFinite());
    }
}

TEST_CASE("segments that touch have no writhe and no derivative", "[topology]") {
  Points p;
  p << 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1;  // b = c
  CHECK(writhe_of(p) == 0);
  CHECK(slope_of(p).norm() == 0);
  p << -1, 1, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0;  // they cross in the origin
  CHECK(writhe_of(p) == 0);
  CHECK(slope_of(p).norm() == 0);
  p << 0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0;  // they overlap
  CHECK(writhe_of(p) == 0);
  CHECK(slope_of(p).norm() == 0);
  p << 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0;  // a = b: no segment at all
  CHECK(writhe_of(p) == 0);
  CHECK(slope_of(p).allFinite());
}

TEST_CASE("where segments cross the writhe jumps by a whole turn, with bounded derivatives", "[topology]") {
  const auto crossing = [](double height) {
    Points p;
    p << -1, 1, 0, 0, 0, 0, -1, 1, 0, 0, height, height;
    return p;
  };
  CHECK(std::abs(writhe_of(crossing(1e-9))) == Approx(2 * pi).epsilon(1e-6));
  CHECK(writhe_of(crossing(1e-9)) == Approx(-writhe_of(crossing(-1e-9))));
  CHECK(slope_of(crossing(1e-9)).norm() < 20);
  CHECK(slope_of(crossing(1e-3)).norm() < 20);
}

TEST_CASE("writhe knows relative places only: moved, turned and scaled it is the same, mirrored its opposite",
          "[topology]") {
  std::mt19937 random(4);
  for (int i = 0; i < 50; ++i) {
    const Points p = random_points(random);
    const Eigen::Matrix3d turn = Eigen::Quaterniond::UnitRandom().toRotationMatrix();
    const Points moved = (3 * turn * p).colwise() + Vector3d(5, -2, 1);
    CHECK(writhe_of(moved) == Approx(writhe_of(p)).margin(1e-10));
    Points mirrored = p;
    mirrored.row(1) *= -1;
    CHECK(writhe_of(mirrored) == Approx(-writhe_of(p)).margin(1e-12));
    CHECK(slope_of(p).rowwise().sum().norm() < 1e-9 * (1 + slope_of(p).norm()));
    Points exchanged;
    exchanged << p.col(2), p.col(3), p.col(0), p.col(1);
    CHECK(writhe_of(exchanged) == Approx(writhe_of(p)).margin(1e-12));
  }
}

}  // namespace
}  // namespace quoin::topology
