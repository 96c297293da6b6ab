// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/rope_arm.hpp"
#include "quoin/robots/geometry/shapes.hpp"

#include <Eigen/Core>

#include <cstdint>

namespace studies::unwrap {

/// The rope arm wound around a pole, and a rod for its hand to grasp.
struct Scene {
  double winding = 0;  ///< turns requested
  std::uint64_t seed = 0;
  studies::CapsuleArm arm;           ///< its hand may touch the rod
  Eigen::Matrix3Xd pole = {};        ///< 3 x 21: its axis in pieces, from bottom to top, m
  Obstacles obstacles = {};          ///< the pole, the rod
  Eigen::VectorXd start = {};        ///< 29, rad: wound, without contact
  Eigen::Matrix3Xd palm_goals = {};  ///< 3 x 2: of the wrist and the middle of the palm, m
  Eigen::Matrix3Xd tip_goals = {};   ///< 3 x 3: of the tips
  double turns_at_start = 0;         ///< the writhe of arm and pole at the start

  int joints() const { return arm.tree.joints(); }
  rigid_body::TreePoints palm() const;  ///< the wrist and the middle of the palm
  rigid_body::TreePoints tips() const;
};

/// The seed chooses the place of the rod and the radius of the winding; draws that cannot be wound within limits, 18 mm
/// from contact, are repeated. Throws std::invalid_argument for a winding outside of 0 to 2.6 turns, the most for which
/// the arm is long enough, and std::runtime_error if 20 draws fail.
Scene make_scene(double winding, std::uint64_t seed);

}  // namespace studies::unwrap
