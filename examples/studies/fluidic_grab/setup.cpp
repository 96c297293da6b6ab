// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/setup.hpp"

#include <random>

namespace studies::grab {

using namespace fluidic_arm;

ArmDescription table1_arm() {
  ArmDescription arm;
  for (const double mass : {0.190, 0.146, 0.090, 0.090})
    arm.segments.push_back({.length = 0.13, .mass = mass, .stiffness = 0.108, .damping = 4.2e-3});
  return arm;
}

LinearSystem drive_cylinder(double frequency, double damping_ratio) {
  LinearSystem cylinder;
  cylinder.A.resize(2, 2);
  cylinder.A << 0, 1, -frequency * frequency, -2 * damping_ratio * frequency;
  cylinder.B = Eigen::Vector2d(0, frequency * frequency);
  cylinder.C = Eigen::RowVector2d(1, 0);
  cylinder.D = Eigen::MatrixXd::Zero(1, 1);
  return cylinder;
}

FluidicSystem nominal_system() {
  return {.arm = table1_arm(),
          .actuators = std::vector<CubicActuator>(3, {.cubic = 8e-7}),
          .cylinders = std::vector<LinearSystem>(3, drive_cylinder(25, 0.8)),
          .delay = 0.05};
}

FluidicSystem random_machine(unsigned seed) {
  std::mt19937 generator(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(generator()) / 4294967296.);
  };
  FluidicSystem machine = nominal_system();
  for (Segment& segment : machine.arm.segments) {
    segment.mass *= uniform(0.8, 1.2);
    segment.stiffness *= uniform(0.8, 1.2);
    segment.damping *= uniform(0.8, 1.2);
    segment.friction = 3e-3;
  }
  for (CubicActuator& actuator : machine.actuators) actuator.cubic *= uniform(0.8, 1.2);
  for (LinearSystem& cylinder : machine.cylinders)
    cylinder = drive_cylinder(25 * uniform(0.8, 1.2), 0.8 * uniform(0.8, 1.2));
  machine.delay = uniform(0.03, 0.07);
  return machine;
}

PlantOptions machine_options(unsigned seed) {
  return {.sample_time = sample_time, .noise = camera_noise, .largest_reference = largest_reference, .seed = seed};
}

}  // namespace studies::grab
