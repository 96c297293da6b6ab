// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "quoin/robots/models/swimmer/potential_flow.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace quoin::swimmer;

double volume_of(const Eigen::Vector3d& axes) { return 4 * std::numbers::pi / 3 * axes.prod(); }

// Added mass along the three axes over displaced mass; added inertia about y over displaced inertia.
Eigen::Vector4d lamb_coefficients(const Eigen::Vector3d& axes, int n) {
  const PotentialFlow flow({quoin::geodesic_ellipsoid(axes, n)});
  Eigen::MatrixXd phi;
  flow.solve({Eigen::Isometry3d::Identity()}, phi);
  const Eigen::MatrixXd mass = flow.added_mass(phi) / volume_of(axes);
  return {mass(3, 3), mass(4, 4), mass(5, 5), mass(1, 1) * 5 / (axes[0] * axes[0] + axes[2] * axes[2])};
}

// Per unit of displaced mass: axial, axial coupling, transverse, transverse coupling of two unit spheres along x.
Eigen::Vector4d sphere_pair(double distance, int n) {
  const auto sphere = quoin::geodesic_ellipsoid({1, 1, 1}, n);
  const PotentialFlow flow({sphere, sphere});
  Eigen::MatrixXd phi;
  flow.solve({Eigen::Isometry3d::Identity(), Eigen::Isometry3d(Eigen::Translation3d(distance, 0, 0))}, phi);
  const Eigen::MatrixXd mass = flow.added_mass(phi) / volume_of({1, 1, 1});
  return {mass(3, 3), mass(3, 9), mass(4, 4), mass(4, 10)};
}

// Slope of log error over log n by least squares, negated.
double fitted_order(const std::vector<int>& n, const std::vector<double>& errors) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    const double a = std::log(n[i]), b = std::log(std::abs(errors[i]));
    x += a, y += b, xx += a * a, xy += a * b;
  }
  const auto count = static_cast<double>(n.size());
  return -(count * xy - x * y) / (count * xx - x * x);
}

// The limit of a second-order quantity, from two meshes.
template <class Value>
Value extrapolated(int coarse, const Value& at_coarse, int fine, const Value& at_fine) {
  const double ratio = static_cast<double>(fine * fine) / (coarse * coarse);
  return (ratio * at_fine - at_coarse) / (ratio - 1);
}

}  // namespace

// Lamb, Hydrodynamics, articles 114 and 373.
TEST_CASE("added masses of ellipsoids converge to Lamb's at second order, extrapolated within 1e-3") {
  struct Row {
    Eigen::Vector3d axes;
    Eigen::Vector4d exact;
  };
  const std::vector<Row> rows{{{1, 1, 1}, {0.5, 0.5, 0.5, 0}},
                              {{2, 1, 1}, {0.210015, 0.704210, 0.704210, 0.239424}},
                              {{5, 1, 1}, {0.059121, 0.894261, 0.894261, 0.699851}},
                              {{1, 1, 0.5}, {0.309586, 0.309586, 1.115060, 0.338578}}};
  const std::vector<int> meshes{2, 3, 4, 6, 8};
  for (const auto& row : rows) {
    std::vector<Eigen::Vector4d> found;
    for (int n : meshes) found.push_back(lamb_coefficients(row.axes, n));
    for (int c = 0; c < 4; ++c) {
      INFO("semi-axes " << row.axes.transpose() << ", coefficient " << c);
      const double limit = extrapolated(6, found[3][c], 8, found[4][c]);
      CHECK(std::abs(limit - row.exact[c]) < 5e-4);
      if (row.exact[c] == 0) {  // rotating a sphere moves only the corners of the mesh
        CHECK(std::abs(found.back()[c]) < 1e-5);
        continue;
      }
      std::vector<double> errors;
      for (const auto& coefficients : found) errors.push_back(coefficients[c] - row.exact[c]);
      CHECK(fitted_order(meshes, errors) > 1.9);
      CHECK(fitted_order(meshes, errors) < 2.15);
    }
  }
}

// Sums of 60 to 120 multipoles of the exact solution (Lamb, article 138, by images).
TEST_CASE("two spheres: added masses and couplings converge at second order, extrapolated within 1e-3") {
  struct Row {
    double distance;
    Eigen::Vector4d exact;
  };
  const std::vector<Row> rows{{2.1, {0.542461, -0.175244, 0.512269, 0.083610}},
                              {3.0, {0.502939, -0.055718, 0.500815, 0.027804}}};
  const std::vector<int> meshes{3, 4, 5, 6, 8};
  for (const auto& row : rows) {
    std::vector<Eigen::Vector4d> found;
    for (int n : meshes) found.push_back(sphere_pair(row.distance, n));
    for (int c = 0; c < 4; ++c) {
      INFO("distance " << row.distance << ", coefficient " << c);
      CHECK(std::abs(extrapolated(6, found[3][c], 8, found[4][c]) - row.exact[c]) < 3e-4);
      std::vector<double> errors;
      for (const auto& coefficients : found) errors.push_back(coefficients[c] - row.exact[c]);
      CHECK(fitted_order(meshes, errors) > 1.8);
      CHECK(fitted_order(meshes, errors) < 2.2);
    }
  }
}
