// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace quoin::detail {

inline double clamp01(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

/// The closest points a + s d and b + t e of two segments.
struct SegmentPair {
  double s, t;
  double squared;
  Eigen::Vector3d apart;  ///< (a + s d) - (b + t e)
};

// Compares the ends against the segments and the lines' closest points: one of these always is the least.
inline SegmentPair nearest_of_candidates(const Eigen::Vector3d& d, const Eigen::Vector3d& e, const Eigen::Vector3d& w) {
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e), dw = d.dot(w), ew = e.dot(w);
  const auto ratio = [](double x, double y) { return y > 0 ? clamp01(x / y) : 0; };
  SegmentPair best{0, 0, std::numeric_limits<double>::infinity(), w};
  const auto offer = [&](double s, double t) {
    const Eigen::Vector3d apart = w + s * d - t * e;
    if (const double squared = apart.squaredNorm(); squared < best.squared) best = {s, t, squared, apart};
  };
  offer(0, ratio(ew, ee));
  offer(1, ratio(ew + de, ee));
  offer(ratio(-dw, dd), 0);
  offer(ratio(de - dw, dd), 1);
  // The error along the lines is rounding / angle, and it changes the distance by angle times as much. From
  // dd ee - de^2 instead of the cross product it would be rounding / angle^2.
  const Eigen::Vector3d n = d.cross(e);
  if (const double nn = n.squaredNorm(); nn > 0) {
    const double t = ratio(ew + clamp01(e.cross(w).dot(n) / nn) * de, ee);
    offer(ratio(t * de - dw, dd), t);
  }
  return best;
}

/// Least distance of two segments a + s d and b + t e, with w = a - b.
inline SegmentPair nearest_segments(const Eigen::Vector3d& d, const Eigen::Vector3d& e, const Eigen::Vector3d& w) {
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e);
  const double determinant = dd * ee - de * de;
  if (!(determinant > 1e-2 * dd * ee)) return nearest_of_candidates(d, e, w);
  const double dw = d.dot(w), ew = e.dot(w);
  double s = clamp01((de * ew - ee * dw) / determinant);
  double t = (ew + s * de) / ee;
  if (t < 0) {
    t = 0;
    s = clamp01(-dw / dd);
  } else if (t > 1) {
    t = 1;
    s = clamp01((de - dw) / dd);
  }
  const Eigen::Vector3d apart = w + s * d - t * e;
  return {s, t, apart.squaredNorm(), apart};
}

/// The closest points of a segment a + t d, t in [0, 1], and the box |x_i| <= h_i, unless they cross.
struct SegmentBoxPair {
  bool crosses;  ///< then the rest is not set
  double t;
  double squared;
  Eigen::Vector3d apart;  ///< from the box's nearest point to a + t d
};

inline Eigen::Vector3d beyond(const Eigen::Vector3d& x, const Eigen::Vector3d& h) {
  return x - x.cwiseMin(h).cwiseMax(-h);
}

inline SegmentBoxPair nearest_segment_box(const Eigen::Vector3d& a, const Eigen::Vector3d& d,
                                          const Eigen::Vector3d& h) {
  double breakpoints[6];
  double enter = 0, leave = 1;
  for (int i = 0; i < 3; ++i) {
    double low = -1, high = 2;  // no breakpoint within
    if (d[i] != 0) {
      low = (-h[i] - a[i]) / d[i];
      high = (h[i] - a[i]) / d[i];
      if (low > high) std::swap(low, high);
    } else if (std::abs(a[i]) > h[i]) {
      leave = -1;
    }
    breakpoints[2 * i] = low;
    breakpoints[2 * i + 1] = high;
    enter = std::max(enter, low);
    leave = std::min(leave, high);
  }
  SegmentBoxPair result;
  result.crosses = enter <= leave;
  if (result.crosses) return result;

  // Half the derivative of the squared distance: increasing, and linear between the breakpoints.
  const auto slope = [&](double t) { return d.dot(beyond(a + t * d, h)); };
  double low = 0, high = 1, at_low = slope(0), at_high = slope(1);
  if (at_low >= 0) {
    result.t = 0;
  } else if (at_high <= 0) {
    result.t = 1;
  } else {
    for (const double t : breakpoints) {
      if (!(t > low && t < high)) continue;
      const double at = slope(t);
      (at < 0 ? low : high) = t;
      (at < 0 ? at_low : at_high) = at;
    }
    result.t = std::clamp(low + (high - low) * (at_low / (at_low - at_high)), low, high);
  }
  result.apart = beyond(a + result.t * d, h);
  result.squared = result.apart.squaredNorm();
  return result;
}

}  // namespace quoin::detail
