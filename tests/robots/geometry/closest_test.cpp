// SPDX-License-Identifier: BSD-3-Clause
#include "testing/robots/closest_reference.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using Eigen::Vector3d;
using namespace quoin;
using namespace quoin::test;

namespace {

/// The largest difference from what a search along one segment finds, over pairs of capsules.
template <class Draw>
double largest_difference_from_search(unsigned seed, int pairs, const Draw& draw) {
  Random random(seed);
  double worst = 0;
  for (int i = 0; i < pairs; ++i) {
    const Capsule one = draw(random), other = draw(random);
    const auto c = closest(one, other);
    worst = std::max(worst, std::abs(c.distance - searched(one, other)));
    REQUIRE(consistent(c));
    REQUIRE(is_at(c.on_first, c.first_parameter, -1, one, c.normal));
    REQUIRE(is_at(c.on_second, c.second_parameter, 1, other, c.normal));
  }
  return worst;
}

}  // namespace

TEST_CASE("distances of capsules are those that a search along one segment finds") {
  CHECK(largest_difference_from_search(1, 4000, [](Random& random) { return random.capsule(1); }) < 5e-15);
}

TEST_CASE("distances of capsules are right where they are parallel, collinear, touching or points") {
  CHECK(largest_difference_from_search(2, 6000, [](Random& random) { return random.awkward_capsule(); }) < 2e-15);
}

TEST_CASE("nearly parallel segments lose no digits, at any angle") {
  Random random(3);
  double worst = 0;
  for (double angle = 1; angle > 1e-18; angle /= 1.7)
    for (int i = 0; i < 40; ++i) {
      // They cross at (s, t) with the gap in between; both are known beforehand.
      const Vector3d d = random.direction(), across = d.unitOrthogonal(), gap = d.cross(across);
      const Vector3d e = (std::cos(angle) * d + std::sin(angle) * across).normalized();
      const double s = random.uniform(0.2, 0.8), t = random.uniform(0.2, 0.8), height = i % 2 ? 0.0 : 1e-3;
      const Vector3d a = -s * d, b = height * gap - t * e;
      const auto c = closest(Capsule::segment(a, a + d), Capsule::segment(b, b + e));
      worst = std::max(worst, std::abs(c.distance - height));
      REQUIRE(consistent(c));
      if (angle > 1e-3) {
        REQUIRE(c.first_parameter == Approx(s).margin(1e-11));
        REQUIRE(std::abs(c.normal.dot(gap)) == Approx(1).epsilon(1e-12));
      }
    }
  CHECK(worst < 3e-15);
}

TEST_CASE("distances of capsules to boxes are those that a search along the segment finds, outside") {
  Random random(4);
  double worst = 0;
  int apart = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto capsule = i % 2 ? random.capsule(1.5) : random.awkward_capsule();
    const auto box = i % 2 ? random.box(1.5) : random.awkward_box();
    const auto c = closest(capsule, box);
    const double core = searched_outside(capsule, box);
    REQUIRE(consistent(c));
    REQUIRE(is_at(c.on_first, c.first_parameter, -1, capsule, c.normal));
    REQUIRE(on_box(c.on_second, box));
    REQUIRE((c.distance + capsule.radius > 1e-7) == (core > 1e-7));
    if (core < 1e-7) continue;
    ++apart;
    worst = std::max(worst, std::abs(c.distance - (core - capsule.radius)));
  }
  CHECK(apart > 2000);
  CHECK(worst < 5e-15);
}

TEST_CASE("a segment nearly parallel to a face, at any angle, loses no digits") {
  Random random(5);
  const Box box{Eigen::Isometry3d::Identity(), {1, 1, 1}};
  double worst = 0;
  for (double angle = 1; angle > 1e-18; angle /= 1.7)
    for (int i = 0; i < 40; ++i) {
      const Vector3d a(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(1.2, 3));
      const double turn = random.uniform(-3, 3);
      const auto segment = Capsule::segment(
          a, a + 3 * Vector3d(std::cos(turn) * std::cos(angle), std::sin(turn) * std::cos(angle), std::sin(angle)));
      const auto c = closest(segment, box);
      worst = std::max(worst, std::abs(c.distance - searched_outside(segment, box)));
      REQUIRE(consistent(c));
    }
  CHECK(worst < 3e-15);
}

