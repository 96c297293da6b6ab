// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/detail/world_frame.hpp"

/// Inverse dynamics with its derivatives by q, qd and qdd in closed form, in the manner of Singh, Russo and Wensing (2022),
/// without asking inertias to be symmetric (docs/rigid_body.md).
namespace quoin::rigid_body::detail {

/// How the wrench of a body (or of many) changes with its velocity: B psi = (N a, 2 a x p) for a twist psi = (a, b).
template <class T>
struct VelocityEffect {
  Matrix3<T> N;
  Vector3<T> momentum;
};

template <class T>
Wrench<T> operator*(const VelocityEffect<T>& B, const Twist<T>& psi) {
  const Vector3<T> turn = cross(psi.angular, B.momentum);
  return {B.N * psi.angular, turn + turn};
}

/// N = w x I - I w x - (I w) x - 2 h x u x, of a body that moves at (w, u)
template <class T>
VelocityEffect<T> velocity_effect(const Body<T>& body, const Twist<T>& v, const Wrench<T>& momentum) {
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

/// All that moves with a joint.
template <class T>
struct Composite {
  Body<T> body;
  VelocityEffect<T> effect;
  Wrench<T> wrench;
};

template <class T>
Composite<T>& operator+=(Composite<T>& a, const Composite<T>& b) {
  a.body += b.body;
  a.effect.N += b.effect.N;
  a.effect.momentum += b.effect.momentum;
  a.wrench += b.wrench;
  return a;
}

template <class T>
struct JointScrews {
  Twist<T> S;                ///< of the joint
  Twist<T> drift, curvature;  ///< of its parent: v x S, and a x S + v x (v x S)
};

/// Component by component, an entry per joint, padded to whole packs of eight: what a column of a derivative is summed of.
template <class T>
struct JointRows {
  T* at;
  int padded;
  T* S(int component) const { return at + component * padded; }             ///< screws, 6
  T* inertia(int component) const { return at + (6 + component) * padded; }  ///< S^T I of all that moves with the joint, 6
  T* effect(int component) const { return at + (12 + component) * padded; }  ///< S^T B of the same, by a alone, 3
  static constexpr int components = 15;
};

/// column[k], all k: for k < j the joint k feels what joint j does, rows.S(k) . wrench; for k >= j, rows.inertia(k) . by_inertia
/// + rows.effect(k) . by_effect. `mask` is ones, `padded` of them, then as many zeros.
template <class T>
void fill_column(const JointRows<T>& rows, const T* mask, int j, const Wrench<T>& wrench, const Twist<T>& by_inertia,
                 const Vector3<T>* by_effect, T* column) {
  const T* above = mask + rows.padded - j;
  const T* up = rows.S(0);
  const T* down = rows.inertia(0);
  const T* effect = rows.effect(0);
  const int padded = rows.padded;
  const T one(1.0);
  for (int first = 0; first < padded; first += 8) {
#pragma GCC ivdep
    for (int k = first; k < first + 8; ++k) {
      const T* s = up + k;
      const T* r = down + k;
      const T felt = s[0] * wrench.moment.x + s[padded] * wrench.moment.y + s[2 * padded] * wrench.moment.z +
                     s[3 * padded] * wrench.force.x + s[4 * padded] * wrench.force.y + s[5 * padded] * wrench.force.z;
      T made = r[0] * by_inertia.angular.x + r[padded] * by_inertia.angular.y + r[2 * padded] * by_inertia.angular.z +
               r[3 * padded] * by_inertia.linear.x + r[4 * padded] * by_inertia.linear.y +
               r[5 * padded] * by_inertia.linear.z;
      if (by_effect) {
        const T* e = effect + k;
        made = made + e[0] * by_effect->x + e[padded] * by_effect->y + e[2 * padded] * by_effect->z;
      }
      column[k] = above[k] * felt + (one - above[k]) * made;
    }
  }
}

template <class T>
void set_rows(const JointRows<T>& rows, int k, const JointScrews<T>& joint, const Composite<T>& all) {
  const Twist<T>& S = joint.S;
  const auto put = [k](T* (JointRows<T>::*row)(int) const, const JointRows<T>& r, int first, const Vector3<T>& v) {
    (r.*row)(first)[k] = v.x;
    (r.*row)(first + 1)[k] = v.y;
    (r.*row)(first + 2)[k] = v.z;
  };
  put(&JointRows<T>::S, rows, 0, S.angular);
  put(&JointRows<T>::S, rows, 3, S.linear);
  put(&JointRows<T>::inertia, rows, 0, transpose_times(all.body.inertia, S.angular) + cross(all.body.h, S.linear));
  put(&JointRows<T>::inertia, rows, 3, all.body.mass * S.linear + cross(S.angular, all.body.h));
  const Vector3<T> turn = cross(all.effect.momentum, S.linear);
  put(&JointRows<T>::effect, rows, 0, transpose_times(all.effect.N, S.angular) + turn + turn);
}

/// dq, dqd, dqdd: padded x n, column by column. places, velocities, accelerations: n + 1, the world set at 0; joints: n;
/// composites: n + 1, of which the first is not touched.
template <class T, class P>
void newton_euler_derivatives(const std::vector<Segment>& segments, const Body<P>* bodies, const T* sine,
                              const T* cosine, const T* q, const T* qd, const T* qdd, Place<T>* places,
                              Twist<T>* velocities, Twist<T>* accelerations, JointScrews<T>* joints,
                              Composite<T>* composites, const JointRows<T>& rows, const T* mask, T* force, T* dq, T* dqd,
                              T* dqdd) {
  const int n = static_cast<int>(segments.size());
  for (int i = 0; i < n; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    places[i + 1] = place_of(segment, sine[i], cosine[i], q[i], places[segment.parent]);
    const Twist<T>&v = velocities[segment.parent], &a = accelerations[segment.parent];
    JointScrews<T>& joint = joints[i];
    joint.S = screw_of(segment, places[i + 1]);
    joint.drift = cross(v, joint.S);
    joint.curvature = cross(a, joint.S);
    joint.curvature += cross(v, joint.drift);
    Twist<T>&own_v = velocities[i + 1], &own_a = accelerations[i + 1];
    own_v = v;
    own_v += qd[i] * joint.S;
    own_a = a;
    own_a += qdd[i] * joint.S;
    own_a += qd[i] * joint.drift;

    Composite<T>& all = composites[i + 1];
    all.body = body_in_world(bodies[i], places[i + 1]);
    const Wrench<T> momentum = all.body * own_v;
    all.effect = velocity_effect(all.body, own_v, momentum);
    all.wrench = all.body * own_a;
    all.wrench += cross(own_v, momentum);
  }
  for (int i = n; i-- > 0;) {
    const Composite<T>& all = composites[i + 1];
    force[i] = dot(joints[i].S, all.wrench);
    set_rows(rows, i, joints[i], all);
    const int parent = segments[static_cast<std::size_t>(i)].parent;
    if (parent != 0) composites[parent] += all;
  }
  for (int j = 0; j < n; ++j) {
    const JointScrews<T>& joint = joints[j];
    const Composite<T>& all = composites[j + 1];
    Wrench<T> by_q = cross(joint.S, all.wrench);
    by_q += all.body * joint.curvature;
    by_q += all.effect * joint.drift;
    Twist<T> twice = joint.drift;
    twice += joint.drift;
    Wrench<T> by_qd = all.body * twice;
    by_qd += all.effect * joint.S;
    fill_column(rows, mask, j, by_q, joint.curvature, &joint.drift.angular, dq + j * rows.padded);
    fill_column(rows, mask, j, by_qd, twice, &joint.S.angular, dqd + j * rows.padded);
    fill_column<T>(rows, mask, j, all.body * joint.S, joint.S, nullptr, dqdd + j * rows.padded);
  }
}

}  // namespace quoin::rigid_body::detail
