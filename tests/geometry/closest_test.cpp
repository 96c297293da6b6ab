// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/geometry/closest.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

using Eigen::Vector3d;
using quoin::Box;
using quoin::Capsule;
using quoin::Closest;
using quoin::closest;

namespace {

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Vector3d vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vector3d direction() {
    std::normal_distribution<double> normal;
    Vector3d v;
    do v = {normal(engine), normal(engine), normal(engine)};
    while (v.norm() < 1e-3);
    return v.normalized();
  }
  Eigen::Isometry3d pose(double size) {
    Eigen::Isometry3d pose(Eigen::AngleAxisd(uniform(-3, 3), direction()));
    pose.translation() = vector(size);
    return pose;
  }
  Capsule capsule(double size) { return {vector(size), vector(size), uniform(0, 0.3)}; }
  Box box(double size) { return {pose(size), {uniform(0.05, 0.8), uniform(0.05, 0.8), uniform(0.05, 0.8)}}; }
  // Now and then what formulas trip over: points for segments, directions along axes, numbers that meet.
  Capsule awkward_capsule() {
    Capsule c{lattice(), lattice(), uniform(0, 1) < 0.5 ? 0 : 0.25};
    if (uniform(0, 1) < 0.2) c.b = c.a;
    if (uniform(0, 1) < 0.2) c.b += uniform(0, 1) < 0.5 ? 1e-9 * direction() : Vector3d(1e-15 * direction());
    return c;
  }
  Box awkward_box() {
    Box box{Eigen::Isometry3d::Identity(), {0.5, 0.5, uniform(0, 1) < 0.5 ? 0.5 : 1}};
    box.pose.translation() = lattice();
    return box;
  }
  Vector3d lattice() {
    return {std::round(uniform(-2, 2)) / 2, std::round(uniform(-2, 2)) / 2, std::round(uniform(-2, 2)) / 2};
  }
};

// The least of a convex function on [0, 1], by golden section: as independent of the closed forms as can be.
double least_on_unit_interval(const std::function<double(double)>& f) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 1, left = high - golden, right = low + golden;
  double at_left = f(left), at_right = f(right), best = std::min({f(0), f(1), at_left, at_right});
  for (int i = 0; i < 85; ++i) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = f(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = f(right);
    }
    best = std::min({best, at_left, at_right});
  }
  return best;
}

double to_segment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
  const double length2 = (b - a).squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - a).dot(b - a) / length2, 0.0, 1.0) : 0;
  return (p - a - t * (b - a)).norm();
}

double outside_box(const Vector3d& p, const Box& box) {
  const Vector3d x = box.pose.inverse() * p;
  return (x.cwiseAbs() - box.half_extents).cwiseMax(0).norm();
}

double searched(const Capsule& one, const Capsule& other) {
  return least_on_unit_interval([&](double t) { return to_segment(one.a + t * (one.b - one.a), other.a, other.b); }) -
         one.radius - other.radius;
}

double searched_outside(const Capsule& one, const Box& box) {
  return least_on_unit_interval([&](double t) { return outside_box(one.a + t * (one.b - one.a), box); });
}

// How far the segment must go along the unit vector n to leave the box: every one is an upper bound of the depth.
double way_out(const Vector3d& n, const Capsule& segment, const Box& box) {
  const double extent = (box.pose.linear().transpose() * n).cwiseAbs().dot(box.half_extents);
  return extent - std::min(n.dot(segment.a - box.pose.translation()), n.dot(segment.b - box.pose.translation()));
}

// The way out has a minimum at every face of box minus segment: searched from many directions.
double least_way_out(const Capsule& segment, const Box& box, Random& random) {
  double least = std::numeric_limits<double>::infinity();
  for (int start = 0; start < 40; ++start) {
    Vector3d at = random.direction();
    double best = way_out(at, segment, box);
    for (double step = 0.5; step > 1e-6; step *= 0.8)
      for (int i = 0; i < 8; ++i) {
        const Vector3d n = (at + step * random.direction()).normalized();
        if (const double way = way_out(n, segment, box); way < best) {
          best = way;
          at = n;
        }
      }
    least = std::min(least, best);
  }
  return least;
}

bool on_box(const Vector3d& p, const Box& box) {
  const Vector3d x = (box.pose.inverse() * p).cwiseAbs();
  return (x - box.half_extents).maxCoeff() < 1e-12 && (x - box.half_extents).maxCoeff() > -1e-12;
}

