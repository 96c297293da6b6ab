// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/fcl/fcl_margin_map.hpp"

#include "quoin/robots/geometry/closest.hpp"
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "quoin/robots/geometry/shape_mesh.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <thread>

using namespace quoin;
using Eigen::Isometry3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

class Poses {
 public:
  Isometry3d next(double far) {
    Eigen::Quaterniond turn(normal_(random_), normal_(random_), normal_(random_), normal_(random_));
    Isometry3d pose(turn.normalized());
    pose.translation() = far * Vector3d(uniform_(random_), uniform_(random_), uniform_(random_));
    return pose;
  }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

const Box box{.pose = Isometry3d(Eigen::Translation3d(0.02, 0, -0.1)), .half_extents = {0.1, 0.15, 0.2}};
const Capsule capsule{{0, 0.01, -0.2}, {0.03, 0, 0.2}, 0.05};

FclModel one_pair(const FclShape& body, const FclShape& obstacle) {
  return {.frames = 1, .bodies = {{0, body}}, .obstacles = {obstacle}};
}

FclNearPair measured(const FclDistances& distances, const Isometry3d& body, const Isometry3d& obstacle) {
  std::vector<FclNearPair> near;
  distances.near_pairs({body}, {obstacle}, 10, near);
  REQUIRE(near.size() == 1);
  return near[0];
}

/// Two frames on a joint each: the second slides along x of the first, which turns about z.
struct TurnAndSlide {
  Eigen::Index frame_count() const { return 2; }
  void evaluate(const VectorXd& q, std::vector<Isometry3d>& poses) const {
    poses.assign(2, Isometry3d(Eigen::AngleAxisd(q[0], Vector3d::UnitZ())));
    poses[1].translate(Vector3d(q[1], 0, 0));
  }
  void evaluate(const VectorXd& q, std::vector<Isometry3d>& poses, MatrixXd& J) const {
    evaluate(q, poses);
    J.setZero(12, 2);
    J(5, 0) = J(11, 0) = 1;
    J.block<3, 1>(6, 0) = Vector3d::UnitZ().cross(poses[1].translation());
    J.block<3, 1>(6, 1) = poses[1].linear().col(0);
  }
};

}  // namespace

TEST_CASE("a box as a polytope and as a mesh, and a capsule, are as far apart as in closed form") {
  const SurfaceMesh surface = surface_of(box, 1);
  const FclDistances as_polytope(one_pair(capsule, Polytope{surface})), as_mesh(one_pair(capsule, surface)),
      mesh_first(one_pair(surface, capsule)), closed_form(one_pair(capsule, box));
  Poses poses;
  int apart = 0, overlapping = 0;
  for (int i = 0; i < 300; ++i) {
    const Isometry3d first = poses.next(0.5), second = poses.next(0.5);
    const Closest exact = closest(Capsule{first * capsule.a, first * capsule.b, capsule.radius},
                                  Box{second * box.pose, box.half_extents});
    CHECK(measured(closed_form, first, second).distance == exact.distance);
    const FclNearPair polytope = measured(as_polytope, first, second), mesh = measured(as_mesh, first, second),
                      reversed = measured(mesh_first, second, first);
    if (exact.distance > 1e-3) {
      ++apart;
      for (const FclNearPair& pair : {polytope, mesh}) {
        CHECK(std::abs(pair.distance - exact.distance) < 1e-9);
        CHECK((pair.normal - exact.normal).norm() < 1e-4);
        CHECK((pair.on_first - pair.on_second - exact.distance * exact.normal).norm() < 1e-4);
      }
      CHECK(std::abs(reversed.distance - exact.distance) < 1e-9);
      CHECK((reversed.normal + exact.normal).norm() < 1e-4);
    } else if (exact.distance < -1e-3) {
      ++overlapping;
      CHECK(polytope.distance <= exact.distance + 1e-6);  // the shortest translation is the least of all that part them
      CHECK(mesh.distance == 0);
      CHECK(mesh.normal.norm() == 0);
      Isometry3d parted = first;
      parted.pretranslate(-1.001 * polytope.distance * polytope.normal);
      CHECK(closest(Capsule{parted * capsule.a, parted * capsule.b, capsule.radius},
                    Box{second * box.pose, box.half_extents})
                .distance > -1e-4);
    }
  }
  CHECK(apart > 150);
  CHECK(overlapping > 20);
}

TEST_CASE("two meshes are as far apart as the balls that they come near to") {
  SurfaceMesh ball = geodesic_ellipsoid({1, 1, 1}, 4);
  ball.vertices = 0.2 * ball.vertices.colwise().normalized();
  const FclDistances as_meshes(one_pair(ball, ball)), as_polytopes(one_pair(Polytope{ball}, Polytope{ball}));
  Poses poses;
  for (int i = 0; i < 10; ++i) {
    const Isometry3d first = poses.next(0.2);
    Isometry3d second = poses.next(1);
    second.translation() = first.translation() + 0.7 * second.linear().col(0);
    // Inscribed in the balls: nearer by nothing, farther by at most the height of two facets
    for (const FclDistances* distances : {&as_meshes, &as_polytopes}) {
      const FclNearPair pair = measured(*distances, first, second);
      CHECK(pair.distance > 0.3 - 1e-9);
      CHECK(pair.distance < 0.3 + 0.01);
      CHECK(pair.normal.dot((first.translation() - second.translation()).normalized()) > 0.97);
    }
  }
}

