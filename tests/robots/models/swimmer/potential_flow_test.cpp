// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/potential_flow.hpp"

#include "quoin/robots/geometry/ellipsoid_mesh.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace quoin::swimmer;
using Twists = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using Poses = std::vector<Eigen::Isometry3d>;

Eigen::Isometry3d placed(const Eigen::Vector3d& at, double angle = 0, const Eigen::Vector3d& axis = {0, 0, 1}) {
  return Eigen::Translation3d(at) * Eigen::AngleAxisd(angle, axis.normalized());
}

// The pose after unit time at a constant body twist.
Eigen::Isometry3d moved(const Eigen::Isometry3d& pose, const Eigen::Matrix<double, 6, 1>& twist) {
  const Eigen::Vector3d w = twist.head<3>(), v = twist.tail<3>();
  const double angle = w.norm();
  if (angle == 0) return pose * Eigen::Translation3d(v);
  const Eigen::Vector3d axis = w / angle;
  const Eigen::Vector3d shift = std::sin(angle) / angle * v + (1 - std::cos(angle)) / angle * axis.cross(v) +
                                (1 - std::sin(angle) / angle) * axis.dot(v) * axis;
  return pose * placed(shift, angle, axis);
}

Poses moved(Poses poses, const Twists& twists, double by) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    poses[b] = moved(poses[b], by * twists.col(static_cast<Eigen::Index>(b)));
  return poses;
}

// Four different bodies that lie in no common plane.
std::vector<quoin::SurfaceMesh> bodies() {
  return {quoin::geodesic_ellipsoid({0.10, 0.02, 0.05}, 2), quoin::geodesic_ellipsoid({0.06, 0.03, 0.05}, 3),
          quoin::geodesic_ellipsoid({0.04, 0.04, 0.03}, 2), quoin::geodesic_ellipsoid({0.08, 0.02, 0.02}, 2)};
}

Poses poses() {
  return {placed({0, 0, 0}, 0.2, {1, 2, 3}), placed({-0.19, 0.03, 0.01}, 0.5, {0, 1, 2}),
          placed({0.02, 0.12, -0.03}, 1.1, {1, 0, 0}), placed({0.05, -0.03, 0.13}, -0.7, {2, -1, 1})};
}

Eigen::MatrixXd potentials(const PotentialFlow& flow, const Poses& at) {
  Eigen::MatrixXd phi;
  flow.solve(at, phi);
  return phi;
}

quoin::SurfaceMesh box(const Eigen::Vector3d& half) {
  quoin::SurfaceMesh mesh;
  mesh.vertices.resize(3, 8);
  for (int i = 0; i < 8; ++i)
    for (int axis = 0; axis < 3; ++axis) mesh.vertices(axis, i) = (i >> axis & 1) != 0 ? half[axis] : -half[axis];
  mesh.triangles.resize(3, 12);
  mesh.triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
      2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,                //
      3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
  return mesh;
}

}  // namespace

TEST_CASE("vertices, bodies and weights are laid out as documented") {
  const PotentialFlow flow(bodies());
  CHECK(flow.bodies() == 4);
  CHECK(flow.vertices() == 42 + 92 + 42 + 42);
  CHECK(flow.first_vertex(0) == 0);
  CHECK(flow.first_vertex(2) == 134);
  CHECK(flow.first_vertex(4) == flow.vertices());
  const auto& weights = flow.normal_weights();
  REQUIRE(weights.rows() == flow.vertices());
  REQUIRE(weights.cols() == 24);
  CHECK(weights.block(0, 6, 42, 18).isZero(0));
  CHECK(weights.block(42, 0, 92, 6).isZero(0));
  // By the divergence theorem the linear function y_j has int y_j n_i = volume * (i == j) and no flux in total.
  const Eigen::MatrixXd flux = flow.surface(1).vertices * weights.block(42, 9, 92, 3);
  const double volume = quoin::solid_moments(flow.surface(1)).volume;
  CHECK((flux - volume * Eigen::Matrix3d::Identity()).norm() < 1e-14 * volume);
  CHECK(weights.colwise().sum().norm() < 1e-16);
}

