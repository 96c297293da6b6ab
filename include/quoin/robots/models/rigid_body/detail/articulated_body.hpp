// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/derivatives.hpp"

#include <cmath>
#include <utility>

/// Featherstone's articulated-body algorithm (Rigid Body Dynamics Algorithms, 2008, section 7.3), in world axes, for
/// inertias that need not be symmetric.
namespace quoin::rigid_body::detail {

template <class T>
auto abs_of(const T& x) {
  using std::abs;
  return abs(x);
}

/// The sizes of all that a joint carries.
template <class T>
struct Carried {
  using Size = decltype(abs_of(std::declval<T>()));
  Size turning, mass;  ///< the trace of the inertia about the world's origin, and the mass
};

/// Articulated inertia: wrench = (AA a + AL l, LA a + LL l) + bias for an acceleration (a, l) of the body.
template <class T>
struct Articulated {
  Matrix3<T> AA, AL, LA, LL;
  Wrench<T> bias;
  Carried<T> carried;
};

/// Component by component: a structure that is built elsewhere and copied whole stalls.
template <class T>
QUOIN_INLINE void set_articulated(const Body<T>& body, const Twist<T>& velocity, const Wrench<T>& momentum,
                                  Articulated<T>& all) {
  const T zero(0.0);
  const Vector3<T>& h = body.h;
  all.AA = body.inertia;
  all.AL.x = {zero, h.z, zero - h.y};
  all.AL.y = {zero - h.z, zero, h.x};
  all.AL.z = {h.y, zero - h.x, zero};
  all.LA.x = {zero, zero - h.z, h.y};
  all.LA.y = {h.z, zero, zero - h.x};
  all.LA.z = {zero - h.y, h.x, zero};
  all.LL.x = {body.mass, zero, zero};
  all.LL.y = {zero, body.mass, zero};
  all.LL.z = {zero, zero, body.mass};
  all.bias = cross(velocity, momentum);
  all.carried = {abs_of(T(body.inertia.x.x + body.inertia.y.y + body.inertia.z.z)), abs_of(body.mass)};
}

template <class T>
QUOIN_INLINE Wrench<T> operator*(const Articulated<T>& all, const Twist<T>& a) {
  return {all.AA * a.angular + all.AL * a.linear, all.LA * a.angular + all.LL * a.linear};
}
template <class T>
QUOIN_INLINE Wrench<T> transpose_times(const Articulated<T>& all, const Twist<T>& a) {
  return {transpose_times(all.AA, a.angular) + transpose_times(all.LA, a.linear),
          transpose_times(all.AL, a.angular) + transpose_times(all.LL, a.linear)};
}

template <class T>
struct ArticulatedJoint {
  Twist<T> S, c;    ///< the joint's screw, and the acceleration that its rate causes
  Wrench<T> U, Ut;  ///< IA S, and IA^T S, which is the same where IA is symmetric
  T D, u;           ///< S . U, and the joint force less S . pA
};

/// Adds the subtree's articulated inertia, with the joint free to move, to the parent's.
template <class T>
QUOIN_INLINE void add_to_parent(const Articulated<T>& all, const ArticulatedJoint<T>& joint, Articulated<T>& parent) {
  const T inverse_D = T(1.0) / joint.D;
  const Wrench<T> row = (T(0.0) - inverse_D) * joint.Ut;
  parent.carried.turning += all.carried.turning;
  parent.carried.mass += all.carried.mass;
  parent.AA += all.AA;
  parent.AA += outer(joint.U.moment, row.moment);
  parent.AL += all.AL;
  parent.AL += outer(joint.U.moment, row.force);
  parent.LA += all.LA;
  parent.LA += outer(joint.U.force, row.moment);
  parent.LL += all.LL;
  parent.LL += outer(joint.U.force, row.force);
  Wrench<T> bias = all * joint.c;
  bias += all.bias;
  bias += T((joint.u - dot(joint.c, joint.Ut)) * inverse_D) * joint.U;
  parent.bias += bias;
}

/// How the wrench of a body with all that it carries changes with a velocity psi = (a, b) of all of these, their joints
/// free to move: (moment a, force a), as VelocityEffect for one body.
template <class T>
struct ArticulatedEffect {
  Matrix3<T> moment, force;
};

template <class T>
QUOIN_INLINE Wrench<T> operator*(const ArticulatedEffect<T>& B, const Vector3<T>& turn) {
  return {B.moment * turn, B.force * turn};
}

template <class T>
QUOIN_INLINE ArticulatedEffect<T> articulated(const VelocityEffect<T>& B) {
  const T zero(0.0);
  const Vector3<T> p = B.momentum + B.momentum;
  return {B.N, {{zero, zero - p.z, p.y}, {p.z, zero, zero - p.x}, {zero - p.y, p.x, zero}}};
}

template <class T>
QUOIN_INLINE void add_to_parent(const ArticulatedEffect<T>& all, const ArticulatedJoint<T>& joint,
                                const Vector3<T>& felt, ArticulatedEffect<T>& parent) {
  const Vector3<T> given = (T(-1.0) / joint.D) * felt;
  parent.moment += all.moment;
  parent.moment += outer(joint.U.moment, given);
  parent.force += all.force;
  parent.force += outer(joint.U.force, given);
}

/// What derivatives need besides, or null pointers. felt[i]: S^T (effect of i).
template <class T>
struct EffectsOfVelocity {
  ArticulatedEffect<T>* effects = nullptr;  ///< n + 1
  Vector3<T>* felt = nullptr;               ///< n
};

/// A joint meets no inertia where less than this part of what it carries resists. Resistances are differences of terms
/// about the world's origin, which leave a rounding of 1e-16 of these and more along a chain.
inline constexpr double min_resistance = 5e-10;

/// What S meets if nothing cancels: neither places against each other nor motions that joints further out give way to.
template <class T>
QUOIN_INLINE typename Carried<T>::Size uncancelled_resistance(const Twist<T>& S, bool prismatic,
                                                              const Carried<T>& carried) {
  if (prismatic) return carried.mass;
  return carried.turning + carried.mass * abs_of(dot(S.linear, S.linear));
}

/// qdd under the joint forces `force`. places, velocities, accelerations, inertias: n + 1, the world set at 0;
/// joints: n. Returns false if a joint meets no inertia (min_resistance); all accelerations are then unspecified.
template <class T, class P>
bool articulated_body(const std::vector<Segment>& segments, const Body<P>* bodies, const T* sine, const T* cosine,
                      const T* q, const T* qd, const T* force, Place<T>* places, Twist<T>* velocities,
                      Twist<T>* accelerations, ArticulatedJoint<T>* joints, Articulated<T>* inertias, T* qdd,
                      const EffectsOfVelocity<T>& also = {}) {
  const int n = static_cast<int>(segments.size());
  for (int i = 0; i < n; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    const Place<T> place = place_of(segment, sine[i], cosine[i], q[i], places[segment.parent]);
    const Twist<T> v = velocities[segment.parent], S = screw_of(segment, place);
    const Twist<T> own = v + T(qd[i]) * S;
    const Body<T> body = body_in_world(bodies[i], place);
    const Wrench<T> momentum = body * own;
    places[i + 1] = place;
    velocities[i + 1] = own;
    joints[i].S = S;
    joints[i].c = T(qd[i]) * cross(v, S);
    set_articulated(body, own, momentum, inertias[i + 1]);
    if (also.effects) also.effects[i + 1] = articulated(velocity_effect(body, own, momentum));
  }
  for (int i = n; i-- > 0;) {
    const Articulated<T>& all = inertias[i + 1];
    ArticulatedJoint<T>& joint = joints[i];
    joint.U = all * joint.S;
    joint.Ut = transpose_times(all, joint.S);
    joint.D = dot(joint.S, joint.U);
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    const auto uncancelled = uncancelled_resistance(joint.S, segment.prismatic, all.carried);
    if (!(abs_of(joint.D) > min_resistance * uncancelled)) return false;
    joint.u = force[i] - dot(joint.S, all.bias);
    const int parent = segment.parent;
    if (parent != 0) add_to_parent(all, joint, inertias[parent]);
    if (also.effects) {
      const ArticulatedEffect<T>& effect = also.effects[i + 1];
      also.felt[i] = transpose_times(effect.moment, joint.S.angular) + transpose_times(effect.force, joint.S.linear);
      if (parent != 0) add_to_parent(effect, joint, also.felt[i], also.effects[parent]);
    }
  }
  for (int i = 0; i < n; ++i) {
    const ArticulatedJoint<T>& joint = joints[i];
    const Twist<T> carried = accelerations[segments[static_cast<std::size_t>(i)].parent] + joint.c;
    const T own = (joint.u - dot(carried, joint.Ut)) / joint.D;
    accelerations[i + 1] = carried + own * joint.S;
    qdd[i] = own;
  }
  return true;
}

}  // namespace quoin::rigid_body::detail
