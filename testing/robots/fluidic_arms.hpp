// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

#include <random>

namespace quoin::fluidic_arm::test {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

inline constexpr MassModel all_mass_models[] = {MassModel::distributed, MassModel::mid_arc, MassModel::chord_point};

/// The arm of Table 1 of the paper, segments of 13 cm.
inline ArmDescription table1_arm() {
  ArmDescription arm;
  for (const double mass : {0.190, 0.146, 0.090, 0.090})
    arm.segments.push_back({.length = 0.13, .mass = mass, .stiffness = 0.108, .damping = 4.2e-3});
  return arm;
}

/// Unequal segments, dead lengths, an oblique base: no symmetry that could hide an error.
inline ArmDescription crooked_arm(MassModel mass_model = MassModel::distributed) {
  return {.segments = {{0.10, 0.02, 0.20, 0.11, 4e-3}, {0.13, 0, 0.15, 0.09, 3e-3}, {0.09, 0.03, 0.10, 0.12, 5e-3}},
          .mass_model = mass_model,
          .base_angle = 0.4,
          .base_rotation = 0.7};
}

/// N equal segments of 1 m in total and a weight of `load` times EI / L^2, clamped horizontally: a beam that sags.
inline ArmDescription horizontal_beam(int segments, double load, MassModel mass_model = MassModel::distributed) {
  ArmDescription arm{.mass_model = mass_model, .gravity = 1, .base_angle = std::acos(-1.) / 2};
  arm.segments.assign(static_cast<std::size_t>(segments), {.length = 1. / segments, .mass = load / segments});
  set_stiffness_of_beam(arm, 1);
  return arm;
}

/// Follows its reference with a natural frequency, rad/s, and a damping ratio.
inline LinearSystem second_order_cylinder(double frequency, double damping_ratio) {
  LinearSystem cylinder{.A = Matrix(2, 2),
                        .B = Eigen::Vector2d(0, frequency * frequency),
                        .C = Eigen::RowVector2d(1, 0),
                        .D = Matrix::Zero(1, 1)};
  cylinder.A << 0, 1, -frequency * frequency, -2 * damping_ratio * frequency;
  return cylinder;
}

inline FluidicSystem table1_system() {
  return {.arm = table1_arm(),
          .actuators = {{.cubic = 8e-7, .linear = 1e-4}, {.cubic = 9e-7}, {.cubic = 7e-7}},
          .cylinders = {second_order_cylinder(20, 0.7), second_order_cylinder(25, 0.9), second_order_cylinder(22, 0.5)},
          .delay = 0.047};
}

inline Vector random_vector(std::mt19937& generator, Eigen::Index size, double range) {
  std::uniform_real_distribution<double> uniform(-range, range);
  return Vector::NullaryExpr(size, [&] { return uniform(generator); });
}

}  // namespace quoin::fluidic_arm::test
