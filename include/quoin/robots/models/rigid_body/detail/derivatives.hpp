// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/column_masks.hpp"
#include "quoin/robots/models/rigid_body/detail/world_frame.hpp"

#include <algorithm>

/// Inverse dynamics and its derivatives by q, qd and qdd in closed form, after Singh, Russo and Wensing (2022), without
/// the assumption that inertias are symmetric (docs/notes/rigid_body.md).
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

/// Eight joints, component by component: the terms that form a column of a derivative.
template <class T>
struct alignas(64) RowPack {
  T S[6 * pack_size];        ///< screws
  T inertia[6 * pack_size];  ///< S^T I of all bodies that move with the joint
  T effect[3 * pack_size];   ///< S^T B of the same bodies, angular part only
};

/// The wrenches that q, qd and qdd of a joint add to all bodies that move with it.
template <class T>
struct JointEffects {
  Wrench<T> by_q, by_qd, by_qdd;
};

template <class T>
QUOIN_INLINE T row_dot(const T* row, const Vector3<T>& a) {
  return row[0] * a.x + row[pack_size] * a.y + row[2 * pack_size] * a.z;
}
template <class T>
QUOIN_INLINE T row_dot(const T* row, const Vector3<T>& a, const Vector3<T>& b) {
  return row_dot(row, a) + row_dot(row + 3 * pack_size, b);
}

/// Eight rows of column j of the three derivatives: joints that carry j feel the wrenches, S(k) . wrench;
/// those below are moved, inertia(k) . acceleration + effect(k) . velocity. carriers, below: ones where they do.
template <bool felt, bool moved, class T>
QUOIN_INLINE void fill_columns(const RowPack<T>& rows, const T* carriers, const T* below, const JointScrews<T>& joint,
                               const JointEffects<T>& effects, T* __restrict dq, T* __restrict dqd,
                               T* __restrict dqdd) {
  const T two(2.0);
  for (int k = 0; k < pack_size; ++k) {
    const T feels = felt ? carriers[k] : T(0.0), moves = moved ? below[k] : T(0.0);
    const auto both = [&](const Wrench<T>& wrench, const auto& moving) {
      const T* S = rows.S + k;
      if constexpr (!moved) return T(feels * row_dot(S, wrench.moment, wrench.force));
      if constexpr (!felt) return T(moves * moving());
      return T(feels * row_dot(S, wrench.moment, wrench.force) + moves * moving());
    };
    const T *inertia = rows.inertia + k, *effect = rows.effect + k;
    dq[k] = both(effects.by_q, [&] {
      return row_dot(inertia, joint.curvature.angular, joint.curvature.linear) + row_dot(effect, joint.drift.angular);
    });
    dqd[k] = both(effects.by_qd, [&] {
      return two * row_dot(inertia, joint.drift.angular, joint.drift.linear) + row_dot(effect, joint.S.angular);
    });
    dqdd[k] = both(effects.by_qdd, [&] { return row_dot(inertia, joint.S.angular, joint.S.linear); });
  }
}

template <class T>
QUOIN_INLINE void put_lane(const Vector3<T>& v, T* at) {
  at[0] = v.x;
  at[pack_size] = v.y;
  at[2 * pack_size] = v.z;
}

template <class T>
QUOIN_INLINE void set_rows(RowPack<T>& rows, int k, const Twist<T>& S, const Composite<T>& all) {
  constexpr int half = 3 * pack_size;
  put_lane(S.angular, rows.S + k);
  put_lane(S.linear, rows.S + half + k);
  put_lane(transpose_times(all.body.inertia, S.angular) + cross(all.body.h, S.linear), rows.inertia + k);
  put_lane(all.body.mass * S.linear + cross(S.angular, all.body.h), rows.inertia + half + k);
  const Vector3<T> turn = cross(all.effect.momentum, S.linear);
  put_lane(transpose_times(all.effect.N, S.angular) + turn + turn, rows.effect + k);
}

/// dq, dqd, dqdd: padded x n, column-major. places, velocities, accelerations: n + 1, the world set at 0; joints: n;
/// composites: n + 1, of which the first is not touched.
template <class T, class P>
void newton_euler_derivatives(const std::vector<Segment>& segments, const Body<P>* bodies, const T* sine,
                              const T* cosine, const T* q, const T* qd, const T* qdd, Place<T>* places,
                              Twist<T>* velocities, Twist<T>* accelerations, JointScrews<T>* joints,
                              Composite<T>* composites, RowPack<T>* rows, const ColumnMasks<T>& masks, T* force, T* dq,
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
    set_rows(rows[i / pack_size], i % pack_size, joints[i].S, all);
    const int parent = segments[static_cast<std::size_t>(i)].parent;
    if (parent != 0) composites[parent] += all;
  }
  for (int j = 0; j < n; ++j) {
    const JointScrews<T> joint = joints[j];
    const Composite<T>& all = composites[j + 1];
    const Twist<T> twice = joint.drift + joint.drift;
    const JointEffects<T> effects{cross(joint.S, all.wrench) + all.body * joint.curvature + all.effect * joint.drift,
                                  all.body * twice + all.effect * joint.S, all.body * joint.S};
    for (int p = 0; p < masks.packs; ++p) {
      const Meeting meeting = masks.meetings[static_cast<std::size_t>(p * n + j)];
      const std::size_t pack = static_cast<std::size_t>(j * masks.packs + p);
      const T *carriers = masks.carriers[pack].at, *below = masks.below[pack].at;
      const int at = (j * masks.packs + p) * pack_size;
      T* const out[3] = {dq + at, dqd + at, dqdd + at};
      if (meeting.carried && meeting.carries)
        fill_columns<true, true>(rows[p], carriers, below, joint, effects, out[0], out[1], out[2]);
      else if (meeting.carried)
        fill_columns<true, false>(rows[p], carriers, below, joint, effects, out[0], out[1], out[2]);
      else if (meeting.carries)
        fill_columns<false, true>(rows[p], carriers, below, joint, effects, out[0], out[1], out[2]);
      else
        for (T* derivative : out) std::fill(derivative, derivative + pack_size, T(0.0));
    }
  }
}

}  // namespace quoin::rigid_body::detail
