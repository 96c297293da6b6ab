// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/tree_points.hpp"

#include "quoin/robots/models/rigid_body/newton_euler.hpp"

#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace quoin::rigid_body {
namespace {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("points of a branching tree are where their links are, with exact Jacobians", "[rigid_body]") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    RandomNumbers random(seed);
    const RigidBodyTree tree(random_links(7, seed));
    NewtonEuler<> dynamics(tree);
    const Eigen::Vector3d place(0.1, -0.2, 0.3);
    std::vector<TreePoints::Point> wanted;
    for (int joint = 0; joint < tree.joints(); ++joint) wanted.push_back({tree.frame(tree.link_name(joint)), place});
    wanted.push_back({});  // fixed to the world
    const TreePoints points(tree, wanted);
    const VectorXd q = random.vector(tree.joints(), 1), way = random.vector(tree.joints(), 1);
    Matrix3Xd p, stepped;
    MatrixXd J;
    points.evaluate(q, p, J);
    REQUIRE(p.cols() == tree.joints() + 1);
    for (int joint = 0; joint < tree.joints(); ++joint)
      CHECK((p.col(joint) - dynamics.pose(q, wanted[static_cast<std::size_t>(joint)].frame) * place).norm() < 1e-14);
    CHECK(p.col(tree.joints()).norm() == 0);
    CHECK(J.bottomRows(3).norm() == 0);
    const auto remainder = [&](double h) {
      points.evaluate(q + h * way, stepped);
      return (stepped.reshaped() - p.reshaped() - h * J * way).norm();
    };
    const double order = std::log10(remainder(1e-3) / remainder(1e-4));
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("points of joints that a tree has not, and coordinates of another size, are refused", "[rigid_body]") {
  const RigidBodyTree tree(random_links(3, 1));
  CHECK_THROWS_AS(TreePoints(tree, {{.frame = {.joint = 3}}}), std::invalid_argument);
  CHECK_THROWS_AS(TreePoints(tree, {{.frame = {.joint = -2}}}), std::invalid_argument);
  const TreePoints points(tree, {{.frame = {.joint = 2}}});
  Matrix3Xd p;
  CHECK_THROWS_AS(points.evaluate(VectorXd::Zero(4), p), std::invalid_argument);
}

}  // namespace
}  // namespace quoin::rigid_body
