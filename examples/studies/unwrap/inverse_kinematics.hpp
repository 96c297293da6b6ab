// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/scene.hpp"

#include <Eigen/Core>

namespace studies::unwrap {

/// Weights C of Eq. 14, relative to |q' - q|^2 (rad^2).
struct InverseKinematicsOptions {
  int frames = 250;      ///< in which the hand is led to the rod, 20 ms each; then it is held there as long again
  double hand = 10;      ///< of palm and tips, 1/m^2
  double contact = 100;  ///< of pairs nearer than the margin, 1/m^2
  double margin = 0.02;  ///< m
  double limits = 1e2;   ///< of joints beyond their limits, 1/rad^2
};

struct FollowedPath {
  Eigen::MatrixXd q;     ///< 29 x (2 frames + 1)
  long long checks = 0;  ///< configurations checked for collisions: one a frame
  double seconds = 0;
};

/// The local feedback that the paper says fails here (Zarubin et al. 2012, section V-A): palm and tips are led from
/// where they are straight to their goals, frame by frame, by damped inverse kinematics, and pairs that come near are
/// separated. No plan, no topology: each frame is Eq. 15 with phi = (palm, tips, margins, limits) and h = 0.
FollowedPath follow_by_inverse_kinematics(const Scene& scene, const InverseKinematicsOptions& options = {});

}  // namespace studies::unwrap
