// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/newton_euler.hpp"

/// Motion and inertia in world axes about the world's origin, where nothing has to be transformed from link to link.
namespace quoin::rigid_body::detail {

template <class T>
struct Place {
  Matrix3<T> rotation;  ///< turned axes of a link in the world
  Vector3<T> origin;
};

template <class T>
QUOIN_INLINE Place<T> place_of(const Segment& segment, const T& sine, const T& cosine, const T& q,
                               const Place<T>& parent) {
  return {parent.rotation * rotation_of(segment, sine, cosine),
          parent.origin + parent.rotation * (segment.prismatic ? offset_of(segment, q) : T(1.0) * segment.offset)};
}

/// The twist of a joint at unit rate.
template <class T>
QUOIN_INLINE Twist<T> screw_of(const Segment& segment, const Place<T>& place) {
  const Vector3<T>& axis = place.rotation.z;
  if (segment.prismatic) return {zero_vector<T>(), axis};
  return {axis, cross(place.origin, axis)};
}

template <class T>
QUOIN_INLINE Twist<T> operator+(const Twist<T>& a, const Twist<T>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <class T>
QUOIN_INLINE Wrench<T> operator+(const Wrench<T>& a, const Wrench<T>& b) {
  return {a.moment + b.moment, a.force + b.force};
}
template <class T>
QUOIN_INLINE Twist<T>& operator+=(Twist<T>& a, const Twist<T>& b) {
  a.angular += b.angular;
  a.linear += b.linear;
  return a;
}
template <class T>
QUOIN_INLINE Twist<T> operator*(const T& s, const Twist<T>& a) {
  return {s * a.angular, s * a.linear};
}
template <class T>
QUOIN_INLINE Wrench<T>& operator+=(Wrench<T>& a, const Wrench<T>& b) {
  a.moment += b.moment;
  a.force += b.force;
  return a;
}
template <class T>
QUOIN_INLINE Wrench<T> operator*(const T& s, const Wrench<T>& a) {
  return {s * a.moment, s * a.force};
}
template <class T>
QUOIN_INLINE T dot(const Twist<T>& a, const Wrench<T>& b) {
  return dot(a.angular, b.moment) + dot(a.linear, b.force);
}
/// The rate of b as it is carried along by the motion a.
template <class T>
QUOIN_INLINE Twist<T> cross(const Twist<T>& a, const Twist<T>& b) {
  return {cross(a.angular, b.angular), cross(a.angular, b.linear) + cross(a.linear, b.angular)};
}
template <class T>
QUOIN_INLINE Wrench<T> cross(const Twist<T>& a, const Wrench<T>& b) {
  return {cross(a.angular, b.moment) + cross(a.linear, b.force), cross(a.angular, b.force)};
}

template <class T, class P>
QUOIN_INLINE Body<T> body_in_world(const Body<P>& body, const Place<T>& place) {
  const Matrix3<T>& R = place.rotation;
  const Vector3<T>& p = place.origin;
  const Vector3<T> turned = R * body.h, shift = body.mass * p;
  Body<T> world{T(body.mass), turned + shift, transpose(R * transpose(R * body.inertia))};
  const Matrix3<T> outward = outer(world.h, p), inward = outer(p, turned);
  world.inertia.x = world.inertia.x - outward.x - inward.x;
  world.inertia.y = world.inertia.y - outward.y - inward.y;
  world.inertia.z = world.inertia.z - outward.z - inward.z;
  add_diagonal(world.inertia, T(dot(p, turned) + dot(p, world.h)));
  return world;
}

/// Momentum of a body with twist v; or, with v its acceleration from rest, the wrench that causes it.
template <class T>
QUOIN_INLINE Wrench<T> operator*(const Body<T>& body, const Twist<T>& v) {
  return {body.inertia * v.angular + cross(body.h, v.linear), body.mass * v.linear + cross(v.angular, body.h)};
}

template <class T>
QUOIN_INLINE Body<T>& operator+=(Body<T>& a, const Body<T>& b) {
  a.mass += b.mass;
  a.h += b.h;
  a.inertia += b.inertia;
  return a;
}

}  // namespace quoin::rigid_body::detail
