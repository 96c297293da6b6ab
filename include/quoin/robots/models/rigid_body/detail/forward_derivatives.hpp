// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/articulated_body.hpp"
#include "quoin/robots/models/rigid_body/detail/mass_matrix.hpp"

#include <algorithm>

/// The derivatives of forward dynamics by q, qd and tau: the articulated-body recursion once more for what a change of
/// one joint does to all, eight joints at a time (docs/notes/rigid_body.md).
namespace quoin::rigid_body::detail {

/// A joint as its neighbours' columns meet it.
template <class T>
struct JointResponse {
  Twist<T> S, against;  ///< the joint's screw, and -S / D
  Wrench<T> U;          ///< the articulated inertia times S
  Wrench<T> Ut;         ///< -S^T (articulated inertia) / D
  Vector3<T> effect;    ///< -S^T (articulated velocity effect) / D
};

/// Eight columns, component by component: eight entries each.
template <class T>
struct alignas(64) ColumnPack {
  T wrench[3][6 * pack_size];  ///< that a column by q, qd, tau adds to the joint's parent
  T shift[2][6 * pack_size];   ///< acceleration that a column by q, qd adds to what the joint carries
  T turn[2][3 * pack_size];    ///< angular velocity, likewise
};

/// From the joint to its parent: the wrenches of the columns, and what they make the joint do where it carries them.
template <class T>
QUOIN_INLINE void take_up(const JointResponse<T>& joint, const T* below, T* __restrict wrench, T* __restrict out) {
  constexpr int stride = pack_size;
  const Vector3<T> a = joint.against.angular, l = joint.against.linear, m = joint.U.moment, f = joint.U.force;
  for (int k = 0; k < stride; ++k) {
    T* p = wrench + k;
    const T x = below[k] * row_dot(p, a, l);
    p[0] += m.x * x;
    p[stride] += m.y * x;
    p[2 * stride] += m.z * x;
    p[3 * stride] += f.x * x;
    p[4 * stride] += f.y * x;
    p[5 * stride] += f.z * x;
    out[k] = x;
  }
}

/// From the parent to the joint: accelerations of the columns. `own`: the unit of the joint among the columns, or null;
/// `carriers`: ones where the column's joint carries this joint.
template <bool felt, bool own, bool moved, class T>
QUOIN_INLINE void hand_down(const JointResponse<T>& joint, const T* carriers, const T* unit, const T* shift,
                            const T* turn, const T* __restrict parent, T* __restrict acceleration, T* __restrict out) {
  constexpr int stride = pack_size;
  const Vector3<T> m = joint.Ut.moment, f = joint.Ut.force, e = joint.effect;
  const Vector3<T> a = joint.S.angular, l = joint.S.linear;
  for (int k = 0; k < stride; ++k) {
    T t[6];
    for (int c = 0; c < 6; ++c) {
      t[c] = parent[c * stride + k];
      if constexpr (own && moved) t[c] += unit[k] * shift[c * stride + k];
    }
    T x = m.x * t[0] + m.y * t[1] + m.z * t[2] + f.x * t[3] + f.y * t[4] + f.z * t[5];
    if constexpr (moved) x += carriers[k] * row_dot(turn + k, e);
    if constexpr (felt) x += out[k];
    out[k] = x;
    T* to = acceleration + k;
    to[0] = t[0] + a.x * x;
    to[stride] = t[1] + a.y * x;
    to[2 * stride] = t[2] + a.z * x;
    to[3 * stride] = t[3] + l.x * x;
    to[4 * stride] = t[4] + l.y * x;
    to[5 * stride] = t[5] + l.z * x;
  }
}

/// Of the three columns of one joint: what they add to its parent and to what it carries.
template <class T>
QUOIN_INLINE void set_column(const Articulated<T>& all, const ArticulatedEffect<T>& effect,
                             const ArticulatedJoint<T>& joint, const Vector3<T>& felt, const Twist<T>& v,
                             const Twist<T>& a, const Twist<T>& own_a, const T& slope, int lane, ColumnPack<T>& pack,
                             JointResponse<T>& response) {
  const Twist<T>& S = joint.S;
  const T inverse_D = T(1.0) / joint.D, back = T(0.0) - inverse_D;
  response = {S, back * S, joint.U, back * joint.Ut, back * felt};
  const Twist<T> drift = cross(v, S), twice = drift + drift, curvature = cross(a, S) + cross(v, drift);
  Wrench<T> force = all * own_a;
  force += all.bias;
  Wrench<T> by_q = all * curvature + effect * drift.angular + cross(S, force);
  by_q += T(dot(curvature, response.Ut) + dot(response.effect, drift.angular)) * joint.U;
  Wrench<T> by_qd = all * twice + effect * S.angular;
  by_qd += T(dot(twice, response.Ut) + dot(response.effect, S.angular) + back * slope) * joint.U;
  const Wrench<T> wrenches[3] = {by_q, by_qd, inverse_D * joint.U};
  const Twist<T> shifts[2] = {curvature, twice};
  const Vector3<T> turns[2] = {drift.angular, S.angular};
  for (int kind = 0; kind < 3; ++kind) {
    put_lane(wrenches[kind].moment, pack.wrench[kind] + lane);
    put_lane(wrenches[kind].force, pack.wrench[kind] + 3 * pack_size + lane);
    if (kind == 2) break;
    put_lane(shifts[kind].angular, pack.shift[kind] + lane);
    put_lane(shifts[kind].linear, pack.shift[kind] + 3 * pack_size + lane);
    put_lane(turns[kind], pack.turn[kind] + lane);
  }
}

/// Eight columns' accelerations of a link, by q, qd and tau.
template <class T>
struct alignas(64) ColumnChange {
  T acceleration[3][6 * pack_size];
};

/// dq, dqd, dtau: n x padded, row-major, after articulated_body with `effects`. slopes: of the joints' friction.
/// columns: a pack each; responses: n; changes: n + 1, the first zero.
template <class T>
void forward_derivatives(const std::vector<Segment>& segments, const ColumnMasks<T>& masks, const T* slopes,
                         const Twist<T>* velocities, const Twist<T>* accelerations, const ArticulatedJoint<T>* joints,
                         const Articulated<T>* inertias, const ArticulatedEffect<T>* effects, const Vector3<T>* felt,
                         ColumnPack<T>* columns, JointResponse<T>* responses, ColumnChange<T>* changes, T* dq, T* dqd,
                         T* dtau) {
  constexpr int pack = pack_size;
  const int n = static_cast<int>(segments.size()), stride = masks.packs * pack;
  for (int j = 0; j < n; ++j) {
    const int parent = segments[static_cast<std::size_t>(j)].parent;
    set_column(inertias[j + 1], effects[j + 1], joints[j], felt[j], velocities[parent], accelerations[parent],
               accelerations[j + 1], slopes[j], j % pack, columns[j / pack], responses[j]);
  }
  T* const out[3] = {dq, dqd, dtau};
  for (int first = 0; first < n; first += pack) {
    ColumnPack<T>& own = columns[first / pack];
    const Meeting* meetings = masks.meetings.data() + first / pack * n;
    for (int k = std::min(first + pack, n); k-- > 0;) {
      const int at = k * stride + first;
      if (meetings[k].carries)
        for (int kind = 0; kind < 3; ++kind)
          take_up(responses[k], masks.below[static_cast<std::size_t>(at / pack)].at, own.wrench[kind], out[kind] + at);
      else if (k >= first)
        for (int kind = 0; kind < 3; ++kind) std::fill(out[kind] + at, out[kind] + at + pack, T(0.0));
      if (k >= first) {
        const T inverse_D = T(1.0) / joints[k].D;
        dqd[at + k - first] = (T(0.0) - inverse_D) * slopes[k];
        dtau[at + k - first] = inverse_D;
      }
    }
    for (int k = 0; k < n; ++k) {
      const int at = k * stride + first;
      const auto& parent = changes[segments[static_cast<std::size_t>(k)].parent].acceleration;
      auto& to = changes[k + 1].acceleration;
      const T* carriers = masks.carriers[static_cast<std::size_t>(at / pack)].at;
      const auto pass = [&]<bool is_felt, bool is_own, bool is_moved>() {
        const T* unit = is_own ? masks.unit.data() + pack - 1 - (k - first) : nullptr;
        hand_down<is_felt, is_own, is_moved>(responses[k], carriers, unit, own.shift[0], own.turn[0], parent[0], to[0],
                                             dq + at);
        hand_down<is_felt, is_own, is_moved>(responses[k], carriers, unit, own.shift[1], own.turn[1], parent[1], to[1],
                                             dqd + at);
        const T* nothing = nullptr;
        hand_down<is_felt, is_own, false>(responses[k], nothing, nothing, nothing, nothing, parent[2], to[2],
                                          dtau + at);
      };
      if (k >= first && k < first + pack)
        pass.template operator()<true, true, true>();
      else if (meetings[k].carries && meetings[k].carried)
        pass.template operator()<true, false, true>();
      else if (meetings[k].carries)
        pass.template operator()<true, false, false>();
      else if (meetings[k].carried)
        pass.template operator()<false, false, true>();
      else if (meetings[k].together)
        pass.template operator()<false, false, false>();
      else
        for (T* matrix : out) std::fill(matrix + at, matrix + at + pack, T(0.0));
    }
  }
}

}  // namespace quoin::rigid_body::detail
