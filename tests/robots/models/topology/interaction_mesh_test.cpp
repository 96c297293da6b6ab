// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/interaction_mesh.hpp"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace quoin::topology {
namespace {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Matrix3Xd random_points(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Matrix3Xd::NullaryExpr(3, count, [&] { return normal(random); });
}

std::vector<MeshEdge> with_gaps(std::vector<MeshEdge> edges, double gap) {
  for (MeshEdge& edge : edges) edge.gap = gap * (1 + 0.1 * static_cast<double>(edge.second));
  return edges;
}

/// Eqs. 4 and 5 as printed, vertex by vertex; between surfaces where edges have a gap.
VectorXd as_printed(const Matrix3Xd& all, const std::vector<MeshEdge>& edges) {
  VectorXd y = all.reshaped();
  for (Index p = 0; p < all.cols(); ++p) {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    double W = 0;
    for (const MeshEdge& e : edges) {
      if (e.first != p && e.second != p) continue;
      const Eigen::Vector3d r = all.col(e.first == p ? e.second : e.first);
      const double u = e.weight / std::max((r - all.col(p)).norm() - e.gap, e.gap / 20);
      mean += u * r;
      W += u;
    }
    if (W > 0) y.segment<3>(3 * p) -= mean / W;
  }
  return y;
}

TEST_CASE("Laplace coordinates are those of the formula, on full, near and given graphs", "[topology]") {
  const Matrix3Xd robot = random_points(4, 1), environment = random_points(5, 2);
  Matrix3Xd all(3, 9);
  all << robot, environment;
  const std::vector<MeshEdge> given = {{.first = 0, .second = 7, .weight = 2}, {.first = 3, .second = 0}};
  for (const auto& edges : {full_graph(4, 5), nearest_graph(robot, environment, 3), given,
                            with_gaps(full_graph(4, 5), 0.4), with_gaps(full_graph(4, 5), 3)}) {
    VectorXd y;
    InteractionMesh(4, 5, edges).evaluate(robot, environment, y);
    CHECK((y - as_printed(all, edges)).norm() < 1e-13);
  }
}

TEST_CASE("graphs leave out pairs of the environment; near ones have at least so many edges a point", "[topology]") {
  const Matrix3Xd robot = random_points(4, 1), environment = random_points(5, 2);
  CHECK(full_graph(4, 5).size() == 6 + 20);
  const auto near = nearest_graph(robot, environment, 2);
  std::vector<int> degree(9, 0);
  for (const MeshEdge& e : near) {
    CHECK(e.first < 4);
    ++degree[static_cast<std::size_t>(e.first)];
    ++degree[static_cast<std::size_t>(e.second)];
  }
  for (const int edges : degree) CHECK(edges >= 2);
  CHECK(near.size() < 26);
}

TEST_CASE("Laplace coordinates do not see where all points are, turn with them, and scale with them", "[topology]") {
  const Matrix3Xd robot = random_points(4, 3), environment = random_points(5, 4);
  const InteractionMesh mesh(4, 5, full_graph(4, 5));
  VectorXd y, other;
  mesh.evaluate(robot, environment, y);
  const Eigen::Vector3d way(1, -2, 3);
  mesh.evaluate(robot.colwise() + way, environment.colwise() + way, other);
  CHECK((other - y).norm() < 1e-13);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  mesh.evaluate(turn * robot, turn * environment, other);
  CHECK((other.reshaped(3, 9) - turn * y.reshaped(3, 9)).norm() < 1e-13);
  mesh.evaluate(2 * robot, 2 * environment, other);
  CHECK((other - 2 * y).norm() < 1e-13);
}

TEST_CASE("the derivative by joints leaves a Taylor remainder of second order", "[topology]") {
  const Matrix3Xd robot = random_points(4, 5), environment = random_points(5, 6);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const MatrixXd moved = MatrixXd::NullaryExpr(12, 3, [&] { return normal(random); });
  const VectorXd step = VectorXd::NullaryExpr(3, [&] { return normal(random); });
  for (const auto& edges : {full_graph(4, 5), nearest_graph(robot, environment, 2), with_gaps(full_graph(4, 5), 0.3),
                            with_gaps(full_graph(4, 5), 1.2)}) {
    const InteractionMesh mesh(4, 5, edges);
    VectorXd y, stepped;
    MatrixXd J;
    mesh.evaluate(robot, environment, moved, y, J);
    REQUIRE(J.rows() == 27);
    const auto remainder = [&](double h) {
      mesh.evaluate(robot + (h * moved * step).reshaped(3, 4), environment, stepped);
      return (stepped - y - h * J * step).norm();
    };
    const double order = std::log10(remainder(1e-3) / remainder(1e-4));
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("a landmark that meets its neighbour has the limit as its coordinate", "[topology]") {
  Matrix3Xd robot = random_points(2, 8);
  const Matrix3Xd environment = random_points(3, 9);
  const InteractionMesh mesh(2, 3, full_graph(2, 3));
  const MatrixXd moved = MatrixXd::Identity(6, 6);
  VectorXd at, near;
  MatrixXd J;
  robot.col(0) = environment.col(1);
  mesh.evaluate(robot, environment, moved, at, J);
  CHECK(at.head<3>().norm() == 0);
  CHECK(J.allFinite());
  robot.col(0) += Eigen::Vector3d::Constant(1e-9);
  mesh.evaluate(robot, environment, near);
  CHECK((near - at).norm() < 1e-7);
}

TEST_CASE("the nearer two surfaces are, the more one neighbour alone decides a landmark's coordinate", "[topology]") {
  Matrix3Xd robot = Matrix3Xd::Zero(3, 1), environment(3, 3);
  environment << 0, 1, -1, 0, 1, 1, 0.5, 0, 0;
  std::vector<MeshEdge> edges = full_graph(1, 3);
  edges[0].gap = 0.4;
  VectorXd y;
  double before = 1;
  for (const double distance : {1.0, 0.6, 0.5, 0.45, 0.42}) {
    environment(2, 0) = distance;
    InteractionMesh(1, 3, edges).evaluate(robot, environment, y);
    const double other_part =
        (y.head<3>() + environment.col(0)).norm() / (environment.col(1) - environment.col(0)).norm();
    CHECK(other_part < before);
    before = other_part;
  }
  CHECK(before < 0.03);
}

TEST_CASE("a landmark without neighbours is its own coordinate", "[topology]") {
  const Matrix3Xd robot = random_points(2, 10), environment = random_points(1, 11);
  const InteractionMesh mesh(2, 1, {{.first = 0, .second = 2}});
  VectorXd y;
  MatrixXd J;
  mesh.evaluate(robot, environment, MatrixXd::Identity(6, 6), y, J);
  CHECK((y.segment<3>(3) - robot.col(1)).norm() == 0);
  CHECK((J.middleRows(3, 3) - MatrixXd::Identity(6, 6).middleRows(3, 3)).norm() == 0);
}

TEST_CASE("meshes that cannot be are refused with their numbers", "[topology]") {
  CHECK_THROWS_WITH(InteractionMesh(2, 1, {{.first = 0, .second = 3}}), Catch::Contains("from 0 to 3"));
  CHECK_THROWS_WITH(InteractionMesh(2, 1, {{.first = 1, .second = 1}}), Catch::Contains("from 1 to 1"));
  CHECK_THROWS_WITH(InteractionMesh(2, 1, {{.first = 0, .second = 1, .weight = 0}}), Catch::Contains("weight 0"));
  CHECK_THROWS_WITH(InteractionMesh(2, 1, {{.first = 0, .second = 1, .gap = -1}}), Catch::Contains("gap -1"));
  CHECK_THROWS_WITH(nearest_graph(random_points(2, 1), random_points(1, 2), 3), Catch::Contains("3 nearest of 3"));
  VectorXd y;
  CHECK_THROWS_WITH(InteractionMesh(2, 1, full_graph(2, 1)).evaluate(random_points(3, 1), random_points(1, 2), y),
                    Catch::Contains("3 and 1 points, wanted 2 and 1"));
}

}  // namespace
}  // namespace quoin::topology
