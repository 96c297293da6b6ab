// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/rope_arm.hpp"
#include "quoin/geometry/shapes.hpp"

#include <Eigen/Core>

#include <cstdint>

namespace studies::unwrap {

/// The rope arm wound around a pole, and a rod that its hand should grasp.
struct Scene {
  double winding = 0;  ///< turns asked for
  std::uint64_t seed = 0;
  studies::CapsuleArm arm;           ///< its hand may touch the rod
  Eigen::Matrix3Xd pole = {};        ///< 3 x 21: its axis, from below to above, in pieces, m
  Obstacles obstacles = {};          ///< the pole, the rod
  Eigen::VectorXd start = {};        ///< 29, rad: wound, without contact
  Eigen::Matrix3Xd palm_goals = {};  ///< 3 x 2: of the wrist and the middle of the palm, m
  Eigen::Matrix3Xd tip_goals = {};   ///< 3 x 3: of the tips
  double turns_at_start = 0;         ///< the writhe of arm and pole there

  int joints() const { return arm.tree.joints(); }
  rigid_body::TreePoints palm() const;  ///< the wrist and the middle of the palm
  rigid_body::TreePoints tips() const;
};

/// The seed chooses the place of the rod and how wide the arm is wound; what cannot be wound within limits, 18 mm from
/// contact, is drawn anew. Throws std::invalid_argument for a winding outside of 0 to 2.6 turns, which is as much as the
/// arm has room for, and std::runtime_error if none of 20 draws will do.
Scene make_scene(double winding, std::uint64_t seed);

}  // namespace studies::unwrap
