// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/detail/posture_terms.hpp"

#include "quoin/robots/models/rigid_body/detail/sines_cosines.hpp"
#include "quoin/robots/models/rigid_body/detail/world_frame.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::rigid_body::detail {
namespace {

/// A joint with all bodies that move with it, in world axes about the world's origin.
struct CarriedBodies {
  Place<double> place;
  Twist<double> S;
  Body<double> all;
};

/// Of joint i, which carries joint k: dM_ij/dq_k = bracket_i . momentum_j + bracket_j . resistance_i.
struct Carrier {
  Twist<double> bracket;                ///< S_i x S_k
  Wrench<double> momentum, resistance;  ///< I S_i and I^T S_i, with I of all bodies that joint k carries
};

/// One per thread; index 0 of `carried` is the world.
struct Scratch {
  std::vector<double> sine, cosine;
  std::vector<CarriedBodies> carried;
  std::vector<Carrier> carriers;
};

/// Sets places and screws at q; composites are left to the caller.
Scratch& placed(const RigidBodyTree& tree, const double* q) {
  static thread_local Scratch scratch;
  const std::size_t n = tree.segments().size();
  scratch.sine.resize(n);
  scratch.cosine.resize(n);
  scratch.carried.resize(n + 1);
  scratch.carriers.resize(n);
  sines_cosines(q, scratch.sine.data(), scratch.cosine.data(), static_cast<int>(n));
  scratch.carried[0].place = {zero_matrix<double>(), zero_vector<double>()};
  add_diagonal(scratch.carried[0].place.rotation, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Segment& segment = tree.segments()[i];
    const Place<double> place = place_of(segment, scratch.sine[i], scratch.cosine[i], q[i],
                                         scratch.carried[static_cast<std::size_t>(segment.parent)].place);
    scratch.carried[i + 1].place = place;
    scratch.carried[i + 1].S = screw_of(segment, place);
  }
  return scratch;
}

/// I^T S
QUOIN_INLINE Wrench<double> transpose_times(const Body<double>& body, const Twist<double>& S) {
  return {transpose_times(body.inertia, S.angular) + cross(body.h, S.linear),
          body.mass * S.linear + cross(S.angular, body.h)};
}

}  // namespace

PostureTerms::PostureTerms(const char* who, RigidBodyTree tree, int joints) : tree_(std::move(tree)) {
  if (tree_.joints() != joints)
    throw std::invalid_argument(std::string(who) + ": the tree has " + to_text(tree_.joints()) + " joints instead of " +
                                to_text(joints));
  for (int i = 0; i < joints; ++i)
    bodies_.push_back(turned_body<double>(tree_.segments()[static_cast<std::size_t>(i)], tree_.parameters().col(i)));
}

void PostureTerms::gravity(const Eigen::Vector3d& gravity, const double* q, double* g, double* dg) const {
  const int n = tree_.joints();
  const Vector3<double> up{-gravity[0], -gravity[1], -gravity[2]};
  std::vector<CarriedBodies>& carried = placed(tree_, q).carried;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    CarriedBodies& joint = carried[i + 1];
    joint.all.mass = bodies_[i].mass;
    joint.all.h = joint.place.rotation * bodies_[i].h + bodies_[i].mass * joint.place.origin;
  }
  if (dg) std::fill(dg, dg + n * n, 0.0);
  for (int i = n; i-- > 0;) {
    const CarriedBodies& joint = carried[static_cast<std::size_t>(i + 1)];
    const Vector3<double> change = cross(joint.S.angular, joint.all.h) + joint.all.mass * joint.S.linear;
    g[i] = dot(up, change);
    if (const int parent = tree_.parent(i); parent >= 0) {
      CarriedBodies& below = carried[static_cast<std::size_t>(parent + 1)];
      below.all.mass += joint.all.mass;
      below.all.h += joint.all.h;
    }
    if (!dg) continue;
    const Vector3<double> turning = cross(change, up);
    for (int j = i; j >= 0; j = tree_.parent(j))
      dg[i + n * j] = dg[j + n * i] = dot(carried[static_cast<std::size_t>(j + 1)].S.angular, turning);
  }
}

void PostureTerms::mass_matrix(const double* q, double* M, double* dM) const {
  const int n = tree_.joints(), size = n * (n + 1) / 2;
  const auto at = [](int i, int j) { return i * (i + 1) / 2 + j; };
  Scratch& scratch = placed(tree_, q);
  const auto joint = [&](int i) -> CarriedBodies& { return scratch.carried[static_cast<std::size_t>(i + 1)]; };
  const auto carrier = [&](int i) -> Carrier& { return scratch.carriers[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) joint(i).all = body_in_world(bodies_[static_cast<std::size_t>(i)], joint(i).place);
  std::fill(M, M + size, 0.0);
  if (dM) std::fill(dM, dM + size * n, 0.0);

  for (int k = n; k-- > 0;) {
    const Twist<double> S = joint(k).S;
    const Body<double> all = joint(k).all;
    const Wrench<double> row = transpose_times(all, S);
    for (int j = k; j >= 0; j = tree_.parent(j)) M[at(k, j)] = dot(joint(j).S, row);
    if (tree_.parent(k) >= 0) joint(tree_.parent(k)).all += all;
    if (!dM) continue;

    // Row k, by joint k and the joints that carry it: each turns everything in the row except the screws
    // of the joints before it.
    for (int i = k; i >= 0; i = tree_.parent(i)) {
      const Wrench<double> turning = cross(joint(i).S, row);
      for (int j = tree_.parent(i); j >= 0; j = tree_.parent(j)) dM[at(k, j) + size * i] = dot(joint(j).S, turning);
    }
    // The rows of the joints before k, by q_k: it turns a part of the inertia, and no screw.
    for (int i = tree_.parent(k); i >= 0; i = tree_.parent(i))
      carrier(i) = {cross(joint(i).S, S), all * joint(i).S, transpose_times(all, joint(i).S)};
    for (int i = tree_.parent(k); i >= 0; i = tree_.parent(i))
      for (int j = i; j >= 0; j = tree_.parent(j))
        dM[at(i, j) + size * k] =
            dot(carrier(i).bracket, carrier(j).momentum) + dot(carrier(j).bracket, carrier(i).resistance);
  }
}

}  // namespace quoin::rigid_body::detail
