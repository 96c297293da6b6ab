// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/link_jacobians.hpp"
#include "robots/models/swimmer/mechanics_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

// The body twist of a path of poses at 0, by a central difference.
Eigen::Matrix<double, 6, 1> twist(const Eigen::Isometry3d& behind, const Eigen::Isometry3d& now,
                                  const Eigen::Isometry3d& ahead, double h) {
  const Eigen::Matrix4d velocity = now.inverse().matrix() * (ahead.matrix() - behind.matrix()) / (2 * h);
  Eigen::Matrix<double, 6, 1> t;
  t << velocity(2, 1), velocity(0, 2), velocity(1, 0), velocity.topRightCorner<3, 1>();
  return t;
}

}  // namespace

TEST_CASE("body Jacobians are the velocities of the poses", "[swimmer_kinematics]") {
  const Swimmer tree = test::skew_tree();
  const Eigen::Vector3d q(0.4, -0.7, 1.1);
  Eigen::MatrixXd J;
  tree.link_jacobians(q, J);
  REQUIRE(J.rows() == 24);
  REQUIRE(J.cols() == 9);
  const double h = 1e-5;
  const auto now = tree.poses(q);
  for (int c = 0; c < 9; ++c) {
    const auto at = [&](double s) {
      Eigen::Isometry3d base = Eigen::Isometry3d::Identity();
      Eigen::VectorXd angles = q;
      if (c < 3) base = Eigen::AngleAxisd(s, Eigen::Vector3d::Unit(c));
      if (c >= 3 && c < 6) base = Eigen::Translation3d(s * Eigen::Vector3d::Unit(c - 3));
      if (c >= 6) angles[c - 6] += s;
      return tree.poses(base, angles);
    };
    const auto ahead = at(h), behind = at(-h);
    for (std::size_t b = 0; b < 4; ++b)
      CHECK((J.col(c).segment<6>(6 * static_cast<int>(b)) - twist(behind[b], now[b], ahead[b], h)).norm() < 1e-9);
  }
}

TEST_CASE("the derivatives of body Jacobians leave a Taylor remainder of second order", "[swimmer_kinematics]") {
  const Swimmer tree = test::skew_tree();
  const Eigen::Vector3d q(0.4, -0.7, 1.1), w(0.6, 0.5, -0.8);
  Eigen::MatrixXd J, moved;
  std::vector<Eigen::MatrixXd> dJ;
  tree.link_jacobians(q, J, dJ);
  const auto remainder = [&](double h) {
    tree.link_jacobians(q + h * w, moved);
    return (moved - J - h * (w[0] * dJ[0] + w[1] * dJ[1] + w[2] * dJ[2])).norm();
  };
  for (double h : {0.1, 0.05, 0.025, 0.0125}) {
    const double order = std::log2(remainder(h) / remainder(h / 2));
    CHECK(order > 1.95);
    CHECK(order < 2.05);
  }
}

TEST_CASE("the Jacobians of fixed size are those of any size", "[swimmer_kinematics]") {
  const Point<3> q(0.4, -0.7, 1.1);
  Eigen::MatrixXd J;
  std::vector<Eigen::MatrixXd> dJ;

  const Swimmer tree = test::skew_tree();
  tree.link_jacobians(q, J, dJ);
  LinkJacobians<3, 6>::Matrix spatial, alone;
  std::array<LinkJacobians<3, 6>::Matrix, 3> dspatial;
  LinkJacobians<3, 6>(tree).evaluate(q, spatial, dspatial);
  LinkJacobians<3, 6>(tree).evaluate(q, alone);
  CHECK((spatial - J).norm() < 1e-14);
  CHECK((alone - J).norm() < 1e-14);
  for (std::size_t k = 0; k < 3; ++k) CHECK((dspatial[k] - dJ[k]).norm() < 1e-14);

  // A hinge that turns the opposite way is planar too.
  std::vector<Link> links(4, test::bare_link(1, {0.01, 0.02, 0}, {1, 1, 1}));
  const Swimmer flat(links, {{.parent = 0, .in_parent = {-0.1, 0.02, 0}, .in_link = {0.1, 0.01, 0}},
                             {.parent = 0, .axis = {0, 0, -2}, .in_parent = {0.1, 0, 0}, .in_link = {-0.1, 0.03, 0}},
                             {.parent = 2, .in_parent = {0.1, 0, 0}, .in_link = {-0.1, 0.01, 0}}});
  flat.link_jacobians(q, J, dJ);
  LinkJacobians<3, 3>::Matrix planar;
  std::array<LinkJacobians<3, 3>::Matrix, 3> dplanar;
  LinkJacobians<3, 3>(flat).evaluate(q, planar, dplanar);
  const std::vector<int> rows{2, 3, 4, 8, 9, 10, 14, 15, 16, 20, 21, 22}, cols{2, 3, 4, 6, 7, 8};
  CHECK((planar - J(rows, cols)).norm() < 1e-14);
  for (std::size_t k = 0; k < 3; ++k) CHECK((dplanar[k] - dJ[k](rows, cols)).norm() < 1e-14);
}

