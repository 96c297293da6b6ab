// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/closest.hpp"

#include "segment_pairs.hpp"
#include "unchecked_closest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quoin {
namespace {

constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

// Unit vector perpendicular to both segments; if they are parallel, any perpendicular to the longer one.
Eigen::Vector3d common_perpendicular(const Eigen::Vector3d& d, const Eigen::Vector3d& e) {
  const double dd = d.squaredNorm(), ee = e.squaredNorm();
  const Eigen::Vector3d n = d.cross(e);
  if (const double nn = n.squaredNorm(); nn > 1e-24 * dd * ee && nn > 0) return n / std::sqrt(nn);
  if (dd == 0 && ee == 0) return Eigen::Vector3d::UnitX();
  return dd > ee ? d.unitOrthogonal() : e.unitOrthogonal();
}

Eigen::Vector3d normal_of(const detail::SegmentPair& pair, const Eigen::Vector3d& d, const Eigen::Vector3d& e,
                          const Eigen::Vector3d& w) {
  const double size = d.squaredNorm() + e.squaredNorm() + w.squaredNorm();
  if (pair.squared > 1e-12 * size) return pair.apart / std::sqrt(pair.squared);
  // Close to touching, the difference of the points has few digits; where the segments cross, use their directions.
  const double sine2 = d.cross(e).squaredNorm() / (d.squaredNorm() * e.squaredNorm());
  const bool crossing = pair.s > 0 && pair.s < 1 && pair.t > 0 && pair.t < 1;
  if (crossing && sine2 * size > pair.squared) {
    const Eigen::Vector3d n = common_perpendicular(d, e);
    return n.dot(pair.apart) < 0 ? Eigen::Vector3d(-n) : n;
  }
  if (pair.squared > rounding * rounding * size) return pair.apart / std::sqrt(pair.squared);
  return common_perpendicular(d, e);
}

// A segment against a box, in the box's frame: signed distance, the box's point and the normal out of the box.
struct SegmentInBox {
  double t, distance;
  Eigen::Vector3d on_box, normal;
};

// The part of the segment within the slabs of some axes, that is, over the interior of a face or an edge. The slabs are
// widened by the rounding error, since a touching segment may lie in the bound of a slab.
class Interval {
 public:
  void within(double h, double a, double d, double slack) {
    if (d == 0) return;
    const double one = (-h - slack - a) / d, other = (h + slack - a) / d;
    enter_ = std::max(enter_, std::min(one, other));
    leave_ = std::min(leave_, std::max(one, other));
  }
  double enter() const { return enter_ < leave_ ? enter_ : middle(); }
  double leave() const { return enter_ < leave_ ? leave_ : middle(); }
  double middle() const { return detail::clamp01((enter_ + leave_) / 2); }

 private:
  double enter_ = 0, leave_ = 1;
};

// Pushes the segment out over a face, which its deepest end leaves last.
SegmentInBox out_over_face(int i, double sign, double overlap, const Eigen::Vector3d& a, const Eigen::Vector3d& d,
                           const Eigen::Vector3d& h, double slack) {
  Interval inside;
  for (const int j : {(i + 1) % 3, (i + 2) % 3}) inside.within(h[j], a[j], d[j], slack);
  const double slope = sign * d[i];
  SegmentInBox result;
  result.t = slope > 0 ? inside.enter() : slope < 0 ? inside.leave() : inside.middle();
  result.distance = -overlap;
  result.on_box = (a + result.t * d).cwiseMin(h).cwiseMax(-h);
  result.on_box[i] = sign * h[i];
  result.normal = sign * Eigen::Vector3d::Unit(i);
  return result;
}

// Pushes the segment out over an edge along axis i; `normal` is perpendicular to both.
SegmentInBox out_over_edge(int i, const Eigen::Vector3d& normal, double overlap, const Eigen::Vector3d& a,
                           const Eigen::Vector3d& d, const Eigen::Vector3d& h, double slack) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  Interval inside;
  inside.within(h[i], a[i], d[i], slack);
  SegmentInBox result;
  result.on_box[j] = std::copysign(h[j], normal[j]);
  result.on_box[k] = std::copysign(h[k], normal[k]);
  const double foot =
      ((result.on_box[j] - a[j]) * d[j] + (result.on_box[k] - a[k]) * d[k]) / (d[j] * d[j] + d[k] * d[k]);
  result.t = std::clamp(foot, inside.enter(), inside.leave());
  result.on_box[i] = std::clamp(a[i] + result.t * d[i], -h[i], h[i]);
  result.distance = -overlap;
  result.normal = normal;
  // For a segment nearly along the edge `normal` has few correct digits, and the two points give a better one.
  if (overlap * overlap > d[j] * d[j] + d[k] * d[k]) {
    result.normal = result.on_box - a - result.t * d;
    result.normal[i] = 0;
    result.normal.normalize();
  }
  return result;
}