TEST_CASE("a common rigid motion of all bodies changes nothing") {
  const PotentialFlow flow(bodies());
  const auto phi = potentials(flow, poses());
  auto turned = poses();
  for (auto& pose : turned) pose = placed({3, -2, 1}, 2.2, {-1, 3, 2}) * pose;
  CHECK((potentials(flow, turned) - phi).norm() < 1e-12 * phi.norm());
}

TEST_CASE("bodies far apart feel each other no more") {
  const auto one = bodies()[1];
  Eigen::MatrixXd alone = potentials(PotentialFlow({one}), {Eigen::Isometry3d::Identity()});
  const auto phi = potentials(PotentialFlow({one, bodies()[0]}),
                              {Eigen::Isometry3d::Identity(), placed({40, 30, 20}, 1, {1, 1, 1})});
  CHECK((phi.topLeftCorner(92, 6) - alone).norm() < 1e-8 * alone.norm());
}

TEST_CASE("a mirrored world has the mirrored added mass") {
  const std::vector<quoin::SurfaceMesh> both{quoin::geodesic_ellipsoid({0.1, 0.02, 0.05}, 3),
                                             quoin::geodesic_ellipsoid({0.06, 0.03, 0.05}, 2)};
  const PotentialFlow flow(both);
  const auto mass = [&](double sign) {
    return flow.added_mass(potentials(flow, {placed({0, 0, 0}), placed({0.18, sign * 0.03, 0}, sign * 0.6)}));
  };
  // in y: the rotations about x and z and the translation along y are odd
  Eigen::VectorXd parity(12);
  parity << -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1;
  const Eigen::MatrixXd up = mass(1), down = mass(-1);
  CHECK((up - parity.asDiagonal() * down * parity.asDiagonal()).norm() < 1e-12 * up.norm());
}

TEST_CASE("added mass is symmetric up to the error of the mesh, at second order or better, and positive") {
  double before = 0;
  for (int n : {2, 4, 8}) {
    const PotentialFlow flow(
        {quoin::geodesic_ellipsoid({0.1, 0.02, 0.05}, n), quoin::geodesic_ellipsoid({0.06, 0.03, 0.05}, n)});
    const auto mass =
        flow.added_mass(potentials(flow, {placed({0, 0, 0}), placed({-0.17, 0.03, 0.01}, 0.5, {1, 1, 2})}));
    const double asymmetry = flow.asymmetry(mass);
    CHECK(asymmetry > 1e-8);
    CHECK(asymmetry < 0.05);
    if (before > 0) CHECK(std::log2(before / asymmetry) > 1.8);
    before = asymmetry;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(mass + mass.transpose());
    CHECK(spectrum.eigenvalues().minCoeff() > 0);
  }
}

TEST_CASE("derivatives of the potentials: Taylor remainders fall with slope 2 along motions in space") {
  const PotentialFlow flow(bodies());
  std::srand(2);
  std::vector<Twists> motions;
  for (int k = 0; k < 4; ++k) {
    Twists twists = Twists::Random(6, 4);
    twists.topRows<3>() *= 3;
    twists.bottomRows<3>() *= 0.1;
    motions.push_back(twists);
  }
  motions[1].leftCols<2>().setZero();
  motions[2].rightCols<3>().setZero();
  Eigen::MatrixXd phi;
  std::vector<Eigen::MatrixXd> dphi;
  flow.solve(poses(), motions, phi, dphi);
  REQUIRE(dphi.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    double before = 0;
    for (double h = 8e-3; h > 4e-4; h /= 2) {
      const double remainder = (potentials(flow, moved(poses(), motions[k], h)) - phi - h * dphi[k]).norm();
      if (before > 0) {
        CHECK(std::log2(before / remainder) > 1.85);
        CHECK(std::log2(before / remainder) < 2.15);
      }
      before = remainder;
    }
  }
  // one motion alone, and three together, take other code paths
  for (std::size_t first : {0, 1}) {
    std::vector<Eigen::MatrixXd> some;
    const std::vector<Twists> part(motions.begin() + static_cast<long>(first),
                                   motions.begin() + 1 + 2 * static_cast<long>(first));
    flow.solve(poses(), part, phi, some);
    for (std::size_t k = 0; k < some.size(); ++k)
      CHECK((some[k] - dphi[first + k]).norm() < 1e-12 * dphi[first + k].norm());
  }
}