TEST_CASE("the chain of ellipsoids lies along -x, heavy as water, gap and all", "[swimmer_kinematics]") {
  const Swimmer fish = ellipsoid_chain();
  CHECK(fish.links() == 4);
  CHECK(fish.hinges() == 3);
  const double volume = 4 * std::numbers::pi / 3 * 0.1 * 0.02 * 0.05;
  CHECK(fish.mass() == Approx(4 * 1000 * volume));
  const auto straight = fish.poses(Eigen::Vector3d::Zero());
  for (int b = 0; b < 4; ++b)
    CHECK((straight[static_cast<std::size_t>(b)].translation() + 0.22 * b * Eigen::Vector3d::UnitX()).norm() < 1e-15);
  CHECK((fish.centre_of_mass(Eigen::Vector3d::Zero()) + 0.33 * Eigen::Vector3d::UnitX()).norm() < 1e-12);
  // A positive angle turns the tail to -y.
  CHECK(fish.poses(Eigen::Vector3d(0.5, 0, 0))[3].translation().y() < -0.1);
  CHECK_NOTHROW(fish.require_planar("test"));
}

TEST_CASE("swimmers that cannot be are refused with names and numbers", "[swimmer_kinematics]") {
  using Catch::Contains;
  const Link link = test::bare_link(1, Eigen::Vector3d::Zero(), {1, 1, 1});
  CHECK_THROWS_WITH(Swimmer({link, link}, {}), Contains("2 links on 0 hinges"));
  CHECK_THROWS_WITH(Swimmer({link, link}, {{.parent = 1}}), Contains("hinge 0 hangs on link 1"));
  CHECK_THROWS_WITH(Swimmer({link, link}, {{.axis = {0, 0, 0}}}), Contains("hinge 0 has the axis (0, 0, 0)"));
  CHECK_THROWS_WITH(Swimmer({test::bare_link(-2, {0, 0, 0}, {1, 1, 1})}, {}), Contains("mass -2"));
  Link twisted = link;
  twisted.inertia->inertia(0, 1) = twisted.inertia->inertia(1, 0) = 5;
  CHECK_THROWS_WITH(Swimmer({twisted}, {}), Contains("principal moments of inertia (-3.99999"));
  CHECK_THROWS_WITH(Swimmer({Link{}}, {}), Contains("link 0"));
  CHECK_THROWS_WITH(Swimmer({link}, {}, -1), Contains("density"));
  CHECK_THROWS_WITH(Swimmer({link}, {}).poses(Eigen::Vector2d::Zero()), Contains("2 angles for 0 hinges"));
  const Link heavy_top = test::bare_link(1, {0, 0, 0.3}, {1, 1, 1});
  CHECK_THROWS_WITH(Swimmer({heavy_top}, {}).require_planar("who"), Contains("who") && Contains("0.3"));
  CHECK_THROWS_WITH(Swimmer({link, link}, {{.in_parent = {0, 0, 0.2}}}).require_planar("who"), Contains("0.2"));
}
