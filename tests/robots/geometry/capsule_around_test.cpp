// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/capsule_around.hpp"
#include "quoin/robots/geometry/closest.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

namespace {

double volume(const Capsule& capsule) {
  return M_PI * capsule.radius * capsule.radius * ((capsule.b - capsule.a).norm() + 4.0 / 3.0 * capsule.radius);
}

/// How far the farthest point is outside of the capsule.
double outside(const Capsule& capsule, const Matrix3Xd& points) {
  double most = -std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < points.cols(); ++i)
    most = std::max(most, closest(capsule, Capsule::sphere(points.col(i), 0)).distance);
  return most;
}

Matrix3Xd turned(const Matrix3Xd& points) {
  return (Eigen::AngleAxisd(0.7, Vector3d(1, -2, 0.3).normalized()).toRotationMatrix() * points).colwise() +
         Vector3d(3, -1, 2);
}

}  // namespace

TEST_CASE("a capsule around points contains them, touches one, and is the points' own where they are a capsule's") {
  Matrix3Xd few = Matrix3Xd::Random(3, 30);
  few.row(0) *= 3;
  for (const Matrix3Xd& points :
       {few, Matrix3Xd(turned(few)), Matrix3Xd(few.leftCols(2)), Matrix3Xd(few.leftCols(1))}) {
    const double off = outside(capsule_around(points), points);
    CHECK(off < 1e-12);
    CHECK(off > -1e-9);
  }
  // Rings on a capsule of radius 0.1 and length 1, and its poles
  Matrix3Xd of_capsule(3, 402);
  for (int ring = 0; ring < 20; ++ring)
    for (int k = 0; k < 20; ++k) {
      const double tilt = M_PI * (ring + 0.5) / 20, turn = 2 * M_PI * k / 20;
      of_capsule.col(20 * ring + k) << 0.1 * std::sin(tilt) * std::cos(turn), 0.1 * std::sin(tilt) * std::sin(turn),
          0.1 * std::cos(tilt) + (tilt < M_PI / 2 ? 0.5 : -0.5);
    }
  of_capsule.col(400) << 0, 0, 0.6;
  of_capsule.col(401) << 0, 0, -0.6;
  const Capsule found = capsule_around(turned(of_capsule));
  CHECK(found.radius == Approx(0.1).epsilon(0.01));
  CHECK((found.b - found.a).norm() == Approx(1).epsilon(0.01));
}

TEST_CASE("the capsule around a cylinder contains it, and none along its axis is smaller") {
  for (const double length : {0.0, 0.05, 0.2, 1.0, 5.0}) {
    const double radius = 0.1;
    const Vector3d a(1, 2, 3), axis = Vector3d(2, -1, 0.5).normalized(), b = a + length * axis;
    const Capsule around = capsule_around_cylinder(a, b, radius);
    const Vector3d side = axis.unitOrthogonal();
    Matrix3Xd rim(3, 4);
    rim << a + radius * side, a - radius * side, b + radius * side, b - radius * side;
    CHECK(outside(around, rim) < 1e-12);
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= 10000; ++k) {  // ends moved in by k/10000 of half the length
      const double in = 0.5 * length * k / 10000;
      least = std::min(least, volume({a + in * axis, b - in * axis, std::hypot(radius, in)}));
    }
    CHECK(volume(around) <= least * (1 + 1e-9));
  }
}

TEST_CASE("no points, and points that are not finite, have no capsule") {
  CHECK_THROWS_WITH(capsule_around(Matrix3Xd(3, 0)), Catch::Contains("0 points"));
  CHECK_THROWS_AS(capsule_around(Vector3d(0, NAN, 0)), std::invalid_argument);
  CHECK_THROWS_WITH(capsule_around_cylinder({0, 0, 0}, {0, 0, 1}, -2), Catch::Contains("radius -2"));
}