bool consistent(const Closest& c) {
  return c.on_first.allFinite() && c.on_second.allFinite() && std::abs(c.normal.norm() - 1) < 1e-13 &&
         (c.on_first - c.on_second - c.distance * c.normal).norm() < 1e-12 && c.first_parameter >= 0 &&
         c.first_parameter <= 1 && c.second_parameter >= 0 && c.second_parameter <= 1;
}

bool is_at(const Vector3d& on, double t, double sign, const Capsule& c, const Vector3d& normal) {
  return (c.a + t * (c.b - c.a) + sign * c.radius * normal - on).norm() < 1e-13;
}

bool reversed(const Closest& one, const Closest& other) {
  return std::abs(one.distance - other.distance) < 1e-14 && (one.on_first - other.on_second).norm() < 1e-9 &&
         (one.on_second - other.on_first).norm() < 1e-9 && (one.normal + other.normal).norm() < 1e-9 &&
         std::abs(one.first_parameter - other.second_parameter) < 1e-9;
}

}  // namespace

TEST_CASE("distances of capsules are those that a search along one segment finds") {
  Random random(1);
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto one = random.capsule(1), other = random.capsule(1);
    const auto c = closest(one, other);
    worst = std::max(worst, std::abs(c.distance - searched(one, other)));
    REQUIRE(consistent(c));
    REQUIRE(is_at(c.on_first, c.first_parameter, -1, one, c.normal));
    REQUIRE(is_at(c.on_second, c.second_parameter, 1, other, c.normal));
  }
  CHECK(worst < 5e-15);
}

TEST_CASE("distances of capsules are right where they are parallel, collinear, touching or points") {
  Random random(2);
  double worst = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto one = random.awkward_capsule(), other = random.awkward_capsule();
    const auto c = closest(one, other);
    worst = std::max(worst, std::abs(c.distance - searched(one, other)));
    REQUIRE(consistent(c));
    REQUIRE(is_at(c.on_first, c.first_parameter, -1, one, c.normal));
    REQUIRE(is_at(c.on_second, c.second_parameter, 1, other, c.normal));
  }
  CHECK(worst < 2e-15);
}

