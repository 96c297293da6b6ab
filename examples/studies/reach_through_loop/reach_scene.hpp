// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/hollow_box.hpp"
#include "quoin/robots/models/topology/interaction_mesh.hpp"
#include "quoin/robots/models/topology/writhe.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace studies::loop {

/// The robot and its start.
struct ReachScene {
  studies::CapsuleArm arm = studies::iiwa_with_rod(rod_length, rod_radius);
  Eigen::VectorXd start = (Eigen::VectorXd(7) << 0, -0.9, 0, -2.0, 0, 0.6, 0).finished();

  static constexpr double rod_length = 0.32, rod_radius = 0.015;  // m

  rigid_body::TreePoints tip() const;
  /// Points on the rod at these distances from its tip, from the flange to the tip: those of the topological maps.
  rigid_body::TreePoints rod() const;
  static Eigen::VectorXd rod_places();

  Eigen::VectorXd state_at_start() const;  ///< at rest
};

/// The topological maps of `rod` with `HollowBox::rim` and with `HollowBox::rim_landmarks`.
topology::WritheOptions rod_writhe();
topology::InteractionMesh rod_mesh();

/// The distribution of the boxes: their mouths are in a part of a spherical shell around the shoulder and face it
/// roughly. Uniform in each of these numbers.
struct BoxDistribution {
  double nearest = 0.6, farthest = 0.85;  ///< of the mouth's middle from the shoulder's axis, m
  double azimuth = 1.2;                   ///< to either side, rad
  double lowest = 0.2, highest = 0.95;    ///< m above the floor
  double turn = 0.8;                      ///< of the box's axis from outwards, about the vertical, either way, rad
  double tilt = 0.6;                      ///< up or down, rad
  double roll = 0.785;                    ///< about its own axis, rad
  double side = HollowBox{}.side;         ///< of the rim, m: the same for all
};

struct DrawnBoxes {
  std::vector<HollowBox> boxes;
  int drawn = 0;        ///< number drawn for these
  int at_start = 0;     ///< rejected: the arm collides with the box at the start
  int unreachable = 0;  ///< rejected: no end posture was found
};

inline constexpr int draws_per_box = 50;  ///< mean number of draws allowed

/// `count` boxes that the arm does not touch at the start (within 2 cm) and can reach into: from one of 40 random
/// postures, Gauss-Newton leads to a posture with its tip at the goal, through the loop, free of collision and within
/// limits. Throws std::runtime_error if `draws_per_box` draws for each do not yield as many.
DrawnBoxes draw_boxes(const ReachScene& scene, const BoxDistribution& distribution, int count, std::uint64_t seed);

}  // namespace studies::loop
