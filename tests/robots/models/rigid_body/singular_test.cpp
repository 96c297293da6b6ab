// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/models/rigid_body/tree_dynamics.hpp"
#include "robots/models/rigid_body/weak_tree.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace quoin::rigid_body {
namespace {

using Eigen::VectorXd;

/// A rod that turns about y, and on it at `at` a link that turns about z.
std::vector<Link> rod_and_tip(const Inertia& tip, const Eigen::Vector3d& at) {
  const Inertia rod{.mass = 1, .centre = {0.2, 0, 0}, .about_centre = Eigen::Vector3d(1e-3, 1e-2, 1e-2).asDiagonal()};
  return {{.name = "rod", .joint = {.type = JointType::revolute, .axis = Eigen::Vector3d::UnitY()}, .inertia = rod},
          {.name = "tip",
           .parent = "rod",
           .joint = {.type = JointType::revolute, .axis = Eigen::Vector3d::UnitZ()},
           .placement = Eigen::Isometry3d(Eigen::Translation3d(at)),
           .inertia = tip}};
}

/// In how many of 50 states, for forward dynamics and its derivatives, which must agree.
int times_ok(const std::vector<Link>& links) {
  NewtonEuler<> dynamics{RigidBodyTree(links)};
  const int n = dynamics.tree().joints();
  RandomNumbers random(7);
  ForwardDynamicsDerivatives<double> derivatives;
  int ok = 0;
  for (int state = 0; state < 50; ++state) {
    const VectorXd q = random.vector(n, 3), qd = random.vector(n, 1), tau = random.vector(n, 1);
    VectorXd qdd(n);
    const ForwardStatus status = dynamics.forward_dynamics(q, qd, tau, qdd);
    CHECK(dynamics.forward_dynamics_derivatives(q, qd, tau, derivatives) == status);
    ok += status == ForwardStatus::ok;
  }
  return ok;
}

}  // namespace

TEST_CASE(
    "drawn trees are singular where their condition in sizes is beyond 1e12, and ok below 1e9, with digits left") {
  const int draws = test::draws_wanted(1500);
  const unsigned first = 1000003 * test::seed_wanted();
  int made_singular = 0, ill = 0, well = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const WeakTree drawn = weak_tree(seed, seed % 20 == 0 ? 40 : 12);
    const RigidBodyTree tree(drawn.links);
    const int n = tree.joints();
    NewtonEuler<> dynamics(tree);
    NewtonEuler<Fine> fine(tree);
    RandomNumbers random(seed + 1);
    const VectorXd q = random.vector(n, 2), rest = VectorXd::Zero(n);
    VectorXd tau(n), qdd(n);
    dynamics.inverse_dynamics(q, rest, random.vector(n, 1), tau);
    const double condition = condition_in_sizes(fine, q.cast<Fine>());
    const ForwardStatus status = dynamics.forward_dynamics(q, rest, tau, qdd);
    CAPTURE(seed, n, condition);
    if (drawn.singular) {
      ++made_singular;
      REQUIRE(condition > 1e12);
    }
    if (condition > 1e12) {
      ++ill;
      CHECK(status == ForwardStatus::singular);
    }
    if (condition < 1e9) {
      ++well;
      CHECK(status == ForwardStatus::ok);
    }
    if (status == ForwardStatus::ok) {
      FineVector exact(n);
      if (fine.forward_dynamics(q.cast<Fine>(), rest.cast<Fine>(), tau.cast<Fine>(), exact) == ForwardStatus::ok)
        CHECK((qdd.cast<Fine>() - exact).norm() < (condition < 1e9 ? 1e-3 : 1e-1) * exact.norm());
    }
  }
  CHECK(made_singular > draws / 20);
  CHECK(ill > draws / 10);
  CHECK(well > draws / 3);
}

TEST_CASE("a point mass on its axis is singular wherever it is, and a light gripper on a heavy arm is not") {
  const Inertia point{.mass = 1}, beside{.mass = 1, .centre = {0, 0, 0.05}};
  for (const Eigen::Vector3d& at :
       {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.4, 0, 0), Eigen::Vector3d(0.4, 0.1, -0.2)}) {
    CAPTURE(at.transpose());
    CHECK(times_ok(rod_and_tip(point, at)) == 0);
    CHECK(times_ok(rod_and_tip(beside, at)) == 0);
    CHECK(times_ok(rod_and_tip({}, at)) == 0);
  }
  const Eigen::Vector3d tip(0.4, 0, 0);
  const auto of_inertia = [](double inertia) {
    return Inertia{.mass = 1, .about_centre = inertia * Eigen::Matrix3d::Identity()};
  };
  CHECK(times_ok(rod_and_tip(of_inertia(1e-20), tip)) == 0);
  CHECK(times_ok(rod_and_tip(of_inertia(1e-16), tip)) == 0);
  CHECK(times_ok(rod_and_tip(of_inertia(1e-6), tip)) == 50);

  RandomNumbers random(3);
  std::vector<Link> arm = random_links(8, 3);
  for (Link& link : arm) link.inertia.mass *= 100, link.inertia.about_centre *= 100;
  for (const JointType type : {JointType::revolute, JointType::prismatic}) {
    std::vector<Link> links = arm;
    links.push_back({.name = "gripper",
                     .parent = links.back().name,
                     .joint = {.name = "fingers", .type = type},
                     .placement = random.placement(),
                     .inertia = {.mass = 1e-4, .about_centre = 1e-8 * Eigen::Matrix3d::Identity()}});
    CHECK(times_ok(links) == 50);
  }
}

TEST_CASE("chains without inertia, and more joints than one body has directions, are singular to planners too") {
  for (const int joints : {2, 5, 30}) {
    std::vector<Link> links;
    RandomNumbers random(static_cast<unsigned>(joints));
    for (int i = 0; i < joints; ++i)
      links.push_back({.name = std::to_string(i),
                       .parent = i ? std::to_string(i - 1) : "",
                       .joint = {.type = i % 3 ? JointType::revolute : JointType::prismatic},
                       .placement = random.placement()});
    CAPTURE(joints);
    CHECK(times_ok(links) == 0);
    links.back().inertia = random.inertia();
    CHECK(times_ok(links) == (joints <= 6 ? 50 : 0));  // seven joints move one body in six directions
    VectorXd rate;
    const VectorXd x = random.vector(2 * joints, 1), u = random.vector(joints, 1);
    CHECK(TreeDynamics(RigidBodyTree(links)).rate(x, u, rate) == (joints <= 6 ? StepStatus::ok : StepStatus::singular));
  }
}

}  // namespace quoin::rigid_body
