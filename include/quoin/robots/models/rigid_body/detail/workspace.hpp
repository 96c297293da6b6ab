// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/articulated_body.hpp"
#include "quoin/robots/models/rigid_body/detail/derivatives.hpp"
#include "quoin/robots/models/rigid_body/detail/forward_derivatives.hpp"
#include "quoin/robots/models/rigid_body/detail/mass_matrix.hpp"
#include "quoin/robots/models/rigid_body/detail/newton_euler.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace quoin::rigid_body::detail {

/// Memory that the recursions over a tree write to, one per thread. Index 0 of the arrays of
/// links is the world, set here.
template <class T>
struct Workspace {
  explicit Workspace(const RigidBodyTree& tree, const Eigen::Vector3d& gravity)
      : joints(static_cast<std::size_t>(tree.joints())),
        padded((tree.joints() + 7) / 8 * 8),
        sine(joints),
        cosine(joints),
        bodies(joints),
        rotations(joints + 1),
        motions(joints + 1),
        wrenches(joints + 1),
        twists(joints + 1),
        places(joints + 1),
        velocities(joints + 1),
        accelerations(joints + 1),
        screws(joints),
        composites(joints + 1),
        articulated_joints(joints),
        articulated(joints + 1),
        effects(joints + 1),
        felt(joints),
        responses(joints),
        links(static_cast<std::size_t>(padded / pack_size), LinkPack<T>{}),
        columns(static_cast<std::size_t>(padded / pack_size), ColumnPack<T>{}),
        changes(joints + 1, ColumnChange<T>{}),
        slopes(joints, T(0.0)),
        column_masks(tree),
        rows(static_cast<std::size_t>(padded / pack_size), RowPack<T>{}) {  // the last pack's padding stays zero
    const Vector3<T> none = zero_vector<T>();
    const Vector3<T> up{T(-gravity[0]), T(-gravity[1]), T(-gravity[2])};
    motions[0] = {none, none, up};
    places[0] = {zero_matrix<T>(), none};
    add_diagonal(places[0].rotation, T(1.0));
    velocities[0] = {none, none};
    accelerations[0] = {none, up};
  }

  std::size_t joints;
  int padded;
  std::vector<T> sine, cosine;
  std::vector<Body<T>> bodies;  ///< from parameters passed with a call
  std::vector<Matrix3<T>> rotations;
  std::vector<LinkMotion<T>> motions;
  std::vector<Wrench<T>> wrenches;
  std::vector<Twist<T>> twists;
  std::vector<Place<T>> places;
  std::vector<Twist<T>> velocities, accelerations;
  std::vector<JointScrews<T>> screws;
  std::vector<Composite<T>> composites;
  std::vector<ArticulatedJoint<T>> articulated_joints;
  std::vector<Articulated<T>> articulated;
  std::vector<ArticulatedEffect<T>> effects;
  std::vector<Vector3<T>> felt;
  std::vector<JointResponse<T>> responses;
  std::vector<LinkPack<T>> links;
  std::vector<ColumnPack<T>> columns;
  std::vector<ColumnChange<T>> changes;
  std::vector<T> slopes;
  ColumnMasks<T> column_masks;
  std::vector<RowPack<T>> rows;
};

}  // namespace quoin::rigid_body::detail
