// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>

namespace quoin::fluidic_arm {

void check(const FluidicSystem& system) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("FluidicSystem: " + what); };
  const FluidicArm arm(system.arm);
  const auto wanted = static_cast<std::size_t>(arm.control_size());
  if (system.actuators.size() != wanted || system.cylinders.size() != wanted)
    refuse(to_text(system.actuators.size()) + " actuators and " + to_text(system.cylinders.size()) + " cylinders for " +
           to_text(wanted) + " actuated segments");
  if (!(system.delay >= 0)) refuse("a delay of " + to_text(system.delay) + " s");
  for (const CubicActuator& actuator : system.actuators)
    if (!(actuator.cubic >= 0) || !(actuator.linear >= 0) || !(actuator.cubic + actuator.linear > 0))
      refuse("an actuator of linear " + to_text(actuator.linear) + " and cubic " + to_text(actuator.cubic));
  for (const LinearSystem& cylinder : system.cylinders)
    if (cylinder.A.rows() != cylinder.A.cols() || cylinder.B.rows() != cylinder.A.rows() || cylinder.B.cols() != 1 ||
        cylinder.C.cols() != cylinder.A.rows() || cylinder.C.rows() != 1 || cylinder.D.size() != 1 ||
        cylinder.D(0, 0) != 0 || cylinder.time_step != 0)
      refuse("a cylinder that is not a continuous system of one input and one output with D = 0");
}

Eigen::VectorXd actuator_torques(const FluidicSystem& system, const Eigen::VectorXd& volumes) {
  Eigen::VectorXd torques(volumes.size());
  for (Eigen::Index i = 0; i < torques.size(); ++i)
    torques[i] = system.actuators[static_cast<std::size_t>(i)].torque(volumes[i]);
  return torques;
}

std::vector<std::string> SystemParameters::names() const {
  std::vector<std::string> all(static_cast<std::size_t>(size()));
  const auto name = [&](Eigen::Index place, const char* letter, Eigen::Index segment, const char* rest = "") {
    all[static_cast<std::size_t>(place)].append(letter).append(to_text(segment + 1)).append(rest);
  };
  for (Eigen::Index i = 0; i < segments; ++i) {
    name(mass(i), "m", i);
    name(stiffness(i), "k", i);
    name(damping(i), "b", i);
    name(friction(i), "f", i);
    name(angle(i), "theta", i, "(0)");
  }
  for (Eigen::Index i = 0; i < actuators; ++i) {
    name(cubic(i), "c", segments - actuators + i);
    name(linear(i), "l", segments - actuators + i);
  }
  all[static_cast<std::size_t>(delay())] = "t_d";
  return all;
}

Eigen::VectorXd SystemParameters::read(const FluidicSystem& system, const Eigen::VectorXd& initial_angles) const {
  Eigen::VectorXd p(size());
  for (Eigen::Index i = 0; i < segments; ++i) {
    const Segment& segment = system.arm.segments[static_cast<std::size_t>(i)];
    p[mass(i)] = segment.mass;
    p[stiffness(i)] = segment.stiffness;
    p[damping(i)] = segment.damping;
    p[friction(i)] = segment.friction;
  }
  for (Eigen::Index i = 0; i < actuators; ++i) {
    p[cubic(i)] = system.actuators[static_cast<std::size_t>(i)].cubic;
    p[linear(i)] = system.actuators[static_cast<std::size_t>(i)].linear;
  }
  p[delay()] = system.delay;
  p.tail(segments) = initial_angles;
  return p;
}

FluidicSystem SystemParameters::write(const FluidicSystem& system, const Eigen::VectorXd& p) const {
  FluidicSystem changed = system;
  for (Eigen::Index i = 0; i < segments; ++i) {
    Segment& segment = changed.arm.segments[static_cast<std::size_t>(i)];
    segment.mass = p[mass(i)];
    segment.stiffness = p[stiffness(i)];
    segment.damping = p[damping(i)];
    segment.friction = p[friction(i)];
  }
  for (Eigen::Index i = 0; i < actuators; ++i)
    changed.actuators[static_cast<std::size_t>(i)] = {.cubic = p[cubic(i)], .linear = p[linear(i)]};
  changed.delay = p[delay()];
  return changed;
}

}  // namespace quoin::fluidic_arm