TEST_CASE("nearly parallel segments lose no digits, at any angle") {
  Random random(3);
  double worst = 0;
  for (double angle = 1; angle > 1e-18; angle /= 1.7)
    for (int i = 0; i < 40; ++i) {
      // They cross at (s, t) with the gap between; both known beforehand.
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
    const double found = least_way_out(segment, box, random);
    highest = std::max(highest, -c.distance - found);
    lowest = std::max(lowest, found + c.distance);
    // Moved out, and a little further, it is that little away.
    const Vector3d out = (1e-3 - c.distance) * c.normal;
    REQUIRE(closest(Capsule::segment(segment.a + out, segment.b + out), box).distance == Approx(1e-3).margin(1e-12));
  }
  CHECK(inside > 400);
  CHECK(highest < 1e-12);
  CHECK(lowest < 1e-3);  // what the random search comes to, at minima that are corners
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

TEST_CASE("the distance is continuous, and 1-Lipschitz, along paths into, through and out of a box") {
  Random random(10);
  for (int i = 0; i < 200; ++i) {
    const Box box{random.pose(0.2), {0.3, 0.2, i % 2 ? 0.02 : 0.4}};
    auto capsule = random.capsule(i % 3 ? 0.7 : 0.05);
    const Vector3d along = random.direction(), past = box.pose.translation() - (capsule.a + capsule.b) / 2;
    capsule.a += past;
    capsule.b += past;
    const double step = 1e-3;
    double before = std::numeric_limits<double>::quiet_NaN(), deepest = 0;
    for (double at = -1.5; at <= 1.5; at += step) {
      const double d = closest({capsule.a + at * along, capsule.b + at * along, capsule.radius}, box).distance;
      if (at > -1.5) REQUIRE(std::abs(d - before) <= step * (1 + 1e-9));
      before = d;
      deepest = std::min(deepest, d);
    }
    CHECK(deepest < 0);
  }
}

namespace {

// Largest Taylor remainder over many pairs away from ridges, at h = 2^-k / 100.
template <class Distance, class Gradient>
std::vector<double> remainders(int pairs, Random& random, const std::function<Eigen::VectorXd()>& draw,
                               const Distance& distance, const Gradient& gradient, int& used) {
  std::vector<double> sum(6, 0);
  for (int i = 0; i < pairs; ++i) {
    const Eigen::VectorXd x = draw();
    Eigen::VectorXd w(x.size());
    for (double& component : w) component = random.uniform(-1, 1);
    w.normalize();
    const Eigen::VectorXd g = gradient(x);
    REQUIRE(g.allFinite());
    // A ridge between, or one at whose end the curvature grows without bound: the derivative turns.
    if ((gradient(x + 0.01 * w) - g).norm() > 0.1) continue;
    ++used;
    double h = 0.01;
    for (double& total : sum) {
      total += std::abs(distance(x + h * w) - distance(x) - h * g.dot(w));
      h /= 2;
    }
  }
  return sum;
}

void check_second_order(const std::vector<double>& sum) {
  for (std::size_t k = 1; k < sum.size(); ++k) {
    CHECK(std::log2(sum[k - 1] / sum[k]) > 1.8);
    CHECK(std::log2(sum[k - 1] / sum[k]) < 2.2);
  }
}

Eigen::VectorXd stacked(const Vector3d& a, const Vector3d& b) { return (Eigen::VectorXd(6) << a, b).finished(); }

}  // namespace

TEST_CASE("derivatives by the ends of two capsules leave a Taylor remainder of second order") {
  Random random(11);
  int used = 0;
  const auto pair = [](const Eigen::VectorXd& x) {
    return closest({x.segment<3>(0), x.segment<3>(3), 0.1}, {x.segment<3>(6), x.segment<3>(9), 0.2});
  };
  const auto sum = remainders(
      3000, random,
      [&] {
        return Eigen::VectorXd(
            (Eigen::VectorXd(12) << random.vector(1), random.vector(1), random.vector(1), random.vector(1)).finished());
      },
      [&](const Eigen::VectorXd& x) { return pair(x).distance; },
      [&](const Eigen::VectorXd& x) {
        const auto c = pair(x);
        const auto [a, b] = quoin::derivative_by_first(c);
        const auto [e, f] = quoin::derivative_by_second(c);
        return Eigen::VectorXd((Eigen::VectorXd(12) << a, b, e, f).finished());
      },
      used);
  CHECK(used > 2000);
  check_second_order(sum);
}

TEST_CASE("derivatives against a box leave a Taylor remainder of second order, outside and within") {
  Random random(12);
  const Box box{random.pose(0.2), {0.5, 0.4, 0.3}};
  for (const bool within : {false, true}) {
    int used = 0;
    const auto sum = remainders(
        4000, random,
        [&] {
          Eigen::VectorXd x;
          do x = stacked(random.vector(1), random.vector(1));
          while ((closest(Capsule::segment(x.head<3>(), x.tail<3>()), box).distance < -0.02) != within);
          return x;
        },
        [&](const Eigen::VectorXd& x) {
          return closest({x.head<3>(), x.tail<3>(), 0.1}, box).distance;
        },
        [&](const Eigen::VectorXd& x) {
          const auto [a, b] = quoin::derivative_by_first(closest({x.head<3>(), x.tail<3>(), 0.1}, box));
          return stacked(a, b);
        },
        used);
    CHECK(used > 2000);
    check_second_order(sum);
  }
}

TEST_CASE("a moving box changes the distance by the motion of its closest point") {
  Random random(13);
  int used = 0;
  const Capsule capsule{{0.1, -0.2, 0.3}, {0.5, 0.6, 0.1}, 0.05};
  const auto start = random.pose(0.5);
  // x: a turn by the vector x.tail about the origin of the world after a shift by x.head
  const auto at = [&](const Eigen::VectorXd& x) {
    Eigen::Isometry3d pose = start;
    pose.translation() += x.head<3>();
    const double angle = x.tail<3>().norm();
    if (angle > 0) pose = Eigen::AngleAxisd(angle, x.tail<3>() / angle) * pose;
    return Box{pose, {0.3, 0.2, 0.1}};
  };
  for (int i = 0; i < 200; ++i) {
    const Eigen::VectorXd w = stacked(random.direction(), random.direction());
    const auto c = closest(capsule, at(Eigen::VectorXd::Zero(6)));
    const double rate = -c.normal.dot(Vector3d(w.head<3>()) + Vector3d(w.tail<3>()).cross(c.on_second));
    const double h = 1e-4;
    const double difference = (closest(capsule, at(h * w)).distance - closest(capsule, at(-h * w)).distance) / (2 * h);
    CHECK(rate == Approx(difference).margin(1e-6));
    ++used;
  }
  CHECK(used == 200);
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
  // The limit from either side: the normal of the crossing does not tip over as the gap closes.
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
