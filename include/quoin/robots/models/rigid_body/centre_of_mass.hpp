// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/rigid_body/detail/link_places.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "quoin/robots/task_maps/task_map.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::rigid_body {

/// The centre of mass of all links that move, as a point of the robot (PointKinematics):
///
///     PointOffsets balance(CentreOfMass(tree));  // centre - goal, m
///     balance.evaluate(q, above_the_foot, y, J);
///
/// What is fixed to the world does not count. O(n). It holds the places of the links: use one copy per thread.
class CentreOfMass {
 public:
  /// Throws std::invalid_argument unless the mass of all moving links together is positive.
  explicit CentreOfMass(RigidBodyTree tree);

  Eigen::Index point_count() const { return 1; }
  double mass() const { return mass_; }  ///< of all moving links, kg
  Fingerprint fingerprint() const;       ///< of joints, placements and masses

  /// centre: 3 x 1, m, in the world. Throws std::invalid_argument for a q of another size.
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& centre) const;
  /// jacobian: 3 x n.
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& centre, Eigen::MatrixXd& jacobian) const;

 private:
  void place(const Eigen::VectorXd& q) const;

  struct Part {
    double mass;                // of the link of a joint
    detail::Vector3<double> h;  // its first moment, in turned axes, kg m
  };
  struct Outboard {
    double mass;                // of all links that a joint moves
    detail::Vector3<double> h;  // their first moment in the world
  };

  mutable detail::LinkPlaces links_;
  std::vector<Part> parts_;
  mutable std::vector<Outboard> outboard_;
  double mass_ = 0;
};

static_assert(PointKinematics<CentreOfMass>);

}  // namespace quoin::rigid_body
