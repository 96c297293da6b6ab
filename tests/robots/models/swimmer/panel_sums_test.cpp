// SPDX-License-Identifier: BSD-3-Clause
#include "robots/models/swimmer/panel_sums.hpp"

#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "robots/models/swimmer/potential_flow_body.hpp"
#include "testing/falling_remainders.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

namespace {

using namespace quoin::swimmer;

quoin::SurfaceMesh moved_ellipsoid(int n) {
  auto mesh = quoin::geodesic_ellipsoid({0.7, 0.3, 0.4}, n);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  mesh.vertices = (turn * mesh.vertices).colwise() + Eigen::Vector3d(0.1, -0.05, 0.2);
  return mesh;
}

// A tile of points around the body, from close by to far away, and one inside.
Eigen::Array<double, tile_points, 3> tile_of_points(const quoin::SurfaceMesh& mesh) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const double factors[tile_points] = {1.06, 1.1, 1.3, 2, 5, 50, 1000, 0.6};
  Eigen::Array<double, tile_points, 3> points;
  const Eigen::Vector3d centre = mesh.vertices.rowwise().mean();
  for (int i = 0; i < tile_points; ++i) {
    Eigen::Vector3d toward = mesh.vertices.col((17 * i) % mesh.vertices.cols()) - centre;
    toward += 0.005 * Eigen::Vector3d(normal(random), normal(random), normal(random));
    points.row(i) = (centre + factors[i] * toward).transpose().array();
  }
  return points;
}

struct Sums {
  Sums(const PanelKernels& kernels, const quoin::SurfaceMesh& mesh, const Eigen::Array<double, tile_points, 3>& points,
       const Eigen::ArrayXXd& velocities = {})
      : influence(tile_points, mesh.vertices.cols()),
        dinfluence(tile_points, velocities.cols() / 3 * influence.cols()) {
    const PanelMesh panels(mesh);
    const int directions = static_cast<int>(velocities.cols() / 3);
    Eigen::VectorXd scratch(static_cast<Eigen::Index>(panel_scratch(panels, directions)));
    kernels.sums(panels, points.data(), directions, velocities.data(), scratch.data(),
                 {influence.data(), u.data(), winding.data(), dinfluence.data(), du.data()});
  }

  Eigen::ArrayXXd influence, dinfluence;
  Eigen::Array<double, tile_points, 3> u;
  Eigen::Array<double, tile_points, 1> winding;
  Eigen::Array<double, tile_points, 9> du = Eigen::Array<double, tile_points, 9>::Zero();
};

// Integrals over a panel by the degree-2 rule on 4^depth parts.
template <class Integrand>
void integrate(const Eigen::Matrix3d& corners, int depth, const Integrand& integrand) {
  if (depth == 0) {
    const double area = (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0)).norm() / 2;
    for (int i = 0; i < 3; ++i) integrand((corners.col(i) * 0.5 + corners.rowwise().sum() / 6).eval(), area / 3);
    return;
  }
  Eigen::Matrix3d middles;
  for (int i = 0; i < 3; ++i) middles.col(i) = (corners.col((i + 1) % 3) + corners.col((i + 2) % 3)) / 2;
  integrate(middles, depth - 1, integrand);
  for (int i = 0; i < 3; ++i) {
    Eigen::Matrix3d part;
    part << corners.col(i), middles.col((i + 2) % 3), middles.col((i + 1) % 3);
    integrate(part, depth - 1, integrand);
  }
}

}  // namespace

TEST_CASE("panel integrals agree with quadrature") {
  const auto mesh = moved_ellipsoid(2);
  auto points = tile_of_points(mesh);
  points.row(0) = points.row(2);  // quadrature is slow to converge near a panel
  points.row(6) = points.row(3);
  const Sums sums(panel_kernels().back(), mesh, points);
  Eigen::ArrayXXd influence = Eigen::ArrayXXd::Zero(tile_points, mesh.vertices.cols());
  Eigen::ArrayXXd u = Eigen::ArrayXXd::Zero(tile_points, 3);
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f) {
    Eigen::Matrix3d corners;
    for (int i = 0; i < 3; ++i) corners.col(i) = mesh.vertices.col(mesh.triangles(i, f));
    const Eigen::Matrix3d to_weights = corners.inverse();
    const Eigen::Vector3d normal =
        (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0)).normalized();
    integrate(corners, 6, [&](const Eigen::Vector3d& y, double weight) {
      const Eigen::Vector3d shape = to_weights * y;
      for (int p = 0; p < tile_points; ++p) {
        const Eigen::Vector3d to = y - points.row(p).matrix().transpose();
        const double r = to.norm(), dipole = weight * normal.dot(to) / (4 * std::numbers::pi * r * r * r);
        for (int i = 0; i < 3; ++i) influence(p, mesh.triangles(i, f)) += dipole * shape[i];
        u.row(p) += weight / r * normal.transpose().array();
      }
    });
  }
  CHECK((sums.influence - influence).abs().maxCoeff() < 2e-6 * influence.abs().maxCoeff());
  CHECK((sums.u - u).abs().maxCoeff() < 1e-6 * u.abs().maxCoeff());
}

