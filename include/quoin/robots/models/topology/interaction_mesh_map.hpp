// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/topology/interaction_mesh.hpp"
#include "quoin/robots/task_maps/task_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::topology {

/// The interaction mesh of landmarks of a robot and its environment as a TaskMap (Zarubin et al. 2012, section II-B).
///
///     InteractionMeshMap map(landmarks, InteractionMesh(K, E, full_graph(K, E)));
///     map.evaluate(q, obstacles, y, J);  // obstacles: 3 x E, where they are now
///
/// Allocates nothing after the first call except for outputs that grow. Use one copy per thread.
template <PointKinematics Points>
class InteractionMeshMap {
 public:
  /// Throws std::invalid_argument unless the mesh has as many landmarks as `robot`.
  InteractionMeshMap(Points robot, InteractionMesh mesh) : robot_(std::move(robot)), mesh_(std::move(mesh)) {
    if (robot_.point_count() != mesh_.robot_points())
      throw std::invalid_argument("InteractionMeshMap: " + to_text(robot_.point_count()) + " landmarks for a mesh of " +
                                  to_text(mesh_.robot_points()));
  }

  /// Of robot and environment.
  const InteractionMesh& mesh() const { return mesh_; }
  Fingerprint fingerprint() const  ///< of the landmarks and the mesh
    requires Fingerprinted<Points>
  {
    return Fingerprint("topology::InteractionMeshMap")
        .add("robot", robot_.fingerprint())
        .add("mesh", mesh_.fingerprint());
  }
  Eigen::Index output_size(const Eigen::Matrix3Xd&) const { return mesh_.size(); }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& environment, Eigen::VectorXd& y) const {
    robot_.evaluate(q, points_);
    mesh_.evaluate(points_, environment, y);
  }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& environment, Eigen::VectorXd& y,
                Eigen::MatrixXd& J) const {
    robot_.evaluate(q, points_, moved_);
    mesh_.evaluate(points_, environment, moved_, y, J);
  }

 private:
  Points robot_;
  InteractionMesh mesh_;
  mutable Eigen::Matrix3Xd points_;
  mutable Eigen::MatrixXd moved_;
};

}  // namespace quoin::topology
