// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::fluidic_arm {

/// How the mass of a segment is distributed.
enum class MassModel {
  distributed,  ///< evenly along the neutral axis, by Gauss points: as in a real segment; the default
  mid_arc,      ///< in the middle of the arc (Eq. 13); makes the mass matrix of a hanging arm practically singular
  chord_point   ///< in the middle of the chord (Eq. 31), which the paper simulates
};

/// A piece of soft arm that bends with constant curvature, after a straight piece that does not bend.
struct Segment {
  double length = 0;       ///< L, of the bending piece, m
  double dead_length = 0;  ///< L_P, of the straight piece before it, m
  double mass = 0;         ///< of both pieces together, kg
  double stiffness = 0;    ///< k: force k theta against bending, N m (per rad)
  double damping = 0;      ///< b: force b d(theta)/dt, N m s
  double friction = 0;     ///< Coulomb friction, N m, smoothed: friction tanh(rate / 0.05 rad/s)
};

/// An arm in a vertical plane, whose direction the rotation of its base sets.
struct ArmDescription {
  std::vector<Segment> segments = {};             ///< from base to tip
  MassModel mass_model = MassModel::distributed;  ///< of all segments
  double gravity = 9.81;                          ///< m/s^2, downwards
  double base_angle = 0;     ///< of the first tangent, from straight down towards +x, rad; pi / 2 is a horizontal clamp
  double base_rotation = 0;  ///< gamma: of the plane about the vertical, rad
  int passive_segments = 1;  ///< the first segments, which have no actuators
};

/// Stiffness that grows with the length, k_i = k L_i / L_1 (section 4.4 of the paper), or falls with it, as in a beam
/// of bending stiffness EI, N m^2: k_i = EI / L_i.
void set_stiffness_along_length(ArmDescription& arm, double first_stiffness);
/// bending_stiffness: EI, N m^2, not of one segment but of the beam.
void set_stiffness_of_beam(ArmDescription& arm, double bending_stiffness);

}  // namespace quoin::fluidic_arm