TEST_CASE("the depth of a segment in a box is the shortest way out") {
  Random random(6);
  int inside = 0;
  double highest = 0, lowest = 0;
  for (int i = 0; i < 1200; ++i) {
    const auto box = random.box(0.3);
    auto segment = random.capsule(1);
    segment.radius = 0;
    const auto c = closest(segment, box);
    if (c.distance > -1e-3) continue;
    ++inside;
    REQUIRE(consistent(c));
    REQUIRE(on_box(c.on_second, box));
    REQUIRE(way_out(c.normal, segment, box) == Approx(-c.distance).epsilon(1e-12));
    const double found = min_way_out(segment, box, random);
    highest = std::max(highest, -c.distance - found);
    lowest = std::max(lowest, found + c.distance);
    // Moved out and a little further, the shapes are that little apart.
    const Vector3d out = (1e-3 - c.distance) * c.normal;
    REQUIRE(closest(Capsule::segment(segment.a + out, segment.b + out), box).distance == Approx(1e-3).margin(1e-12));
  }
  CHECK(inside > 400);
  CHECK(highest < 1e-12);
  CHECK(lowest < 1e-3);  // the accuracy of the random search at minima that are corners
}

TEST_CASE("the depth of a point in a box is that under the nearest face") {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const auto box = random.box(1);
    const Vector3d x = random.vector(1).cwiseProduct(box.half_extents), p = box.pose * x;
    const auto c = closest(Capsule::sphere(p, 0.1), box);
    REQUIRE(c.distance == Approx((x.cwiseAbs() - box.half_extents).maxCoeff() - 0.1).margin(1e-14));
    REQUIRE(consistent(c));
  }
}

TEST_CASE("bodies exchanged, the answer is turned round") {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const auto one = random.capsule(1), other = random.capsule(1);
    REQUIRE(reversed(closest(one, other), closest(other, one)));
    const auto box = random.box(1);
    REQUIRE(reversed(closest(one, box), closest(box, one)));
    const auto awkward = random.awkward_capsule(), second = random.awkward_capsule();
    REQUIRE(std::abs(closest(awkward, second).distance - closest(second, awkward).distance) < 1e-15);
  }
}

TEST_CASE("a rigid motion of both bodies moves points and normal, and leaves the distance") {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    const auto motion = random.pose(2);
    const auto moved = [&](const Capsule& c) { return Capsule{motion * c.a, motion * c.b, c.radius}; };
    const auto one = random.capsule(1), other = random.capsule(1);
    const auto box = random.box(1);
    for (const auto& [before, after] :
         {std::pair{closest(one, other), closest(moved(one), moved(other))},
          std::pair{closest(one, box), closest(moved(one), Box{motion * box.pose, box.half_extents})}}) {
      REQUIRE(after.distance == Approx(before.distance).margin(1e-13));
      REQUIRE((after.normal - motion.linear() * before.normal).norm() < 1e-9);
      REQUIRE((after.on_first - motion * before.on_first).norm() < 1e-9);
      REQUIRE((after.on_second - motion * before.on_second).norm() < 1e-9);
    }
  }
}

