// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/program/library.hpp"

namespace studies::unwrap {

inline constexpr int rope_segments = 20;
inline constexpr double segment_length = 0.1;  // m
inline constexpr double rope_radius = 0.02;    // m
inline constexpr double finger_radius = 0.01;  // m
inline constexpr int fingers = 3;
inline constexpr int rope_bodies = rope_segments;  ///< the first bodies; those of the hand follow

/// A rope-like arm of 20 segments on single-axis joints about z and y in turn, and a hand of a thumb and two fingers of
/// three joints each, which bend towards each other: 29 joints (Zarubin et al. 2012, section V-A, which gives no
/// dimensions). It stands at the origin; at q = 0 it is straight along x, thumb at -y, fingers at +y.
///
/// The chain's 21 points are the segments' ends, the last one the wrist; the others are, for each finger, its
/// knuckle, two joints and its tip.
studies::CapsuleArm rope_arm();

/// 29: the arm straight, the hand open.
Eigen::VectorXd straight_pose();

/// The index of a finger's tip among the arm's points; finger 0 is the thumb.
int tip_of(int finger);

/// The middle of the palm in the wrist's frame, and the position of a knuckle, m.
Eigen::Vector3d palm_in_wrist();
Eigen::Vector3d knuckle_in_wrist(int finger);

}  // namespace studies::unwrap
