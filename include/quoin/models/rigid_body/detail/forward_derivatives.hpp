// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/detail/articulated_body.hpp"

#include <algorithm>

/// The derivatives of forward dynamics by q, qd and tau: the articulated-body recursion once more for what a change of
/// one joint does to all, eight joints at a time (docs/rigid_body.md).
namespace quoin::rigid_body::detail {

inline constexpr int columns_at_once = 8;

/// A joint as its neighbours' columns meet it.
template <class T>
struct JointResponse {
  Twist<T> S, against;  ///< the joint's screw, and -S / resistance
  Wrench<T> column;     ///< the articulated inertia times S
  Wrench<T> row;        ///< -S^T (articulated inertia) / resistance
  Vector3<T> effect;    ///< -S^T (articulated velocity effect) / resistance
};

/// Eight columns, component by component: eight entries each.
template <class T>
struct ColumnPack {
  T wrench[3][6 * columns_at_once];  ///< that a column by q, qd, tau adds to the joint's parent
  T shift[2][6 * columns_at_once];   ///< acceleration that a column by q, qd adds to what the joint carries
  T turn[2][3 * columns_at_once];    ///< angular velocity, likewise
};

/// Which joints meet which columns of a pack.
enum class Meeting : unsigned char {
  none,   ///< they are on trees of their own
  aside,  ///< the joint carries none of them, but is on their tree
  below,  ///< the joint carries some
};

template <class T>
QUOIN_INLINE void put_lane(const Vector3<T>& v, T* lane) {
  lane[0] = v.x;
  lane[columns_at_once] = v.y;
  lane[2 * columns_at_once] = v.z;
}

/// From the joint to its parent: the wrenches of the columns, and what they make the joint do where it carries them.
template <class T>
QUOIN_INLINE void take_up(const JointResponse<T>& joint, const T* below, T* __restrict wrench, T* __restrict out) {
  constexpr int stride = columns_at_once;
  const Vector3<T> a = joint.against.angular, l = joint.against.linear, m = joint.column.moment, f = joint.column.force;
  for (int k = 0; k < stride; ++k) {
    T* p = wrench + k;
    const T x = below[k] * row_dot(p, stride, a, l);
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
  constexpr int stride = columns_at_once;
  const Vector3<T> m = joint.row.moment, f = joint.row.force, e = joint.effect;
  const Vector3<T> a = joint.S.angular, l = joint.S.linear;
  for (int k = 0; k < stride; ++k) {
    T t[6];
    for (int c = 0; c < 6; ++c) {
      t[c] = parent[c * stride + k];
      if constexpr (own && moved) t[c] += unit[k] * shift[c * stride + k];
    }
    T x = m.x * t[0] + m.y * t[1] + m.z * t[2] + f.x * t[3] + f.y * t[4] + f.z * t[5];
    if constexpr (moved) x += carriers[k] * row_dot(turn + k, stride, e);
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
  const T give = T(1.0) / joint.resistance, back = T(0.0) - give;
  response = {S, back * S, joint.column, back * joint.row, back * felt};
  const Twist<T> drift = cross(v, S), twice = drift + drift, curvature = cross(a, S) + cross(v, drift);
  Wrench<T> force = all * own_a;
  force += all.bias;
  Wrench<T> by_q = all * curvature + effect * drift.angular + cross(S, force);
  by_q += T(dot(curvature, response.row) + dot(response.effect, drift.angular)) * joint.column;
  Wrench<T> by_qd = all * twice + effect * S.angular;
  by_qd += T(dot(twice, response.row) + dot(response.effect, S.angular) + back * slope) * joint.column;
  const Wrench<T> wrenches[3] = {by_q, by_qd, give * joint.column};
  const Twist<T> shifts[2] = {curvature, twice};
  const Vector3<T> turns[2] = {drift.angular, S.angular};
  for (int kind = 0; kind < 3; ++kind) {
    put_lane(wrenches[kind].moment, pack.wrench[kind] + lane);
    put_lane(wrenches[kind].force, pack.wrench[kind] + 3 * columns_at_once + lane);
    if (kind == 2) break;
    put_lane(shifts[kind].angular, pack.shift[kind] + lane);
    put_lane(shifts[kind].linear, pack.shift[kind] + 3 * columns_at_once + lane);
    put_lane(turns[kind], pack.turn[kind] + lane);
  }
}

/// Which columns a joint carries, and which carry it: of the tree alone.
template <class T>
struct ColumnMasks {
  int padded = 0;
  std::vector<T> below, carriers;  ///< n x padded ones and zeros, row by row; a joint is among its own carriers
  std::vector<T> unit;             ///< 15 zeros about a one
  std::vector<Meeting> meetings;   ///< padded / 8 x n

  ColumnMasks(const RigidBodyTree& tree, int all) : padded(all) {
    const int n = tree.joints();
    below.assign(static_cast<std::size_t>(n * padded), T(0.0));
    carriers = below;
    unit.assign(2 * columns_at_once - 1, T(0.0));
    unit[columns_at_once - 1] = T(1.0);
    meetings.assign(static_cast<std::size_t>(padded / columns_at_once * n), Meeting::none);
    std::vector<int> root(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k)
      root[static_cast<std::size_t>(k)] = tree.parent(k) < 0 ? k : root[static_cast<std::size_t>(tree.parent(k))];
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(k * padded + j);
        const bool carries = j != k && tree.is_ancestor(k, j);
        if (carries) below[at] = T(1.0);
        if (tree.is_ancestor(j, k)) carriers[at] = T(1.0);
        Meeting& meeting = meetings[static_cast<std::size_t>(j / columns_at_once * n + k)];
        if (carries)
          meeting = Meeting::below;
        else if (root[static_cast<std::size_t>(k)] == root[static_cast<std::size_t>(j)])
          meeting = std::max(meeting, Meeting::aside);
      }
  }
};

/// dq, dqd, dtau: n x padded, row-major, after articulated_body with `effects`. slopes: of the joints' friction.
/// columns: padded / 8; responses: n; changes: (n + 1) x 3 x 6 x 8, the first zero.
template <class T>
void forward_derivatives(const std::vector<Segment>& segments, const ColumnMasks<T>& masks, const T* slopes,
                         const Twist<T>* velocities, const Twist<T>* accelerations, const ArticulatedJoint<T>* joints,
                         const Articulated<T>* resistances, const ArticulatedEffect<T>* effects, const Vector3<T>* felt,
                         ColumnPack<T>* columns, JointResponse<T>* responses, T* changes, T* dq, T* dqd, T* dtau) {
  constexpr int pack = columns_at_once, change = 18 * pack;
  const int n = static_cast<int>(segments.size()), stride = masks.padded;
  for (int j = 0; j < n; ++j) {
    const int parent = segments[static_cast<std::size_t>(j)].parent;
    set_column(resistances[j + 1], effects[j + 1], joints[j], felt[j], velocities[parent], accelerations[parent],
               accelerations[j + 1], slopes[j], j % pack, columns[j / pack], responses[j]);
  }
  T* const out[3] = {dq, dqd, dtau};
  for (int first = 0; first < n; first += pack) {
    ColumnPack<T>& own = columns[first / pack];
    const Meeting* meetings = masks.meetings.data() + first / pack * n;
    for (int k = std::min(first + pack, n); k-- > 0;) {
      const int at = k * stride + first;
      if (meetings[k] == Meeting::below)
        for (int kind = 0; kind < 3; ++kind)
          take_up(responses[k], masks.below.data() + at, own.wrench[kind], out[kind] + at);
      else if (k >= first)
        for (int kind = 0; kind < 3; ++kind) std::fill(out[kind] + at, out[kind] + at + pack, T(0.0));
      if (k >= first) {
        const T give = T(1.0) / joints[k].resistance;
        dqd[at + k - first] = (T(0.0) - give) * slopes[k];
        dtau[at + k - first] = give;
      }
    }
    for (int k = 0; k < n; ++k) {
      const int at = k * stride + first;
      const T* parent = changes + segments[static_cast<std::size_t>(k)].parent * change;
      T* to = changes + (k + 1) * change;
      const T* carriers = masks.carriers.data() + at;
      const auto pass = [&]<bool is_felt, bool is_own>() {
        const T* unit = is_own ? masks.unit.data() + pack - 1 - (k - first) : nullptr;
        hand_down<is_felt, is_own, true>(responses[k], carriers, unit, own.shift[0], own.turn[0], parent, to, dq + at);
        hand_down<is_felt, is_own, true>(responses[k], carriers, unit, own.shift[1], own.turn[1], parent + 6 * pack,
                                         to + 6 * pack, dqd + at);
        const T* nothing = nullptr;
        hand_down<is_felt, is_own, false>(responses[k], nothing, nothing, nothing, nothing, parent + 12 * pack,
                                          to + 12 * pack, dtau + at);
      };
      if (k >= first && k < first + pack)
        pass.template operator()<true, true>();
      else if (meetings[k] == Meeting::below)
        pass.template operator()<true, false>();
      else if (meetings[k] == Meeting::aside)
        pass.template operator()<false, false>();
      else
        for (T* matrix : out) std::fill(matrix + at, matrix + at + pack, T(0.0));
    }
  }
}

}  // namespace quoin::rigid_body::detail
