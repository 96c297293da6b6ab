// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/shapes.hpp"

namespace quoin {

/// The closest points of two bodies, or their overlap: on_first - on_second = distance * normal in both cases.
struct Closest {
  double distance;                      ///< m; negative: minus the length of the shortest separating translation
  Eigen::Vector3d on_first, on_second;  ///< points of the two surfaces, m
  Eigen::Vector3d normal;               ///< unit, from the second to the first: the direction in which the first leaves
  double first_parameter, second_parameter;  ///< t in [0, 1]: the point belongs to a + t (b - a) of its capsule; box: 0
};

/// The signed distance of two convex bodies, with what its derivative needs.
///
///   const Capsule link{elbow, wrist, 0.04};
///   const Closest c = closest(link, Box{pose, {0.3, 0.2, 0.01}});
///   if (c.distance < 0) ...                          // they overlap: moving the link by -distance * normal parts them
///   const auto [da, db] = derivative_by_first(c);    // of the distance, by elbow and wrist
///
/// The distance is the signed distance of the origin to the Minkowski difference of the two bodies: the least distance
/// of their points where they are apart, and where they overlap minus the length of the shortest translation that makes
/// them touch. It is continuous, 1-Lipschitz in either body's translation, and computed in closed form to a few
/// roundings of the coordinates' size; closest(b, a) is closest(a, b) with the roles exchanged. Segments are compared
/// by cross products, so that nearly parallel ones lose no digits; a segment's distance to a box is convex and
/// piecewise quadratic along it and is solved between breakpoints; its depth in a box is the least over the 6
/// directions of faces of box minus segment, 3 of the box and 3 of its axes times the segment (Gottschalk, Lin,
/// Manocha, OBBTree, 1996).
///
/// Derivative: with the two closest points fixed to their bodies, d distance = normal . (d on_first - d on_second), by
/// the envelope theorem. For the ends of a capsule see below; on a body with velocity v and angular velocity w about o
/// the point moves with v + w x (point - o). Where closest points or directions tie (parallel edges, equally near
/// faces, cores that cross or touch) the distance has a ridge; one of the tied minimizers is returned, so that the
/// derivative is an element of Clarke's generalized gradient, never NaN. Cores that touch have a normal perpendicular
/// to both segments.
///
/// Takes 25 ns for two capsules, 60 ns with a box (docs/notes/geometry.md). Throws std::invalid_argument for unsound
/// shapes (`require_shape`).
Closest closest(const Capsule& first, const Capsule& second);
Closest closest(const Capsule& first, const Box& second);
Closest closest(const Box& first, const Capsule& second);

/// Derivatives of the distance with respect to the end points of a capsule: d distance = a . da + b . db.
struct EndDerivatives {
  /// Unit vectors or shorter: by the one end and by the other.
  Eigen::Vector3d a, b;
};

/// If the first body is a capsule: (1 - t) normal and t normal.
EndDerivatives derivative_by_first(const Closest& closest);
/// If the second body is a capsule: -(1 - t) normal and -t normal.
EndDerivatives derivative_by_second(const Closest& closest);

}  // namespace quoin