TEST_CASE("panel integrals of every instruction set agree with the scalar ones to 1e-13") {
  const auto kernels = panel_kernels();
  const auto mesh = moved_ellipsoid(3);
  const auto points = tile_of_points(mesh);
  for (int directions : {0, 1, 2, 3}) {
    std::srand(3);
    const Eigen::ArrayXXd velocities = Eigen::ArrayXXd::Random(tile_points, 3 * directions);
    const Sums scalar(kernels.front(), mesh, points, velocities);
    for (std::size_t k = 1; k < kernels.size(); ++k) {
      const Sums vector(kernels[k], mesh, points, velocities);
      // Relative to the largest entry: far away an entry is the remainder of terms near 1 (as is the diagonal of A).
      INFO("instruction set " << k << ", directions " << directions);
      const auto gap = [](const auto& a, const auto& b) { return (a - b).abs().maxCoeff() / a.abs().maxCoeff(); };
      CHECK(gap(scalar.influence, vector.influence) < 1e-13);
      CHECK(gap(scalar.u, vector.u) < 1e-13);
      CHECK((scalar.winding - vector.winding).abs().maxCoeff() < 1e-13);
      if (directions == 0) continue;
      CHECK(gap(scalar.dinfluence, vector.dinfluence) < 1e-13);
      CHECK(gap(scalar.du, vector.du) < 1e-13);
    }
  }
}

TEST_CASE("contractions of every instruction set agree with the product of matrices") {
  const int vertices = 37, columns = 30;
  std::srand(5);
  const Eigen::ArrayXXd tile = Eigen::ArrayXXd::Random(tile_points, vertices);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values =
      Eigen::MatrixXd::Random(vertices, columns);
  const Eigen::MatrixXd start = Eigen::MatrixXd::Random(tile_points, columns);
  for (const auto& kernels : panel_kernels()) {
    Eigen::MatrixXd out = start;
    kernels.contract(tile.data(), values.data(), vertices, columns, out.data());
    CHECK((out - start - tile.matrix() * values).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("rates of the panel integrals are derivatives: Taylor remainders fall with slope 2") {
  const auto mesh = moved_ellipsoid(2);
  auto points = tile_of_points(mesh);
  std::srand(11);
  const Eigen::ArrayXXd velocities = Eigen::ArrayXXd::Random(tile_points, 9);
  for (const auto& kernels : panel_kernels()) {
    const Sums at(kernels, mesh, points, velocities);
    for (int d = 0; d < 3; ++d) {
      quoin::test::FallingRemainders of_influence{.ratio = 2, .min_order = 1.85, .largest_order = 2.15},
          of_u = of_influence;
      for (double h = 4e-3; h > 2e-4; h /= 2) {
        const Sums moved(kernels, mesh, points + h * velocities.middleCols<3>(3 * d));
        const auto rate = at.dinfluence.middleCols(d * at.influence.cols(), at.influence.cols());
        of_influence.add((moved.influence - at.influence - h * rate).matrix().norm());
        of_u.add((moved.u - at.u - h * at.du.middleCols<3>(3 * d)).matrix().norm());
      }
    }
  }
}

TEST_CASE("a surface winds once around points inside and not around points outside") {
  const auto mesh = moved_ellipsoid(3);
  const Sums sums(panel_kernels().back(), mesh, tile_of_points(mesh));
  for (int p = 0; p < tile_points; ++p) CHECK(std::abs(sums.winding[p] - (p == 7 ? 1 : 0)) < 1e-13);
}

TEST_CASE("the interior flow x_k satisfies the equations of one body to rounding: V n_k = x_k - A x_k") {
  for (int n : {1, 3, 5}) {
    const FlowBody body(moved_ellipsoid(n), 0);
    for (int k = 0; k < 3; ++k) {
      const Eigen::VectorXd x = body.surface.vertices.row(k);
      CHECK((body.own_layer.col(3 + k) - (x - body.own_block * x)).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("the interior flow x_k has no effect on other bodies: the layers of x_k and n_k cancel outside") {
  const FlowBody body(moved_ellipsoid(3), 0);
  Eigen::Matrix3Xd points = tile_of_points(body.surface).topRows(5).matrix().transpose();
  for (const auto& kernels : panel_kernels()) {
    Eigen::MatrixXd block(points.cols(), body.count), layer(points.cols(), 6);
    const auto winding = assemble_pair(kernels, body, points, block, layer);
    CHECK(winding.cwiseAbs().maxCoeff() < 1e-13);
    for (int k = 0; k < 3; ++k) {
      const Eigen::VectorXd x = body.surface.vertices.row(k);
      CHECK((layer.col(3 + k) + block * x).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}