TEST_CASE("cores that cross or touch have a unit normal perpendicular to both") {
  const auto cross = closest(Capsule{{-1, 0, 0}, {1, 0, 0}, 0.1}, Capsule{{0, -1, 0}, {0, 1, 0}, 0.2});
  CHECK(cross.distance == Approx(-0.3));
  CHECK(std::abs(cross.normal.z()) == Approx(1));
  CHECK(consistent(cross));
  const auto collinear = closest(Capsule{{0, 0, 0}, {1, 0, 0}, 0.1}, Capsule{{0.5, 0, 0}, {2, 0, 0}, 0.2});
  CHECK(collinear.distance == Approx(-0.3));
  CHECK(std::abs(collinear.normal.x()) < 1e-15);
  CHECK(consistent(collinear));
  const auto on_it = closest(Capsule::sphere({0.3, 0, 0}, 0.1), Capsule{{0, 0, 0}, {1, 0, 0}, 0.2});
  CHECK(on_it.distance == Approx(-0.3));
  CHECK(std::abs(on_it.normal.x()) < 1e-15);
  const auto same = closest(Capsule::sphere({1, 2, 3}, 0.1), Capsule::sphere({1, 2, 3}, 0.2));
  CHECK(same.distance == Approx(-0.3));
  CHECK(consistent(same));
  // The limit from either side: the normal at the crossing keeps its direction as the gap closes.
  for (double gap = 1; gap > 1e-30; gap /= 3) {
    const auto c =
        closest(Capsule::segment({-1, 0.1, 0.2}, {1.3, 0.2, -0.1}), Capsule::segment({-0.2, -1, 0.3}, {0.1, 1, -0.4}));
    const auto near = closest(Capsule::segment(Vector3d(-1, 0.1, 0.2) + (gap - c.distance) * c.normal,
                                               Vector3d(1.3, 0.2, -0.1) + (gap - c.distance) * c.normal),
                              Capsule::segment({-0.2, -1, 0.3}, {0.1, 1, -0.4}));
    REQUIRE(std::abs(near.normal.dot(c.normal)) == Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("a box that is touched answers with a normal of the touched face or edge") {
  const Box box{Eigen::Isometry3d::Identity(), {1, 1, 1}};
  const auto face = closest(Capsule::segment({-0.3, 0.1, 1}, {0.4, 0.2, 1}), box);
  CHECK(std::abs(face.distance) < 1e-15);
  CHECK(face.normal.z() == Approx(1));
  const auto edge = closest(Capsule::segment({0.5, 0.2, 1.5}, {1.5, 0.1, 0.5}), box);
  CHECK(std::abs(edge.distance) < 1e-15);
  CHECK(edge.normal.x() == Approx(std::sqrt(0.5)).margin(0.1));
  CHECK(edge.normal.y() == Approx(0).margin(1e-12));
  CHECK(edge.normal.z() == Approx(std::sqrt(0.5)).margin(0.1));
  const auto corner = closest(Capsule::sphere({1, 1, 1}, 0), box);
  CHECK(std::abs(corner.distance) < 1e-15);
  CHECK(corner.normal.minCoeff() >= 0);
}

TEST_CASE("a link that pierces a plate is told the way out") {
  const Box plate{Eigen::Isometry3d::Identity(), {1, 1, 0.01}};
  const auto c = closest(Capsule{{0.9, 0, -0.5}, {0.9, 0, 0.5}, 0.02}, plate);
  CHECK(c.distance == Approx(-0.12));
  CHECK(c.normal.x() == Approx(1));
  CHECK(c.first_parameter == Approx(0.5).margin(0.011));
}

TEST_CASE("distances keep their digits in any unit of length") {
  Random random(14);
  for (int i = 0; i < 300; ++i) {
    const auto one = random.capsule(1), other = random.capsule(1);
    const auto box = random.box(1);
    for (const double scale : {1e-60, 1e-3, 1e60}) {
      const auto scaled = [&](const Capsule& c) { return Capsule{scale * c.a, scale * c.b, scale * c.radius}; };
      Box large = box;
      large.pose.translation() *= scale;
      large.half_extents *= scale;
      REQUIRE(closest(scaled(one), scaled(other)).distance / scale ==
              Approx(closest(one, other).distance).margin(1e-13));
      REQUIRE(closest(scaled(one), large).distance / scale == Approx(closest(one, box).distance).margin(1e-13));
    }
  }
}

TEST_CASE("unsound shapes are refused with their numbers") {
  using Catch::Contains;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Capsule sound{{0, 0, 0}, {1, 0, 0}, 0.1};
  CHECK_THROWS_WITH(closest(sound, Capsule{{0, 0, 0}, {1, 0, 0}, -0.1}),
                    Contains("second body") && Contains("radius -0.1"));
  CHECK_THROWS_WITH(closest(Capsule{{0, nan, 0}, {1, 0, 0}, 0.1}, sound), Contains("first body") && Contains("nan"));
  CHECK_THROWS_WITH(closest(sound, Box{Eigen::Isometry3d::Identity(), {1, 0, 1}}), Contains("(1, 0, 1)"));
  CHECK_THROWS_WITH(closest(Box{Eigen::Isometry3d::Identity(), {1, -2, 1}}, sound), Contains("(1, -2, 1)"));
  Box stretched{Eigen::Isometry3d::Identity(), {1, 1, 1}};
  stretched.pose.linear()(0, 0) = 1.5;
  CHECK_THROWS_WITH(closest(sound, stretched), Contains("1.25"));
  stretched.pose = Eigen::Isometry3d::Identity();
  stretched.pose.translation().x() = nan;
  CHECK_THROWS_AS(closest(sound, stretched), std::invalid_argument);
}
