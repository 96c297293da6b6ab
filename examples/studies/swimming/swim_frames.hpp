// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_study.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <vector>

namespace studies::stroke {

/// An instant of the stroke, with the water's potential on the swimmer.
struct SwimFrame {
  double time = 0;                              ///< s
  std::vector<Eigen::Isometry3d> poses = {};    ///< of the links, in the world
  std::vector<Eigen::VectorXd> potential = {};  ///< of each link's vertices, m^2/s
  std::vector<Eigen::Matrix3Xd> velocity = {};  ///< of these vertices, in the world, m/s
};

/// The frames at these states (columns of Plan::states or Replay::states): one solve of the boundary elements of `fish`
/// each, for the potential per unit velocity; `water` gives the velocity of the base from that of the joints.
std::vector<SwimFrame> swim_frames(const Fish& fish, const GridView<joints>& water, const Eigen::MatrixXd& states,
                                   const std::vector<Eigen::Index>& instants);

/// 0, every, 2 every, ... below count.
std::vector<Eigen::Index> every_so_many(Eigen::Index every, Eigen::Index count);

/// Path of the centre of mass, in the plane z = 0: 3 x columns of states.
Eigen::Matrix3Xd locus(const Fish& fish, const Eigen::MatrixXd& states);

}  // namespace studies::stroke
