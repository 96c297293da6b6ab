// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/detail/world_frame.hpp"

/// Inverse dynamics and its derivatives by q, qd and qdd in closed form, after Singh, Russo and Wensing (2022), without
/// the assumption that inertias are symmetric (docs/rigid_body.md).
namespace quoin::rigid_body::detail {

/// How the wrench of one or more bodies changes with velocity: B psi = (N a, 2 a x p) for a twist psi = (a, b).
template <class T>
struct VelocityEffect {
  Matrix3<T> N;
  Vector3<T> momentum;
};

template <class T>
QUOIN_INLINE Wrench<T> operator*(const VelocityEffect<T>& B, const Twist<T>& psi) {
  const Vector3<T> turn = cross(psi.angular, B.momentum);
  return {B.N * psi.angular, turn + turn};
}

/// N = w x I - I w x - (I w) x - 2 h x u x for a body that moves with the twist (w, u).
template <class T>
QUOIN_INLINE VelocityEffect<T> velocity_effect(const Body<T>& body, const Twist<T>& v, const Wrench<T>& momentum) {
  const Vector3<T>&w = v.angular, &u = v.linear;
  const Matrix3<T>& I = body.inertia;
  const Vector3<T> spin = momentum.moment - cross(body.h, u);
  const T zero(0.0), two(2.0);
  const Vector3<T> twice = two * u;
  Matrix3<T> N = outer(twice, body.h);
  N.x = cross(w, I.x) - (w.z * I.y - w.y * I.z) - Vector3<T>{zero, spin.z, zero - spin.y} - N.x;
  N.y = cross(w, I.y) - (w.x * I.z - w.z * I.x) - Vector3<T>{zero - spin.z, zero, spin.x} - N.y;
  N.z = cross(w, I.z) - (w.y * I.x - w.x * I.y) - Vector3<T>{spin.y, zero - spin.x, zero} - N.z;
  add_diagonal(N, T(dot(body.h, twice)));
  return {N, momentum.force};
}

/// All bodies that move with a joint.
template <class T>
struct Composite {
  Body<T> body;
  VelocityEffect<T> effect;
  Wrench<T> wrench;
};

template <class T>
QUOIN_INLINE Composite<T>& operator+=(Composite<T>& a, const Composite<T>& b) {
  a.body += b.body;
  a.effect.N += b.effect.N;
  a.effect.momentum += b.effect.momentum;
  a.wrench += b.wrench;
  return a;
}

template <class T>
struct JointScrews {
  Twist<T> S;                 ///< of the joint
  Twist<T> drift, curvature;  ///< of its parent: v x S, and a x S + v x (v x S)
};

/// Component by component, an entry per joint, padded to whole packs of eight: the terms that form
/// a column of a derivative.
template <class T>
struct JointRows {
  T* at;
  int padded;
  T* S() const { return at; }                     ///< screws, 6
  T* inertia() const { return at + 6 * padded; }  ///< S^T I of all bodies that move with the joint, 6
  T* effect() const { return at + 12 * padded; }  ///< S^T B of the same bodies, angular part only, 3
  static constexpr int components = 15;
};

/// The wrenches that q, qd and qdd of a joint add to all bodies that move with it.
template <class T>
struct JointEffects {
  Wrench<T> by_q, by_qd, by_qdd;
};

template <class T>
QUOIN_INLINE T row_dot(const T* row, int stride, const Vector3<T>& a, const Vector3<T>& b) {
  return row[0] * a.x + row[stride] * a.y + row[2 * stride] * a.z + row[3 * stride] * b.x + row[4 * stride] * b.y +
         row[5 * stride] * b.z;
}
template <class T>
QUOIN_INLINE T row_dot(const T* row, int stride, const Vector3<T>& a) {
  return row[0] * a.x + row[stride] * a.y + row[2 * stride] * a.z;
}

/// Column j of the three derivatives, all rows k. For k < j, joint k feels the wrenches, S(k) . wrench; for k >= j,
/// joint j moves it, inertia(k) . acceleration + effect(k) . velocity. `mask` holds `padded` ones, then `padded` zeros.
template <class T>
QUOIN_INLINE void fill_columns(const JointRows<T>& rows, const T* mask, int j, const JointScrews<T>& joint,
                               const JointEffects<T>& effects, T* __restrict dq, T* __restrict dqd,
                               T* __restrict dqdd) {
  const int stride = rows.padded;
  const T* above = mask + stride - j;
  const T *S = rows.S(), *inertia = rows.inertia(), *effect = rows.effect();
  const T one(1.0), two(2.0);
  for (int first = 0; first < stride; first += 8) {
    for (int k = first; k < first + 8; ++k) {
      const T felt = above[k], moved = one - felt;
      const T by_drift = row_dot(inertia + k, stride, joint.drift.angular, joint.drift.linear);
      dq[k] = felt * row_dot(S + k, stride, effects.by_q.moment, effects.by_q.force) +
              moved * (row_dot(inertia + k, stride, joint.curvature.angular, joint.curvature.linear) +
                       row_dot(effect + k, stride, joint.drift.angular));
      dqd[k] = felt * row_dot(S + k, stride, effects.by_qd.moment, effects.by_qd.force) +
               moved * (two * by_drift + row_dot(effect + k, stride, joint.S.angular));
      dqdd[k] = felt * row_dot(S + k, stride, effects.by_qdd.moment, effects.by_qdd.force) +
                moved * row_dot(inertia + k, stride, joint.S.angular, joint.S.linear);
    }
  }
}

template <class T>
QUOIN_INLINE void put(const Vector3<T>& v, T* row, int stride) {
  row[0] = v.x;
  row[stride] = v.y;
  row[2 * stride] = v.z;
}

template <class T>
QUOIN_INLINE void set_rows(const JointRows<T>& rows, int k, const Twist<T>& S, const Composite<T>& all) {
  const int stride = rows.padded;
  put(S.angular, rows.S() + k, stride);
  put(S.linear, rows.S() + k + 3 * stride, stride);
  put(transpose_times(all.body.inertia, S.angular) + cross(all.body.h, S.linear), rows.inertia() + k, stride);
  put(all.body.mass * S.linear + cross(S.angular, all.body.h), rows.inertia() + k + 3 * stride, stride);
  const Vector3<T> turn = cross(all.effect.momentum, S.linear);
  put(transpose_times(all.effect.N, S.angular) + turn + turn, rows.effect() + k, stride);
}

/// dq, dqd, dqdd: padded x n, column-major. places, velocities, accelerations: n + 1, the world set at 0; joints: n;
/// composites: n + 1, of which the first is not touched.
template <class T, class P>
void newton_euler_derivatives(const std::vector<Segment>& segments, const Body<P>* bodies, const T* sine,
                              const T* cosine, const T* q, const T* qd, const T* qdd, Place<T>* places,
                              Twist<T>* velocities, Twist<T>* accelerations, JointScrews<T>* joints,
                              Composite<T>* composites, const JointRows<T>& rows, const T* mask, T* force, T* dq,
                              T* dqd, T* dqdd) {
  const int n = static_cast<int>(segments.size());
  for (int i = 0; i < n; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    const Place<T> place = place_of(segment, sine[i], cosine[i], q[i], places[segment.parent]);
    const Twist<T> v = velocities[segment.parent], a = accelerations[segment.parent];
    const Twist<T> S = screw_of(segment, place);
    const Twist<T> drift = cross(v, S);
    const Twist<T> own_v = v + T(qd[i]) * S;
    const Twist<T> own_a = a + T(qdd[i]) * S + T(qd[i]) * drift;
    const Body<T> body = body_in_world(bodies[i], place);
    const Wrench<T> momentum = body * own_v;
    places[i + 1] = place;
    velocities[i + 1] = own_v;
    accelerations[i + 1] = own_a;
    joints[i] = {S, drift, cross(a, S) + cross(v, drift)};
    composites[i + 1] = {body, velocity_effect(body, own_v, momentum), body * own_a + cross(own_v, momentum)};
  }
  for (int i = n; i-- > 0;) {
    const Composite<T>& all = composites[i + 1];
    force[i] = dot(joints[i].S, all.wrench);
    set_rows(rows, i, joints[i].S, all);
    const int parent = segments[static_cast<std::size_t>(i)].parent;
    if (parent != 0) composites[parent] += all;
  }
  for (int j = 0; j < n; ++j) {
    const JointScrews<T> joint = joints[j];
    const Composite<T>& all = composites[j + 1];
    const Twist<T> twice = joint.drift + joint.drift;
    const JointEffects<T> effects{cross(joint.S, all.wrench) + all.body * joint.curvature + all.effect * joint.drift,
                                  all.body * twice + all.effect * joint.S, all.body * joint.S};
    const int column = j * rows.padded;
    fill_columns(rows, mask, j, joint, effects, dq + column, dqd + column, dqdd + column);
  }
}

}  // namespace quoin::rigid_body::detail
