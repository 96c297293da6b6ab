// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/detail/articulated_body.hpp"
#include "quoin/models/rigid_body/detail/derivatives.hpp"
#include "quoin/models/rigid_body/detail/forward_derivatives.hpp"
#include "quoin/models/rigid_body/detail/newton_euler.hpp"

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
        resistances(joints + 1),
        effects(joints + 1),
        felt(joints),
        responses(joints),
        columns(static_cast<std::size_t>(padded / columns_at_once), ColumnPack<T>{}),
        changes((joints + 1) * 18 * columns_at_once, T(0.0)),
        slopes(joints, T(0.0)),
        column_masks(tree, padded),
        row_memory(static_cast<std::size_t>(JointRows<T>::components * padded)),
        mask(static_cast<std::size_t>(2 * padded)) {
    const Vector3<T> none = zero_vector<T>();
    const Vector3<T> up{T(-gravity[0]), T(-gravity[1]), T(-gravity[2])};
    motions[0] = {none, none, up};
    places[0] = {zero_matrix<T>(), none};
    add_diagonal(places[0].rotation, T(1.0));
    velocities[0] = {none, none};
    accelerations[0] = {none, up};
    std::fill(row_memory.begin(), row_memory.end(), T(0.0));  // the padding of the last pack stays zero
    std::fill(mask.begin(), mask.begin() + padded, T(1.0));
    std::fill(mask.begin() + padded, mask.end(), T(0.0));
  }

  JointRows<T> rows() { return {row_memory.data(), padded}; }

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
  std::vector<Articulated<T>> resistances;
  std::vector<ArticulatedEffect<T>> effects;
  std::vector<Vector3<T>> felt;
  std::vector<JointResponse<T>> responses;
  std::vector<ColumnPack<T>> columns;
  std::vector<T> changes, slopes;
  ColumnMasks<T> column_masks;
  std::vector<T> row_memory, mask;
};

}  // namespace quoin::rigid_body::detail
