// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/tree_frames.hpp"

#include "quoin/robots/models/rigid_body/centre_of_mass.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/task_maps/orientation_offsets.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"

#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace quoin::rigid_body {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

static_assert(TaskMap<OrientationOffsets<TreeFrames>> && TaskMap<PointOffsets<CentreOfMass>>);

/// The order of what a step of h leaves beside value + h J way: 2 for an exact derivative.
template <class Evaluate>
double order_of_remainder(Evaluate value, const MatrixXd& J, const VectorXd& q, const VectorXd& way) {
  const VectorXd at = value(q);
  const auto remainder = [&](double h) { return (value(q + h * way) - at - h * J * way).norm(); };
  return std::log10(remainder(1e-3) / remainder(1e-4));
}

std::vector<Frame> frames_on(const RigidBodyTree& tree) {
  std::vector<Frame> frames = {{}};  // the world's
  for (int joint = 0; joint < tree.joints(); ++joint) {
    Frame frame = tree.frame(tree.link_name(joint));
    frame.placement = frame.placement * Eigen::Translation3d(0.1, -0.2, 0.3) *
                      Eigen::AngleAxisd(0.7 + joint, Eigen::Vector3d(1, -2, 0.5).normalized());
    frames.push_back(frame);
  }
  return frames;
}

TEST_CASE("frames of a branching tree are where its dynamics place them, and move with their Jacobians") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    RandomNumbers random(seed);
    const RigidBodyTree tree(random_links(7, seed));
    NewtonEuler<> dynamics(tree);
    const std::vector<Frame> wanted = frames_on(tree);
    const TreeFrames frames(tree, wanted);
    const VectorXd q = random.vector(tree.joints(), 1);
    std::vector<Eigen::Isometry3d> poses;
    MatrixXd J, of_frame(6, tree.joints());
    frames.evaluate(q, poses, J);
    REQUIRE(J.rows() == 6 * frames.frame_count());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      CHECK((poses[k].matrix() - dynamics.pose(q, wanted[k]).matrix()).norm() < 1e-14);
      dynamics.jacobian(q, wanted[k], Eigen::Vector3d::Zero(), of_frame);
      CHECK((J.middleRows<6>(6 * static_cast<Eigen::Index>(k)) - of_frame).norm() < 1e-14);
    }
  }
}

TEST_CASE("an orientation's offset is the rotation vector from its goal, with an exact Jacobian at any angle") {
  RandomNumbers random(3);
  const RigidBodyTree tree(random_links(7, 3));
  const TreeFrames frames(tree, frames_on(tree));
  const OrientationOffsets offsets(frames);
  const VectorXd q = random.vector(tree.joints(), 1), way = random.vector(tree.joints(), 1);
  std::vector<Eigen::Isometry3d> poses;
  frames.evaluate(q, poses);
  const Eigen::Vector3d axis = Eigen::Vector3d(0.3, -0.5, 0.8).normalized();
  for (const double angle : {0.0, 1e-9, 1e-3, 0.5, 2.0, 3.1}) {
    // The goals that the frames are turned from by this angle about this axis
    Eigen::Matrix3Xd goals(3, 3 * frames.frame_count());
    for (Eigen::Index k = 0; k < frames.frame_count(); ++k)
      goals.middleCols<3>(3 * k) = Eigen::AngleAxisd(-angle, axis) * poses[static_cast<std::size_t>(k)].linear();
    VectorXd y;
    MatrixXd J;
    offsets.evaluate(q, goals, y, J);
    CHECK((y - (angle * axis).replicate(frames.frame_count(), 1)).norm() < 1e-13);
    const auto value = [&](const VectorXd& at) {
      VectorXd turned;
      offsets.evaluate(at, goals, turned);
      return turned;
    };
    const double order = order_of_remainder(value, J, q, way);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("goals that are no rotations, or too few, are refused with the numbers") {
  const RigidBodyTree tree(random_links(3, 1));
  const OrientationOffsets offsets(TreeFrames(tree, {tree.frame(tree.link_name(2))}));
  VectorXd y;
  const VectorXd q = VectorXd::Zero(3);
  CHECK_THROWS_WITH(offsets.evaluate(q, Eigen::Matrix3Xd::Zero(3, 6), y), Catch::Contains("3 x 6 for 1 frames"));
  CHECK_THROWS_WITH(offsets.evaluate(q, 1.1 * Eigen::Matrix3d::Identity(), y),
                    Catch::Contains("differs from 1 by 0.21"));
  CHECK_THROWS_WITH(offsets.evaluate(q, Eigen::Vector3d(1, 1, -1).asDiagonal().toDenseMatrix(), y),
                    Catch::Contains("determinant is -1"));
  CHECK_THROWS_AS(TreeFrames(tree, {{.joint = 3}}), std::invalid_argument);
  CHECK_THROWS_WITH(offsets.evaluate(VectorXd::Zero(4), Eigen::Matrix3d::Identity(), y), Catch::Contains("4 entries"));
}

TEST_CASE("the centre of mass moves with the momentum, and its Jacobian is its derivative") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    RandomNumbers random(seed);
    const RigidBodyTree tree(random_links(8, seed));
    const CentreOfMass centre(tree);
    const VectorXd q = random.vector(tree.joints(), 1), qd = random.vector(tree.joints(), 1);
    Eigen::Matrix3Xd c;
    MatrixXd J;
    centre.evaluate(q, c, J);
    CHECK(centre.mass() == Approx(tree.parameters().row(0).sum()));
    const Eigen::Vector3d momentum = NewtonEuler<>(tree).momentum(q, qd).head<3>();
    CHECK((centre.mass() * J * qd - momentum).norm() < 1e-13 * (1 + momentum.norm()));
    const auto value = [&](const VectorXd& at) {
      Eigen::Matrix3Xd moved;
      centre.evaluate(at, moved);
      return VectorXd(moved.col(0));
    };
    const double order = order_of_remainder(value, J, q, qd);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
  std::vector<Link> massless = random_links(2, 1);
  for (Link& link : massless) link.inertia = {};
  CHECK_THROWS_WITH(CentreOfMass(RigidBodyTree(massless)), Catch::Contains("mass of 0 kg"));
}

}  // namespace
}  // namespace quoin::rigid_body
