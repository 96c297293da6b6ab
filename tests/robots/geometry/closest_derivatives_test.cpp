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
    // The derivative turns at a ridge in between, or where the curvature grows without bound at a ridge's end.
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
