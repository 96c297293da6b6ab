// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/surface_mesh.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include <cmath>
#include <limits>
#include <string>

namespace {

using quoin::SurfaceMesh;

SurfaceMesh box(const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
  SurfaceMesh mesh;
  mesh.vertices.resize(3, 8);
  for (int i = 0; i < 8; ++i)
    for (int axis = 0; axis < 3; ++axis) mesh.vertices(axis, i) = (i >> axis & 1) != 0 ? high[axis] : low[axis];
  mesh.triangles.resize(3, 12);
  mesh.triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
      2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,                //
      3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
  return mesh;
}

std::string refusal(const SurfaceMesh& mesh) {
  try {
    quoin::require_closed_surface(mesh, "Caller::that");
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("moments of a box are exact wherever it stands") {
  const Eigen::Vector3d size(0.3, 0.5, 0.9), low(7, -4, 2);
  const auto mesh = box(low, low + size);
  REQUIRE(refusal(mesh) == "none");
  const auto moments = quoin::solid_moments(mesh);
  CHECK(moments.volume == Approx(size.prod()).epsilon(1e-13));
  CHECK((moments.centroid - low - size / 2).norm() < 1e-13);
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  for (int i = 0; i < 3; ++i) inertia(i, i) = size.prod() / 12 * (size.squaredNorm() - size[i] * size[i]);
  CHECK((moments.inertia - inertia).norm() < 1e-13 * inertia.norm());

  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  auto turned = mesh;
  turned.vertices = turn * mesh.vertices;
  CHECK((quoin::solid_moments(turned).inertia - turn * inertia * turn.transpose()).norm() < 1e-13 * inertia.norm());
}

TEST_CASE("a surface that encloses no solid is refused with what is wrong with it") {
  const auto good = box(Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones());
  const auto with = [&](auto&& change) {
    auto mesh = good;
    change(mesh);
    return refusal(mesh);
  };
  using Catch::Contains;
  CHECK_THAT(with([](auto& m) { m.triangles.resize(3, 0); }), Contains("Caller::that: the surface has no triangles"));
  CHECK_THAT(with([](auto& m) { m.vertices(1, 5) = std::numeric_limits<double>::quiet_NaN(); }),
             Contains("vertex 5 is not finite"));
  CHECK_THAT(with([](auto& m) { m.triangles(1, 3) = 8; }), Contains("triangle 3") && Contains("names vertex 8"));
  CHECK_THAT(with([](auto& m) { m.triangles(1, 3) = -1; }), Contains("triangle 3") && Contains("names vertex -1"));
  CHECK_THAT(with([](auto& m) { m.triangles(1, 3) = m.triangles(0, 3); }), Contains("triangle 3") && Contains("area"));
  CHECK_THAT(with([](auto& m) { m.vertices.conservativeResize(3, 9), m.vertices.col(8).setOnes(); }),
             Contains("vertex 8 belongs to no triangle"));
  CHECK_THAT(with([](auto& m) { m.triangles.conservativeResize(3, 11); }), Contains("edge (1, 5)") && Contains("open"));
  CHECK_THAT(with([](auto& m) {
               m.triangles.conservativeResize(3, 13);
               m.triangles.col(12) = m.triangles.col(0);
             }),
             Contains("3 triangles") && Contains("manifold"));
  CHECK_THAT(with([](auto& m) { m.triangles.col(4).reverseInPlace(); }), Contains("same direction"));
  CHECK_THAT(with([](auto& m) { m.triangles.colwise().reverseInPlace(); }),
             Contains("inside out") && (Contains("enclose -1 m^3") || Contains("enclose -0.9999999")));
}

TEST_CASE("every piece of a surface must enclose a solid: no cavity, no piece inside out") {
  const auto outer = box({0, 0, 0}, {2, 2, 2});
  const auto with = [&](const SurfaceMesh& other) {
    SurfaceMesh both;
    both.vertices.resize(3, 16);
    both.vertices << other.vertices, outer.vertices;
    both.triangles.resize(3, 24);
    both.triangles << other.triangles, outer.triangles.array() + 8;
    return refusal(both);
  };
  const auto reversed = [](SurfaceMesh mesh) {
    mesh.triangles.colwise().reverseInPlace();
    return mesh;
  };
  using Catch::Contains;
  const auto apart = box({3, 0, 0}, {4, 1, 1});
  CHECK(with(apart) == "none");
  CHECK_THAT(with(reversed(apart)), Contains("around vertex") && Contains("inside out") &&
                                        (Contains("enclose -1 m^3") || Contains("enclose -0.9999999")));
  CHECK_THAT(with(reversed(box({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}))),
             Contains("cavity") && (Contains("enclose -1 m^3") || Contains("enclose -0.9999999")));
}

TEST_CASE("a triangle and its reverse enclose nothing, whatever rounding says") {
  for (int seed = 0; seed < 50; ++seed) {
    SurfaceMesh sheet;
    sheet.vertices.resize(3, 3);
    for (int i = 0; i < 9; ++i) sheet.vertices(i) = std::sin(1.0 + 2.3 * i + 0.7 * i * i + 1.9 * seed);
    sheet.triangles.resize(3, 2);
    sheet.triangles << 0, 0, 1, 2, 2, 1;
    CHECK_THAT(refusal(sheet), Catch::Contains("flat"));
  }
  // Thin meshes are not flat.
  CHECK(refusal(box({0, 0, 0}, {1, 1, 1e-9})) == "none");
}