TEST_CASE("margins of meshes are residuals of a robot, with the derivative of the distance") {
  const FclModel model{
      .frames = 2,
      .bodies = {{0, Polytope{surface_of(box, 1)}}, {1, surface_of(Box{.half_extents = {0.05, 0.1, 0.07}}, 1)}},
      .self_pairs = {{0, 1}},
      .obstacles = {box, capsule},
      .ignored_pairs = {{0, 1}}};
  const FclMarginMap map(TurnAndSlide{}, FclDistances(model), 5);
  Isometry3d shelf(Eigen::AngleAxisd(0.4, Vector3d(1, 2, 3).normalized()));
  shelf.translation() = Vector3d(1, 0.6, 0.3);
  const std::vector<Isometry3d> world = {shelf, Isometry3d(Eigen::Translation3d(-0.3, 1, 0.6))};
  CHECK(map.output_size(world) == 5);
  const VectorXd q{{0.3, 0.6}}, way{{0.8, -0.5}};
  VectorXd y, stepped;
  MatrixXd J;
  map.evaluate(q, world, y, J);
  CHECK(y[3] == 0);  // the ignored pair: body 0 with obstacle 1
  CHECK(J.row(3).norm() == 0);
  CHECK((y.array() > 0).count() == 4);
  map.evaluate(q, world, stepped);
  CHECK(stepped == y);
  const double h = 1e-4;
  VectorXd ahead, behind;
  map.evaluate(q + h * way, world, ahead);
  map.evaluate(q - h * way, world, behind);
  CHECK(((ahead - behind) / (2 * h) - J * way).cwiseAbs().maxCoeff() < 1e-4);
}

TEST_CASE("many threads measure what one does") {
  const FclDistances distances(one_pair(surface_of(capsule, 0.05), Polytope{surface_of(box, 1)}));
  const auto sum = [&] {
    Poses poses;
    double total = 0;
    for (int i = 0; i < 50; ++i) {
      const Isometry3d first = poses.next(0.5);
      std::vector<FclNearPair> near;
      distances.near_pairs({first}, {poses.next(0.5)}, 10, near);
      for (const FclNearPair& pair : near) total += pair.distance;
    }
    return total;
  };
  const double alone = sum();
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (double& of_thread : sums) threads.emplace_back([&] { of_thread = sum(); });
  for (std::thread& thread : threads) thread.join();
  for (const double of_thread : sums) CHECK(of_thread == alone);
}

TEST_CASE("shapes and poses that do not fit are refused with the numbers") {
  using Catch::Contains;
  SurfaceMesh open = surface_of(box, 1), dented = geodesic_ellipsoid({1, 1, 1}, 2);
  open.triangles.conservativeResize(Eigen::NoChange, open.triangles.cols() - 1);
  dented.vertices.col(0) *= 0.5;
  CHECK_THROWS_WITH(FclDistances(one_pair(capsule, Polytope{open})), Contains("obstacle 0"));
  CHECK_THROWS_WITH(FclDistances(one_pair(Polytope{dented}, box)), Contains("body 0: a polytope is not convex"));
  CHECK_THROWS_WITH(FclDistances(one_pair(SurfaceMesh{}, box)), Contains("0 triangles"));
  CHECK_THROWS_WITH(FclDistances(one_pair(Capsule{{0, 0, 0}, {0, 0, 1}, -1}, box)), Contains("radius -1"));
  CHECK_THROWS_WITH(FclDistances({.frames = 1, .bodies = {{1, box}}}), Contains("frame 1 of 1"));
  CHECK_THROWS_WITH(FclDistances({.frames = 1, .bodies = {{0, box}}, .self_pairs = {{0, 0}}}),
                    Contains("body 0 is paired with itself"));
  CHECK_THROWS_WITH(FclDistances({.frames = 1, .bodies = {{0, box}}, .ignored_pairs = {{0, 0}}}),
                    Contains("obstacle 0 of 0"));
  const FclDistances distances(one_pair(capsule, box));
  std::vector<FclNearPair> near;
  const Isometry3d here = Isometry3d::Identity();
  Isometry3d nowhere = here;
  nowhere.translation()[1] = NAN;
  CHECK_THROWS_WITH(distances.near_pairs({}, {here}, 1, near), Contains("0 poses of frames for 1"));
  CHECK_THROWS_WITH(distances.near_pairs({here}, {nowhere}, 1, near), Contains("obstacles 0 is not finite"));
  CHECK_THROWS_WITH(distances.near_pairs({here}, {here}, -1, near), Contains("-1"));
}
