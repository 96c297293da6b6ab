// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numbers>

TEST_CASE("a geodesic ellipsoid is closed, has 10 n^2 + 2 vertices and the true volume") {
  const Eigen::Vector3d axes(0.1, 0.02, 0.05);
  for (int n : {1, 2, 3, 6, 7}) {
    const auto mesh = quoin::geodesic_ellipsoid(axes, n);
    CHECK(mesh.vertices.cols() == 10 * n * n + 2);
    CHECK(mesh.triangles.cols() == 20 * n * n);
    REQUIRE_NOTHROW(quoin::require_closed_surface(mesh, "test"));
    const auto moments = quoin::solid_moments(mesh);
    CHECK(moments.volume == Approx(4 * std::numbers::pi / 3 * axes.prod()).epsilon(1e-13));
    CHECK(moments.centroid.norm() < 1e-15);
    const Eigen::RowVectorXd level = (axes.cwiseInverse().asDiagonal() * mesh.vertices).colwise().norm();
    CHECK(level.maxCoeff() - level.minCoeff() < 1e-13);
    CHECK(level.maxCoeff() >= 1);
  }
}

// The second order cancels: the error that remains at true volume is the same in all directions of the icosahedron.
TEST_CASE("moments of inertia of geodesic ellipsoids at true volume converge to fourth order") {
  const Eigen::Vector3d axes(3, 2, 1);
  Eigen::Vector3d exact;
  for (int i = 0; i < 3; ++i)
    exact[i] = 4 * std::numbers::pi / 3 * axes.prod() / 5 * (axes.squaredNorm() - axes[i] * axes[i]);
  double before = 0;
  for (int n = 2; n <= 32; n *= 2) {
    const auto inertia = quoin::solid_moments(quoin::geodesic_ellipsoid(axes, n)).inertia;
    const double error = (inertia - Eigen::Matrix3d(exact.asDiagonal())).norm();
    if (n > 2) {
      CHECK(std::log2(before / error) > 3.7);
      CHECK(std::log2(before / error) < 4.2);
    }
    before = error;
  }
}

TEST_CASE("a geodesic ellipsoid is its own mirror image in the coordinate planes") {
  const auto mesh = quoin::geodesic_ellipsoid({0.1, 0.02, 0.05}, 4);
  for (int axis = 0; axis < 3; ++axis) {
    double worst = 0;
    for (Eigen::Index i = 0; i < mesh.vertices.cols(); ++i) {
      Eigen::Vector3d image = mesh.vertices.col(i);
      image[axis] *= -1;
      worst = std::max(worst, (mesh.vertices.colwise() - image).colwise().norm().minCoeff());
    }
    CHECK(worst < 1e-16);
  }
}

TEST_CASE("an ellipsoid's mesh scales with its axes, however small or large they are") {
  const Eigen::Vector3d axes(1, 2, 0.5);
  const auto mesh = quoin::geodesic_ellipsoid(axes, 2);
  for (const double scale : {1e-120, 1e-3, 1e120}) {
    const auto scaled = quoin::geodesic_ellipsoid(scale * axes, 2);
    CHECK((scaled.vertices / scale - mesh.vertices).norm() < 1e-13 * mesh.vertices.norm());
  }
}

TEST_CASE("ellipsoids that cannot be are refused") {
  CHECK_THROWS_WITH(quoin::geodesic_ellipsoid({1, 0, 1}, 3), Catch::Contains("semi-axis 1 = 0"));
  CHECK_THROWS_AS(quoin::geodesic_ellipsoid({1, 1, std::numeric_limits<double>::infinity()}, 3), std::invalid_argument);
  CHECK_THROWS_WITH(quoin::geodesic_ellipsoid({1, 1, 1}, 0), Catch::Contains("n = 0"));
}
