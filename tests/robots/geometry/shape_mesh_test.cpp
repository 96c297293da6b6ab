// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/shape_mesh.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace quoin;

TEST_CASE("Surfaces of capsules are closed and converge to the capsule at second order") {
  for (const Capsule& capsule : {Capsule{{0.1, 0.2, -0.3}, {0.5, -0.1, 0.4}, 0.07}, Capsule::sphere({1, 2, 3}, 0.2),
                                 Capsule{{0, 0, 0}, {0, 0, -0.01}, 0.3}}) {
    const double length = (capsule.b - capsule.a).norm(), r = capsule.radius;
    const double volume = std::numbers::pi * r * r * (length + 4 * r / 3);
    double before = 0;
    for (const double edge : {0.4 * r, 0.2 * r, 0.1 * r}) {
      const SurfaceMesh mesh = surface_of(capsule, edge);
      REQUIRE_NOTHROW(require_closed_surface(mesh, "test"));
      const SolidMoments moments = solid_moments(mesh);
      CHECK((moments.centroid - 0.5 * (capsule.a + capsule.b)).norm() < 1e-9);
      const double lost = 1 - moments.volume / volume;
      CHECK(lost > 0);
      if (before > 0) {
        CHECK(before / lost > 3.2);
        CHECK(before / lost < 5);
      }
      before = lost;
      for (Eigen::Index t = 0; t < mesh.triangles.cols(); ++t)
        for (int i = 0; i < 3; ++i)
          CHECK((mesh.vertices.col(mesh.triangles(i, t)) - mesh.vertices.col(mesh.triangles((i + 1) % 3, t))).norm() <
                1.6 * edge);
    }
  }
}

TEST_CASE("Surfaces of boxes are exact") {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.rotate(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()));
  pose.pretranslate(Eigen::Vector3d(0.3, -0.2, 1));
  for (const double edge : {10.0, 0.15, 0.05}) {
    const SurfaceMesh mesh = surface_of(Box{pose, {0.2, 0.1, 0.35}}, edge);
    REQUIRE_NOTHROW(require_closed_surface(mesh, "test"));
    const SolidMoments moments = solid_moments(mesh);
    CHECK(moments.volume == Approx(8 * 0.2 * 0.1 * 0.35).epsilon(1e-12));
    CHECK((moments.centroid - pose.translation()).norm() < 1e-12);
  }
  CHECK(surface_of(Obstacle(Box{pose, {0.2, 0.1, 0.35}}), 10).vertices.cols() == 8);
}

TEST_CASE("Surfaces that cannot be drawn are refused with their numbers") {
  CHECK_THROWS_WITH(surface_of(Capsule::segment({0, 0, 0}, {1, 0, 0}), 0.1), Catch::Contains("radius 0"));
  CHECK_THROWS_WITH(surface_of(Capsule::sphere({0, 0, 0}, 1), 0), Catch::Contains("edges of 0 m"));
  CHECK_THROWS_WITH(surface_of(Capsule{{0, 0, 0}, {1, 0, 0}, 0.1}, 1e-9), Catch::Contains("too short"));
  CHECK_THROWS_WITH(surface_of(Capsule::sphere({0, 0, 0}, 1), 1e-5), Catch::Contains("too short"));  // its caps alone
  CHECK_THROWS_WITH(surface_of(Box{.half_extents = {1, 1, 1}}, 1e-3),
                    Catch::Contains("too short"));  // all faces at once
  CHECK_THROWS_WITH(surface_of(Box{.half_extents = {1, -1, 1}}, 0.1), Catch::Contains("-1"));
}
