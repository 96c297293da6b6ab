// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/collision_checker.hpp"
#include "quoin/robots/geometry/margin_map.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

using Eigen::Vector3d;
using quoin::Box;
using quoin::Capsule;
using quoin::CollisionChecker;
using quoin::CollisionModel;
using quoin::Obstacle;
using quoin::Obstacles;

namespace {

// A planar-jointed rope in space: angles about z and y in turn, links of equal length.
struct Rope {
  int links;
  double length = 0.1;

  Eigen::Index point_count() const { return links + 1; }
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points) const {
    points.setZero(3, links + 1);
    Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
    for (int i = 0; i < links; ++i) {
      frame = frame * Eigen::AngleAxisd(q[i], i % 2 ? Vector3d::UnitY() : Vector3d::UnitZ());
      points.col(i + 1) = points.col(i) + length * frame.col(0);
    }
  }
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points, Eigen::MatrixXd& jacobian) const {
    evaluate(q, points);
    jacobian.setZero(points.size(), links);
    Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
    for (int i = 0; i < links; ++i) {
      const Vector3d axis = frame * (i % 2 ? Vector3d::UnitY() : Vector3d::UnitZ());
      frame = frame * Eigen::AngleAxisd(q[i], i % 2 ? Vector3d::UnitY() : Vector3d::UnitZ());
      for (int k = i + 1; k <= links; ++k)
        jacobian.block<3, 1>(3 * k, i) = axis.cross(Vector3d(points.col(k) - points.col(i)));
    }
  }
};

static_assert(quoin::PointKinematics<Rope>);
static_assert(quoin::TaskMap<quoin::MarginMap<Rope>, quoin::Obstacles>);

CollisionModel rope_model(int links, double radius = 0.02) {
  CollisionModel model{.points = links + 1};
  for (int i = 0; i < links; ++i) model.bodies.push_back({i, i + 1, radius});
  model.self_pairs = quoin::bodies_apart(model.bodies, 2);
  return model;
}

Box box_at(const Vector3d& center, const Vector3d& half_extents) {
  Box box{Eigen::Isometry3d(Eigen::AngleAxisd(0.4, Vector3d(1, 2, 3).normalized())), half_extents};
  box.pose.translation() = center;
  return box;
}

Obstacles scene() {
  return {Capsule{{0.3, 0.2, -1}, {0.3, 0.2, 1}, 0.05}, box_at({0.5, -0.3, 0.1}, {0.2, 0.1, 0.15}),
          Capsule::sphere({-0.2, 0.4, 0.2}, 0.1)};
}

Eigen::VectorXd configuration(int links, std::mt19937& random, double size = 0.8) {
  std::uniform_real_distribution<double> angle(-size, size);
  Eigen::VectorXd q(links);
  for (double& component : q) component = angle(random);
  return q;
}

double distance_of(const CollisionChecker& checker, int number, const Eigen::Matrix3Xd& points,
                   const Obstacles& obstacles) {
  const auto capsule = [&](int i) {
    const auto& body = checker.model().bodies[static_cast<std::size_t>(i)];
    return Capsule{points.col(body.first), points.col(body.second), body.radius};
  };
  const auto pair = checker.pair(number);
  if (!pair.with_obstacle) return quoin::closest(capsule(pair.body), capsule(pair.other)).distance;
  return std::visit([&](const auto& shape) { return quoin::closest(capsule(pair.body), shape).distance; },
                    obstacles[static_cast<std::size_t>(pair.other)]);
}

}  // namespace

TEST_CASE("every question of a checker agrees with the distances of its pairs, one by one") {
  std::mt19937 random(1);
  const Rope rope{15};
  const CollisionChecker checker(rope_model(rope.links));
  const auto obstacles = scene();
  int collisions = 0;
  Eigen::Matrix3Xd points;
  Eigen::VectorXd distances, r;
  std::vector<quoin::NearPair> near;
  for (int i = 0; i < 500; ++i) {
    rope.evaluate(configuration(rope.links, random, i % 3 ? 0.5 : 1.2), points);
    checker.distances(points, obstacles, distances);
    REQUIRE(distances.size() == checker.pair_count(obstacles));
    for (int k = 0; k < distances.size(); ++k)
      REQUIRE(std::abs(distances[k] - distance_of(checker, k, points, obstacles)) < 1e-14);
    const auto least = checker.min_distance(points, obstacles);
    REQUIRE(least.distance == distances.minCoeff());
    REQUIRE(distances[least.pair] == least.distance);
    REQUIRE(checker.collides(points, obstacles) == (least.distance < 0));
    collisions += least.distance < 0;
    checker.margin_residuals(points, obstacles, 0.05, r);
    REQUIRE((r.array() - (0.05 - distances.array()).max(0)).abs().maxCoeff() < 1e-14);
    checker.near_pairs(points, obstacles, 0.05, near);
    REQUIRE(static_cast<Eigen::Index>(near.size()) == (distances.array() < 0.05).count());
    for (std::size_t j = 0; j < near.size(); ++j) {
      REQUIRE((j == 0 || near[j - 1].pair < near[j].pair));
      REQUIRE(std::abs(near[j].closest.distance - distances[near[j].pair]) < 1e-14);
    }
  }
  CHECK(collisions > 50);
  CHECK(collisions < 450);
}