TEST_CASE("a motion that all bodies make together has no derivative") {
  const PotentialFlow flow(bodies());
  Eigen::Matrix<double, 6, 1> common;
  common << 1, -2, 0.5, 0.3, 0.2, -0.1;
  Twists twists(6, 4);
  for (std::size_t b = 0; b < 4; ++b) {
    const Eigen::Isometry3d pose = poses()[b];
    const Eigen::Vector3d w = common.head<3>(), v = common.tail<3>();
    twists.col(static_cast<Eigen::Index>(b)) << pose.linear().transpose() * w,
        pose.linear().transpose() * (v + w.cross(pose.translation()));
  }
  Eigen::MatrixXd phi;
  std::vector<Eigen::MatrixXd> dphi;
  flow.solve(poses(), {twists}, phi, dphi);
  CHECK(dphi[0].norm() < 1e-12 * phi.norm());
}

TEST_CASE("vectorized and scalar assembly agree to 1e-13") {
  const PotentialFlow fast(bodies()), slow(bodies(), {.scalar = true});
  std::srand(4);
  const std::vector<Twists> motions{Twists::Random(6, 4), Twists::Random(6, 4)};
  Eigen::MatrixXd phi, other;
  std::vector<Eigen::MatrixXd> dphi, dother;
  fast.solve(poses(), motions, phi, dphi);
  slow.solve(poses(), motions, other, dother);
  CHECK((phi - other).cwiseAbs().maxCoeff() < 1e-13 * phi.cwiseAbs().maxCoeff());
  for (int k : {0, 1}) CHECK((dphi[k] - dother[k]).cwiseAbs().maxCoeff() < 1e-13 * dphi[k].cwiseAbs().maxCoeff());
}

TEST_CASE("many threads get the same answer, to the bit") {
  const PotentialFlow flow(bodies());
  std::srand(6);
  const std::vector<Twists> motions{Twists::Random(6, 4)};
  std::array<Eigen::MatrixXd, 4> phi;
  std::array<std::vector<Eigen::MatrixXd>, 4> dphi;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) threads.emplace_back([&, i] { flow.solve(poses(), motions, phi[i], dphi[i]); });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(phi[i] == phi[0]);
    CHECK(dphi[i][0] == dphi[0][0]);
  }
}

