// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/closest.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

/// Random shapes, and independent computations of what closest() answers.
namespace quoin::test {

using Eigen::Vector3d;

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
  // Some cases are hard for formulas: points for segments, directions along axes, coinciding numbers.
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

// The minimum of a convex function on [0, 1] by golden section: as independent of the closed forms as possible.
inline double min_on_unit_interval(const std::function<double(double)>& f) {
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

inline double to_segment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
  const double length2 = (b - a).squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - a).dot(b - a) / length2, 0.0, 1.0) : 0;
  return (p - a - t * (b - a)).norm();
}

inline double outside_box(const Vector3d& p, const Box& box) {
  const Vector3d x = box.pose.inverse() * p;
  return (x.cwiseAbs() - box.half_extents).cwiseMax(0).norm();
}

inline double searched(const Capsule& one, const Capsule& other) {
  return min_on_unit_interval([&](double t) { return to_segment(one.a + t * (one.b - one.a), other.a, other.b); }) -
         one.radius - other.radius;
}

inline double searched_outside(const Capsule& one, const Box& box) {
  return min_on_unit_interval([&](double t) { return outside_box(one.a + t * (one.b - one.a), box); });
}

// The length by which the segment must move along the unit vector n to leave the box: each is an
// upper bound of the depth.
inline double way_out(const Vector3d& n, const Capsule& segment, const Box& box) {
  const double extent = (box.pose.linear().transpose() * n).cwiseAbs().dot(box.half_extents);
  return extent - std::min(n.dot(segment.a - box.pose.translation()), n.dot(segment.b - box.pose.translation()));
}

// The way out has a local minimum at every face of the Minkowski difference of box and segment: searched
// from many directions.
inline double min_way_out(const Capsule& segment, const Box& box, Random& random) {
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

inline bool on_box(const Vector3d& p, const Box& box) {
  const Vector3d x = (box.pose.inverse() * p).cwiseAbs();
  return (x - box.half_extents).maxCoeff() < 1e-12 && (x - box.half_extents).maxCoeff() > -1e-12;
}

inline bool consistent(const Closest& c) {
  return c.on_first.allFinite() && c.on_second.allFinite() && std::abs(c.normal.norm() - 1) < 1e-13 &&
         (c.on_first - c.on_second - c.distance * c.normal).norm() < 1e-12 && c.first_parameter >= 0 &&
         c.first_parameter <= 1 && c.second_parameter >= 0 && c.second_parameter <= 1;
}

inline bool is_at(const Vector3d& on, double t, double sign, const Capsule& c, const Vector3d& normal) {
  return (c.a + t * (c.b - c.a) + sign * c.radius * normal - on).norm() < 1e-13;
}

inline bool reversed(const Closest& one, const Closest& other) {
  return std::abs(one.distance - other.distance) < 1e-14 && (one.on_first - other.on_second).norm() < 1e-9 &&
         (one.on_second - other.on_first).norm() < 1e-9 && (one.normal + other.normal).norm() < 1e-9 &&
         std::abs(one.first_parameter - other.second_parameter) < 1e-9;
}

}  // namespace quoin::test