TEST_CASE("margin residuals follow the joints as their Jacobian says, to second order") {
  std::mt19937 random(2);
  const Rope rope{12};
  const CollisionChecker checker(rope_model(rope.links));
  const quoin::MarginMap map(rope, checker, 0.06);
  const auto obstacles = scene();
  int used = 0, active = 0;
  std::vector<double> sum(6, 0);
  Eigen::VectorXd y, ahead, r;
  Eigen::MatrixXd J, J_ahead, J_near, point_jacobian;
  Eigen::Matrix3Xd points;
  std::vector<quoin::NearPair> near;
  for (int i = 0; i < 400; ++i) {
    const Eigen::VectorXd q = configuration(rope.links, random);
    const Eigen::VectorXd w = configuration(rope.links, random).normalized();
    map.evaluate(q, obstacles, y, J);
    REQUIRE(J.rows() == map.output_size(obstacles));
    map.evaluate(q, obstacles, ahead);
    REQUIRE((y - ahead).cwiseAbs().maxCoeff() < 1e-15);

    rope.evaluate(q, points, point_jacobian);
    checker.near_pairs(points, obstacles, 0.06, near);
    quoin::margin_rows(near, 0.06, point_jacobian, r, J_near);
    REQUIRE((J.transpose() * J - J_near.transpose() * J_near).norm() < 1e-12);
    REQUIRE((J.transpose() * y - J_near.transpose() * r).norm() < 1e-12);

    // Pairs without a ridge or a hinge between the two configurations.
    map.evaluate(q + 1e-3 * w, obstacles, ahead, J_ahead);
    const Eigen::ArrayXd smooth =
        ((y.array() > 0) && (ahead.array() > 0) && ((J_ahead - J).rowwise().norm().array() < 0.02)).cast<double>();
    used += static_cast<int>(smooth.sum());
    active += static_cast<int>((y.array() > 0).count());
    double h = 1e-3;
    for (double& total : sum) {
      map.evaluate(q + h * w, obstacles, ahead);
      total += (smooth * (ahead - y - h * (J * w)).array()).matrix().norm();
      h /= 2;
    }
  }
  CHECK(active > 1000);
  CHECK(used > 0.5 * active);
  for (std::size_t k = 1; k < sum.size(); ++k) {
    CHECK(std::log2(sum[k - 1] / sum[k]) > 1.8);
    CHECK(std::log2(sum[k - 1] / sum[k]) < 2.2);
  }
}

TEST_CASE("every question is one check, and only pairs that spheres cannot tell apart are computed") {
  CollisionModel model{.points = 3, .bodies = {{0, 1, 0.1}, {1, 2, 0.1}, {2, 2, 0.2}}};
  model.self_pairs = {{0, 2}};
  CollisionChecker checker(model);
  Eigen::Matrix3Xd points(3, 3);
  points << 0, 1, 2, 0, 0, 0, 0, 0, 0;
  const Obstacles far = {Capsule::sphere({0, 50, 0}, 1)}, one = {Capsule::sphere({0.5, 0, 0}, 0.1)};
  Eigen::VectorXd d;
  CHECK(!checker.collides(points, far));
  CHECK(checker.counts().checks == 1);
  CHECK(checker.counts().pairs == 0);
  CHECK(checker.collides(points, one));
  CHECK(checker.counts().checks == 2);
  CHECK(checker.counts().pairs == 1);
  checker.distances(points, far, d);
  CHECK(checker.counts().checks == 3);
  CHECK(checker.counts().pairs == 1 + 4);
  std::vector<quoin::NearPair> near;
  checker.near_pairs(points, far, 0.1, near);
  checker.min_distance(points, far);
  checker.margin_residuals(points, far, 0.1, d);
  Eigen::MatrixXd J;
  checker.margin_residuals(points, far, 0.1, Eigen::MatrixXd::Zero(9, 2), d, J);
  CHECK(checker.counts().checks == 7);
  CHECK_THROWS_AS(checker.collides(points.leftCols(2), far), std::invalid_argument);
  CHECK(checker.counts().checks == 7);
  const CollisionChecker copy = checker;
  CHECK(copy.counts().checks == 0);
  CHECK(checker.counts().checks == 7);
  checker.reset_counts();
  CHECK(checker.counts().checks == 0);
  CHECK(checker.counts().pairs == 0);
}

