// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/robots/fem_as_constant_curvature/fem_arm.hpp"

#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace benchmarks::fem {
namespace {

int cells_along(const BeamMaterial& material) {
  const double wanted = material.length / material.width * material.cells_across / stations;
  return stations * static_cast<int>(std::lround(wanted));
}

soft_arm::SoftArm<2> beam_of(const BeamMaterial& material, double base_angle, double gravity) {
  // The mesh's axes run across and along the arm: (cos, sin) and (sin, -cos) of the base's angle in the (x, z) plane.
  const soft_arm::ArmOptions<2> options{.gravity = {-gravity * std::sin(base_angle), gravity * std::cos(base_angle)},
                                        .dead_load = {}};
  return soft_arm::SoftArm<2>(soft_arm::make_beam<2>({.length = material.length,
                                                      .width = material.width,
                                                      .cells_across = material.cells_across,
                                                      .cells_along = cells_along(material),
                                                      .young = material.young,
                                                      .stiff_every = 0,
                                                      .poisson = material.poisson,
                                                      .density = material.density}),
                              options);
}

}  // namespace

double BeamMaterial::bending_stiffness() const { return young * std::pow(width, 4) / 12 / (1 - poisson * poisson); }

FemArm::FemArm(const BeamMaterial& material, double base_angle, double gravity)
    : material_(material), base_angle_(base_angle), arm_(beam_of(material, base_angle, gravity)) {}

Eigen::VectorXd FemArm::equilibrium(const Eigen::Vector2d& tension) const {
  const soft_arm::Statics<2> statics(arm_);
  Eigen::VectorXd y;
  const soft_arm::StaticsResult found = statics.solve_from(arm_.rest(), tension / arm_.line_force(), y);
  if (found.status != soft_arm::StaticsStatus::ok)
    throw std::runtime_error("no equilibrium at a base angle of " + to_text(base_angle_) + " and tensions of " +
                             to_text(tension[0]) + ", " + to_text(tension[1]) + " N: " + to_string(found.status));
  return y.head(arm_.size());
}

Picture FemArm::picture(const Eigen::VectorXd& x) const {
  const int across = material_.cells_across, along = cells_along(material_);
  const auto vertex = [&](int i, int layer) -> Eigen::Vector2d { return x.segment<2>(2 * (layer * (across + 1) + i)); };
  const Eigen::Vector2d right(std::cos(base_angle_), std::sin(base_angle_)),
      down(std::sin(base_angle_), -std::cos(base_angle_));
  Picture seen{.ends = Eigen::Matrix2Xd(2, stations), .angles = Eigen::VectorXd(stations)};
  for (int s = 1; s <= stations; ++s) {
    const int layer = s * along / stations;
    const Eigen::Vector2d centre = vertex(across / 2, layer), section = vertex(across, layer) - vertex(0, layer);
    seen.ends.col(s - 1) = centre[0] * right + centre[1] * down;
    seen.angles[s - 1] = std::atan2(-section[1], section[0]);
  }
  double length = 0;
  for (int layer = 1; layer <= along; ++layer)
    length += (vertex(across / 2, layer) - vertex(across / 2, layer - 1)).norm();
  seen.strain = length / material_.length - 1;
  return seen;
}

std::vector<Picture> FemArm::released(const Eigen::VectorXd& start, double duration, double time_step) const {
  const int between = static_cast<int>(std::lround(0.02 / time_step));
  const int frames = static_cast<int>(std::lround(duration / 0.02));
  const soft_arm::FullDynamics<2> dynamics(arm_,
                                           {.time_step = time_step, .stiffness_damping = material_.stiffness_damping});
  const soft_arm::FullTrajectory motion = dynamics.rollout(start, start, Eigen::MatrixXd::Zero(2, frames * between));
  if (motion.status != StepStatus::ok)
    throw std::runtime_error(std::string("the motion of the finite elements stopped: ") + to_string(motion.status));
  std::vector<Picture> pictures;
  for (int frame = 0; frame <= frames; ++frame) pictures.push_back(picture(motion.position(frame * between)));
  return pictures;
}

double bending_stiffness_of_mesh(const BeamMaterial& material) {
  const FemArm weightless(material, 0, 0);
  const double tension = 0.01 * weightless.arm().line_force();
  const Picture seen = weightless.picture(weightless.equilibrium({0, tension}));
  return tension * material.lever() * material.length / 2 / (seen.angles[5] - seen.angles[1]);
}

fluidic_arm::ArmDescription as_constant_curvature(const BeamMaterial& material, int segments, double base_angle) {
  fluidic_arm::ArmDescription arm{.base_angle = base_angle, .passive_segments = 0};
  arm.segments.assign(static_cast<std::size_t>(segments),
                      {.length = material.length / segments, .mass = material.mass() / segments});
  set_stiffness_of_beam(arm, material.bending_stiffness());
  for (auto& segment : arm.segments) segment.damping = material.stiffness_damping * segment.stiffness;
  return arm;
}

Equilibria equilibria(const BeamMaterial& material, const std::vector<Setting>& settings) {
  Equilibria all{.settings = settings, .pictures = {}};
  for (const Setting& setting : settings) {
    const FemArm arm(material, setting.base_angle);
    all.pictures.push_back(arm.picture(arm.equilibrium(setting.tension)));
  }
  return all;
}

}  // namespace benchmarks::fem
