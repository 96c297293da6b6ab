// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_plant.hpp"

#include <Eigen/Core>

#include <array>

namespace studies::grab {

/// A goal of Table 2 of the paper, m.
struct Goal {
  char name;
  Eigen::Vector2d at;
};
inline const std::array<Goal, 4> goals{
    {{'A', {-0.25, -0.45}}, {'B', {0.15, -0.35}}, {'C', {0.20, -0.40}}, {'D', {-0.30, -0.30}}}};

inline constexpr double sample_time = 0.02;      ///< s: 50 Hz, of the camera and of the references
inline constexpr double camera_noise = 2e-3;     ///< m
inline constexpr double largest_reference = 65;  ///< mL, of a cylinder
// What the paper's plans may miss, epsilon_p (m) and epsilon_v (m/s), and twice that for a success of the machine: the
// distance is then the radius of a table tennis ball.
inline constexpr double tolerated_distance = 0.01, tolerated_speed = 0.02;
inline constexpr double ball_radius = 2 * tolerated_distance, max_speed = 2 * tolerated_speed;

/// The arm that Table 1 of the paper identifies, with four segments of 13 cm: the paper gives no lengths, and
/// goal A is 51.5 cm from the base.
fluidic_arm::ArmDescription table1_arm();
inline const Eigen::Vector3d torque_limits(0.12, 0.13, 0.18);       ///< N m, Figs. 7 and 8
inline const Eigen::Vector3d weak_torque_limits(0.07, 0.09, 0.13);  ///< N m, Fig. 11

/// A cylinder whose volume follows its reference; frequency in rad/s.
LinearSystem drive_cylinder(double frequency, double damping_ratio);

/// A designer's estimate before any measurement: Table 1's arm with actuators and cylinders of similar size.
fluidic_arm::FluidicSystem nominal_system();

/// A machine that differs from its model: masses, stiffnesses, dampings, actuators and cylinders off by up to 20 %,
/// Coulomb friction of 3 mN m, a delay of 30 to 70 ms. Its segments can be weighed.
fluidic_arm::FluidicSystem random_machine(unsigned seed);
fluidic_arm::PlantOptions machine_options(unsigned seed);

}  // namespace studies::grab