TEST_CASE("counts are exact from several threads") {
  const Rope rope{8};
  const CollisionChecker checker(rope_model(rope.links));
  const auto obstacles = scene();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      Eigen::Matrix3Xd points;
      for (int i = 0; i < 500; ++i) {
        rope.evaluate(configuration(rope.links, random), points);
        checker.collides(points, obstacles);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(checker.counts().checks == 2000);
}

TEST_CASE("bodies are as far apart as the chain of shared points between them") {
  // A chain of four bodies, the last two on one point: 0 - 1 - (2, 3); body 4 hangs from nothing.
  const std::vector<quoin::CollisionBody> bodies = {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {2, 4, 0}, {5, 6, 0}};
  using Pairs = std::vector<std::array<int, 2>>;
  CHECK(quoin::bodies_apart(bodies, 1).size() == 10);
  CHECK(quoin::bodies_apart(bodies, 2) == Pairs{{0, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}});
  CHECK(quoin::bodies_apart(bodies, 3) == Pairs{{0, 4}, {1, 4}, {2, 4}, {3, 4}});
  CHECK_THROWS_AS(quoin::bodies_apart(bodies, 0), std::invalid_argument);
  CHECK(rope_model(29).self_pairs.size() == 29 * 28 / 2 - 28);
}

TEST_CASE("ignored pairs may touch, as a base and its table") {
  CollisionModel model{.points = 2, .bodies = {{0, 0, 0.1}, {1, 1, 0.1}}, .ignored_pairs = {{0, 1}}};
  const CollisionChecker checker(model);
  Eigen::Matrix3Xd points = Eigen::Matrix3Xd::Zero(3, 2);
  points(0, 1) = 5;
  const Capsule far = Capsule::sphere({0, 9, 0}, 0.1);
  CHECK(!checker.collides(points, {far, box_at({0, 0, 0}, {1, 1, 1})}));
  CHECK(checker.collides(points, {box_at({0, 0, 0}, {1, 1, 1}), far}));
  CHECK(checker.collides(points, {far, far, box_at({0, 0, 0}, {1, 1, 1})}));
  points(0, 1) = 0;
  const Obstacles table = {far, box_at({0, 0, 0}, {1, 1, 1})};
  CHECK(checker.collides(points, table));
  Eigen::VectorXd d;
  checker.distances(points, table, d);
  CHECK(d[2] == std::numeric_limits<double>::infinity());
  CHECK(std::isfinite(d[3]));
  CHECK(checker.min_distance(points, table).pair == 3);
}

TEST_CASE("a robot that meets nothing is infinitely far from it") {
  const CollisionChecker checker(CollisionModel{.points = 1, .bodies = {{0, 0, 0.1}}});
  const Eigen::Matrix3Xd points = Eigen::Matrix3Xd::Zero(3, 1);
  CHECK(!checker.collides(points, {}));
  CHECK(checker.min_distance(points, {}).distance == std::numeric_limits<double>::infinity());
  CHECK(checker.min_distance(points, {}).pair == -1);
}

TEST_CASE("more bodies than fit a call's own store are checked alike") {
  const Rope rope{100, 0.05};
  const CollisionChecker checker(rope_model(rope.links, 0.01));
  std::mt19937 random(3);
  Eigen::Matrix3Xd points;
  Eigen::VectorXd d;
  for (int i = 0; i < 20; ++i) {
    rope.evaluate(configuration(rope.links, random, 0.3), points);
    checker.distances(points, scene(), d);
    CHECK(checker.min_distance(points, scene()).distance == d.minCoeff());
    CHECK(checker.collides(points, scene()) == (d.minCoeff() < 0));
  }
}

TEST_CASE("what a checker cannot use is refused with its numbers") {
  using Catch::Contains;
  const CollisionModel sound{.points = 3, .bodies = {{0, 1, 0.1}, {1, 2, 0.1}}};
  auto model = sound;
  model.bodies[1].second = 3;
  CHECK_THROWS_WITH(CollisionChecker(model), Contains("body 1") && Contains("point 3 of 3"));
  model = sound;
  model.bodies[0].radius = -0.5;
  CHECK_THROWS_WITH(CollisionChecker(model), Contains("-0.5"));
  model = sound;
  model.self_pairs = {{0, 2}};
  CHECK_THROWS_WITH(CollisionChecker(model), Contains("body 2 of 2"));
  model.self_pairs = {{1, 1}};
  CHECK_THROWS_WITH(CollisionChecker(model), Contains("with itself"));
  model = sound;
  model.ignored_pairs = {{0, -1}};
  CHECK_THROWS_WITH(CollisionChecker(model), Contains("-1"));

  const CollisionChecker checker(sound);
  Eigen::Matrix3Xd points = Eigen::Matrix3Xd::Zero(3, 3);
  CHECK_THROWS_WITH(checker.collides(points.leftCols(2), {}), Contains("2 points, the model has 3"));
  CHECK_THROWS_WITH(checker.collides(points, {Capsule{{0, 0, 0}, {1, 0, 0}, -1}}), Contains("radius -1"));
  CHECK_THROWS_WITH(checker.collides(points, {Box{Eigen::Isometry3d::Identity(), {0, 1, 1}}}), Contains("(0, 1, 1)"));
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  CHECK_THROWS_WITH(checker.margin_residuals(points, {}, -0.1, r), Contains("-0.1"));
  CHECK_THROWS_WITH(checker.margin_residuals(points, {}, 0.1, Eigen::MatrixXd::Zero(8, 2), r, J), Contains("8 rows"));
  CHECK_THROWS_AS(checker.pair(-1), std::invalid_argument);
  points(1, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(checker.collides(points, {}), Contains("point 2") && Contains("nan"));
}
