// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/rigid_body/tree_points.hpp"

#include <Eigen/Core>

#include <array>

namespace benchmarks {

/// A robot of n joints among fixed objects, and the box over some of its joints that a grid fills.
template <int n>
struct TaskScene {
  rigid_body::TreePoints robot;  ///< a chain, or landmarks
  Eigen::Matrix3Xd environment;  ///< 3 x E, m
  Point<n> held;                 ///< rad, the middle of the box
  std::array<int, 4> joints;     ///< the first two, three or four of them move
  double reach;                  ///< rad, half an edge of the box
};

/// The iiwa 7, seven points from its second joint to its flange, beside a pipe of 24 segments
/// that bends around its forearm.
TaskScene<7> arm_beside_pipe();

/// The same beside a straight pole that its forearm sweeps across.
TaskScene<7> arm_across_pole();

/// The same beside a crate, whose eight corners and centre are the landmarks.
TaskScene<7> arm_beside_crate();

/// Twenty rods of 0.1 m on joints about z and y in turn (Zarubin et al. 2012, section V-A, without its hand), most of a
/// turn around a straight pole.
TaskScene<20> rope_around_pole();

/// The least distance between two chains of points, m: of their segments, not only of their points.
double clearance(const Eigen::Matrix3Xd& chain, const Eigen::Matrix3Xd& other);

}  // namespace benchmarks
