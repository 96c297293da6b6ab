// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/vector3.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <cstddef>

/// The recursive Newton-Euler algorithm of Luh, Walker and Paul (1980), Alg. 1 of Sutanto et al. 2020, in the turned
/// axes of the links. Index 0 of every array is the world, i + 1 is joint i.
namespace quoin::rigid_body::detail {

using Segment = RigidBodyTree::Segment;

/// Motion of a link about its origin, in its turned axes.
template <class T>
struct LinkMotion {
  Vector3<T> rate;          ///< angular velocity
  Vector3<T> change;        ///< angular acceleration
  Vector3<T> acceleration;  ///< of the origin; gravity enters as the acceleration of the world
};

template <class T>
struct Wrench {
  Vector3<T> moment, force;
};

/// Maps coordinates of a link to its parent's, both in turned axes.
template <class T>
QUOIN_INLINE Matrix3<T> rotation_of(const Segment& segment, const T& sine, const T& cosine) {
  const Matrix3<double>& E = segment.rotation;
  if (segment.prismatic) {
    const T one(1.0);
    return {one * E.x, one * E.y, one * E.z};
  }
  return {{cosine * E.x.x + sine * E.y.x, cosine * E.x.y + sine * E.y.y, cosine * E.x.z + sine * E.y.z},
          {cosine * E.y.x - sine * E.x.x, cosine * E.y.y - sine * E.x.y, cosine * E.y.z - sine * E.x.z},
          {T(E.z.x), T(E.z.y), T(E.z.z)}};
}

/// The origin of a link in its parent's turned axes.
template <class T>
QUOIN_INLINE Vector3<T> offset_of(const Segment& segment, const T& q) {
  return segment.offset + q * segment.rotation.z;
}

template <class T>
QUOIN_INLINE Vector3<T> acceleration_at(const LinkMotion<T>& m, const auto& point) {
  return m.acceleration + cross(m.change, point) + cross(m.rate, cross(m.rate, point));
}

/// The motion of a child from that of its parent.
template <class T>
QUOIN_INLINE LinkMotion<T> motion_of(const Segment& segment, const Matrix3<T>& R, const LinkMotion<T>& parent,
                                     const T& q, const T& qd, const T& qdd) {
  const Vector3<T> w = transpose_times(R, parent.rate), dw = transpose_times(R, parent.change);
  if (segment.prismatic) {
    const Vector3<T> a = transpose_times(R, acceleration_at(parent, offset_of(segment, q)));
    const T twice = 2.0 * qd;
    return {w, dw, {a.x + twice * w.y, a.y - twice * w.x, a.z + qdd}};
  }
  return {{w.x, w.y, w.z + qd},
          {dw.x + qd * w.y, dw.y - qd * w.x, dw.z + qdd},
          transpose_times(R, acceleration_at(parent, segment.offset))};
}

/// The wrench that gives a body this motion.
template <class T, class P>
QUOIN_INLINE Wrench<T> wrench_of(const Body<P>& body, const LinkMotion<T>& m) {
  const Vector3<T> spin = body.inertia * m.rate;
  return {body.inertia * m.change + cross(m.rate, spin) + cross(body.h, m.acceleration),
          body.mass * m.acceleration + cross(m.change, body.h) + cross(m.rate, cross(m.rate, body.h))};
}

/// The body that a column of parameters describes, in the turned axes of its link.
template <class P, class Column>
Body<P> turned_body(const Segment& segment, const Column& column) {
  Body<P> body{
      column[0],
      {column[1], column[2], column[3]},
      {{column[4], column[7], column[10]}, {column[5], column[8], column[11]}, {column[6], column[9], column[12]}}};
  if (!segment.turned) return body;
  body.h = transpose_times(segment.axes, body.h);
  const auto turn = [&](const Matrix3<P>& m) {
    return Matrix3<P>{transpose_times(segment.axes, m.x), transpose_times(segment.axes, m.y),
                      transpose_times(segment.axes, m.z)};
  };
  body.inertia = transpose(turn(transpose(turn(body.inertia))));
  return body;
}

/// Writes a gradient by the parameters in turned axes as one by the column of parameters.
template <class T, class Column>
QUOIN_INLINE void write_gradient(const Segment& segment, Body<T> gradient, Column&& column) {
  if (segment.turned) {
    const auto turn = [&](const Matrix3<T>& m) {
      const Matrix3<double> A = transpose(segment.axes);
      return Matrix3<T>{transpose_times(A, m.x), transpose_times(A, m.y), transpose_times(A, m.z)};
    };
    gradient.h = transpose_times(transpose(segment.axes), gradient.h);
    gradient.inertia = transpose(turn(transpose(turn(gradient.inertia))));
  }
  const Vector3<T>&x = gradient.inertia.x, &y = gradient.inertia.y, &z = gradient.inertia.z;
  const T values[13] = {gradient.mass, gradient.h.x, gradient.h.y, gradient.h.z, x.x, y.x, z.x,
                        x.y,           y.y,          z.y,          x.z,          y.z, z.z};
  for (int k = 0; k < 13; ++k) column[k] = values[k];
}

/// Joint forces. rotation, motion, wrench: n + 1 each; motion[0] is set. The joints' velocities and accelerations
/// may be null, meaning zero.
template <class T, class P>
void newton_euler(const std::vector<Segment>& segments, const Body<P>* bodies, const T* sine, const T* cosine,
                  const T* q, const T* qd, const T* qdd, Matrix3<T>* rotation, LinkMotion<T>* motion, Wrench<T>* wrench,
                  T* force) {
  const std::size_t n = segments.size();
  const T zero(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Segment& segment = segments[i];
    rotation[i + 1] = rotation_of(segment, sine[i], cosine[i]);
    motion[i + 1] =
        motion_of(segment, rotation[i + 1], motion[segment.parent], q[i], qd ? qd[i] : zero, qdd ? qdd[i] : zero);
    wrench[i + 1] = wrench_of(bodies[i], motion[i + 1]);
  }
  for (std::size_t i = n; i-- > 0;) {
    const Segment& segment = segments[i];
    const Wrench<T>& own = wrench[i + 1];
    force[i] = segment.prismatic ? own.force.z : own.moment.z;
    if (segment.parent == 0) continue;
    Wrench<T>& parent = wrench[segment.parent];
    const Vector3<T> pull = rotation[i + 1] * own.force;
    parent.force += pull;
    parent.moment += rotation[i + 1] * own.moment;
    parent.moment += segment.prismatic ? cross(offset_of(segment, q[i]), pull) : cross(segment.offset, pull);
  }
}

/// The twist of a link for given joint rates; here a direction along which forces are summed.
template <class T>
struct Twist {
  Vector3<T> angular, linear;
};

template <class T>
QUOIN_INLINE Twist<T> carried(const Segment& segment, const Matrix3<T>& R, const Twist<T>& parent, const T& q) {
  const Vector3<T> linear = parent.linear + (segment.prismatic ? cross(parent.angular, offset_of(segment, q))
                                                               : cross(parent.angular, segment.offset));
  return {transpose_times(R, parent.angular), transpose_times(R, linear)};
}

/// The derivative by a body's parameters of the power twist . wrench_of(body, motion), which is linear in them.
template <class T>
QUOIN_INLINE Body<T> power_gradient(const Twist<T>& s, const LinkMotion<T>& m) {
  Body<T> gradient{
      dot(s.linear, m.acceleration),
      cross(s.linear, m.change) + cross(m.rate, cross(m.rate, s.linear)) + cross(m.acceleration, s.angular),
      outer(s.angular, m.change)};
  gradient.inertia += outer(cross(s.angular, m.rate), m.rate);
  return gradient;
}

}  // namespace quoin::rigid_body::detail
