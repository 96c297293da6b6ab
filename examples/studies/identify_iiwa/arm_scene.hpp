// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/iiwa7.hpp"
#include "examples/studies/identify_iiwa/arm_runs.hpp"
#include "examples/studies/identify_iiwa/learned_models.hpp"
#include "examples/studies/identify_iiwa/robot_plant.hpp"
#include "examples/studies/program/library.hpp"

#include <cstdint>
#include <vector>

namespace studies::iiwa {

/// A robot, its known description, and its excitation. Choices that the paper leaves open are made here.
struct ArmScene {
  rigid_body::RigidBodyTree described;  ///< according to its URDF
  rigid_body::RigidBodyTree real;       ///< the simulated robot: the same joints, perhaps other masses
  rigid_body::Frame hand = {};
  PlantOptions plant = {};
  identification::SineExcitation excitation = {};
  double seconds = 240;
  JointGains gains = {};
  bool described_is_true = true;
  int half_window = 0;  ///< of the filter between log and motion; 0: the simulated motion is known exactly

  /// The same with another natural frequency of the joints' feedback, rad/s.
  ArmScene with_feedback(double frequency) const;
  RobotPlant make_plant(std::uint64_t seed) const { return {real, plant, seed}; }
  /// The sines, followed with the description's inverse dynamics: the data to learn from.
  identification::RobotMotion recorded() const;
};

inline constexpr double soft_feedback = 20;  ///< rad/s: so soft that models matter

/// The iiwa as its URDF file describes it, without friction, noise or delay (the paper's simulation). The joints'
/// feedback has the natural frequency `feedback`, rad/s.
ArmScene clean_scene(double seconds, double feedback = soft_feedback);

/// A stand-in for a real robot: masses, centres and inertias off the description by up to 20 %, viscous and Coulomb
/// friction, noise, and a delay of one control period.
ArmScene harder_scene(double seconds, double feedback = soft_feedback);

}  // namespace studies::iiwa