TEST_CASE("bodies that overlap or nearly touch are refused with the pair and the distance") {
  const auto refusal = [](const PotentialFlow& flow, const Poses& at) {
    Eigen::MatrixXd phi;
    try {
      flow.solve(at, phi);
    } catch (const BodiesTouch& refused) {
      return refused;
    }
    return BodiesTouch("none", -1, -1, -1);
  };
  using Catch::Contains;
  const auto sphere = quoin::geodesic_ellipsoid({1, 1, 1}, 3);
  const auto far = placed({0, 9, 0});

  SECTION("one inside the other, whichever comes first") {
    const auto small = quoin::geodesic_ellipsoid({0.2, 0.2, 0.2}, 2);
    const auto found = refusal(PotentialFlow({sphere, sphere, small}), {far, placed({0, 0, 0}), placed({0.1, 0, 0})});
    CHECK_THAT(found.what(), Contains("bodies 1 and 2 overlap") && Contains("of body 2 lies inside body 1"));
    CHECK(found.first == 1);
    CHECK(found.second == 2);
    CHECK(found.distance == 0);
    CHECK_THAT(refusal(PotentialFlow({small, sphere}), {placed({0.1, 0, 0}), placed({0, 0, 0})}).what(),
               Contains("bodies 0 and 1 overlap") && Contains("of body 0 lies inside body 1"));
  }
  SECTION("partly inside") {
    CHECK_THAT(refusal(PotentialFlow({sphere, sphere}), {placed({0, 0, 0}), placed({1.8, 0, 0})}).what(),
               Contains("bodies 0 and 1 overlap"));
  }
  SECTION("in the same place") {
    CHECK_THAT(refusal(PotentialFlow({sphere, sphere}), {far, far}).what(), Contains("bodies 0 and 1"));
  }
  SECTION("crossed, with no vertex inside") {
    const PotentialFlow crossed({box({5, 0.5, 0.5}), box({0.4, 5, 0.4})});
    const auto found = refusal(crossed, {placed({0, 0, 0}), placed({0.3, 0.2, 0.1})});
    CHECK_THAT(found.what(), Contains("bodies 0 and 1 overlap: an edge") && Contains("passes through panel"));
    CHECK(found.distance == 0);
  }
  SECTION("too close for the panels, by as much as is measured") {
    const PotentialFlow boxes({box({1, 1, 1}), box({1, 1, 1})});
    const double gap = 0.1;  // the longest edge is 2 sqrt 2: 0.0354 of it
    const auto found = refusal(boxes, {placed({0, 0, 0}), placed({2 + gap, 0.3, 0.2})});
    CHECK_THAT(found.what(),
               Contains("bodies 0 and 1 come too close") && Contains("0.1000000000") && Contains("0.03535533905"));
    CHECK(found.distance == Approx(gap));
    CHECK(refusal(boxes, {placed({0, 0, 0}), placed({2.15, 0.3, 0.2})}).first == -1);
    CHECK(refusal(PotentialFlow({box({1, 1, 1}), box({1, 1, 1})}, {.min_gap = 0.03}),
                  {placed({0, 0, 0}), placed({2 + gap, 0.3, 0.2})})
              .first == -1);
  }
}

TEST_CASE("what is no closed surface, no pose or no motion is refused") {
  using Catch::Contains;
  auto open = bodies();
  open[2].triangles.conservativeResize(3, open[2].triangles.cols() - 1);
  CHECK_THROWS_WITH(PotentialFlow(open), Contains("PotentialFlow: body 2") && Contains("open"));
  auto inverted = bodies();
  inverted[1].triangles.colwise().reverseInPlace();
  CHECK_THROWS_WITH(PotentialFlow(inverted), Contains("PotentialFlow: body 1") && Contains("inside out"));
  CHECK_THROWS_AS(PotentialFlow({}), std::invalid_argument);
  CHECK_THROWS_WITH(PotentialFlow(bodies(), {.min_gap = 0}), Contains("min_gap"));

  const PotentialFlow flow(bodies());
  Eigen::MatrixXd phi;
  std::vector<Eigen::MatrixXd> dphi;
  auto at = poses();
  at.pop_back();
  CHECK_THROWS_WITH(flow.solve(at, phi), Contains("3 poses are given for 4 bodies"));
  at = poses();
  at[3].translation()[1] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(flow.solve(at, phi), Contains("pose of body 3 is not finite"));
  at = poses();
  at[1].linear() *= 1.01;
  CHECK_THROWS_WITH(flow.solve(at, phi), Contains("pose of body 1 is not a rotation"));
  at = poses();
  at[1].linear().col(0) *= -1;
  CHECK_THROWS_WITH(flow.solve(at, phi), Contains("pose of body 1 is not a rotation"));
  CHECK_THROWS_WITH(flow.solve(poses(), {Twists::Zero(6, 3)}, phi, dphi), Contains("motions[0] has 3 columns"));
  CHECK_THROWS_WITH(flow.solve(poses(), {Twists::Constant(6, 4, NAN)}, phi, dphi),
                    Contains("motions[0] is not finite"));
  CHECK_THROWS_AS(flow.added_mass(Eigen::MatrixXd::Zero(3, 3)), std::invalid_argument);
  CHECK_THROWS_AS(flow.asymmetry(Eigen::MatrixXd::Zero(3, 3)), std::invalid_argument);
}