// The least translation that separates segment and box, over the faces of box minus segment, a zonotope.
SegmentInBox depth_in_box(const Eigen::Vector3d& a, const Eigen::Vector3d& d, const Eigen::Vector3d& h) {
  const Eigen::Vector3d middle = a + d / 2;
  const double slack = rounding * (h.sum() + d.norm() + middle.norm());
  double least = std::numeric_limits<double>::infinity();
  int axis = 0;
  for (int i = 0; i < 3; ++i) {
    const double overlap = h[i] + std::abs(d[i]) / 2 - std::abs(middle[i]);
    if (overlap < least) {
      least = overlap;
      axis = i;
    }
  }
  int edge = -1;
  Eigen::Vector3d normal;
  // Where an edge and a face tie up to rounding, the face's points are the safe ones.
  double min_over_edges = least - slack;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (d[j] == 0 || d[k] == 0) continue;  // a face's own normal, or none
    const double length = std::hypot(d[j], d[k]);
    Eigen::Vector3d n;
    n[i] = 0;
    n[j] = -d[k] / length;
    n[k] = d[j] / length;
    const double side = n.dot(middle);
    const double overlap = std::abs(n[j]) * h[j] + std::abs(n[k]) * h[k] - std::abs(side);
    if (overlap < min_over_edges) {
      min_over_edges = overlap;
      edge = i;
      normal = side < 0 ? Eigen::Vector3d(-n) : n;
    }
  }
  return edge < 0 ? out_over_face(axis, middle[axis] < 0 ? -1.0 : 1.0, least, a, d, h, slack)
                  : out_over_edge(edge, normal, min_over_edges, a, d, h, slack);
}

SegmentInBox segment_in_box(const Eigen::Vector3d& a, const Eigen::Vector3d& d, const Eigen::Vector3d& h) {
  const auto pair = detail::nearest_segment_box(a, d, h);
  if (pair.crosses) return depth_in_box(a, d, h);
  const double size = h.sum() + a.norm() + d.norm();
  // Touching from outside: the difference of the points is rounding and gives no normal.
  if (pair.squared <= rounding * rounding * size * size) return depth_in_box(a, d, h);
  const double distance = std::sqrt(pair.squared);
  return {pair.t, distance, a + pair.t * d - pair.apart, pair.apart / distance};
}

}  // namespace

namespace detail {

Closest unchecked_closest(const Eigen::Vector3d& a, const Eigen::Vector3d& d, double radius, const Eigen::Vector3d& b,
                          const Eigen::Vector3d& e, double other_radius) {
  const Eigen::Vector3d w = a - b;
  const auto pair = nearest_segments(d, e, w);
  const Eigen::Vector3d normal = normal_of(pair, d, e, w);
  return {std::sqrt(pair.squared) - (radius + other_radius),
          a + pair.s * d - radius * normal,
          b + pair.t * e + other_radius * normal,
          normal,
          pair.s,
          pair.t};
}

Closest unchecked_closest(const Eigen::Vector3d& a, const Eigen::Vector3d& d, double radius, const Box& box) {
  const Eigen::Matrix3d rotation = box.pose.linear();
  const auto in_box =
      segment_in_box(rotation.transpose() * (a - box.pose.translation()), rotation.transpose() * d, box.half_extents);
  const Eigen::Vector3d normal = rotation * in_box.normal;
  return {in_box.distance - radius,
          a + in_box.t * d - radius * normal,
          box.pose.translation() + rotation * in_box.on_box,
          normal,
          in_box.t,
          0};
}

}  // namespace detail

Closest closest(const Capsule& first, const Capsule& second) {
  require_shape(first, "closest: first body");
  require_shape(second, "closest: second body");
  return detail::unchecked_closest(first.a, first.b - first.a, first.radius, second.a, second.b - second.a,
                                   second.radius);
}

Closest closest(const Capsule& first, const Box& second) {
  require_shape(first, "closest: first body");
  require_shape(second, "closest: second body");
  return detail::unchecked_closest(first.a, first.b - first.a, first.radius, second);
}

Closest closest(const Box& first, const Capsule& second) {
  require_shape(first, "closest: first body");
  require_shape(second, "closest: second body");
  const auto c = detail::unchecked_closest(second.a, second.b - second.a, second.radius, first);
  return {c.distance, c.on_second, c.on_first, -c.normal, c.second_parameter, c.first_parameter};
}

EndDerivatives derivative_by_first(const Closest& closest) {
  return {(1 - closest.first_parameter) * closest.normal, closest.first_parameter * closest.normal};
}

EndDerivatives derivative_by_second(const Closest& closest) {
  return {-(1 - closest.second_parameter) * closest.normal, -closest.second_parameter * closest.normal};
}

}  // namespace quoin
