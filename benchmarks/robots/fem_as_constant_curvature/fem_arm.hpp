// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/robots/models/fluidic_arm/arm_description.hpp"
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include <Eigen/Core>

#include <vector>

namespace benchmarks::fem {

inline constexpr int stations = 8;  ///< along the centre line, the last at the tip

/// A slender homogeneous beam in plane strain, clamped at its base, with a line along each side.
struct BeamMaterial {
  double length = 0.5, width = 0.025;  // m; as deep as wide
  double young = 1e6, poisson = 0.4;   // Pa
  double density = 1000;               // kg / m^3
  double stiffness_damping = 0.01;     // s, stiffness-proportional
  int cells_across = 6;                // squares of two triangles, as many along as keep them square

  double mass() const { return density * length * width * width; }
  double bending_stiffness() const;           ///< EI of a beam in plane strain, N m^2
  double lever() const { return width / 2; }  ///< of a line, m
};

/// The clamp's angle and the lines' tensions.
struct Setting {
  double base_angle = 0;    ///< of the clamp, from straight down, rad
  Eigen::Vector2d tension;  ///< of the lines at -W/2 and W/2, N

  double difference() const { return tension[1] - tension[0]; }
};

/// What a camera sees of an arm: its stations, 2 x 8, m, in the (x, z) plane. Besides, what it does not see: the angle
/// by which the section there is turned, and the strain of the whole centre line.
struct Picture {
  Eigen::Matrix2Xd ends;
  Eigen::VectorXd angles;
  double strain = 0;
};

/// The beam as finite elements at one angle of its clamp, under gravity.
class FemArm {
 public:
  FemArm(const BeamMaterial& material, double base_angle, double gravity = 9.81);

  const soft_arm::SoftArm<2>& arm() const { return arm_; }
  /// Throws std::runtime_error if there is none.
  Eigen::VectorXd equilibrium(const Eigen::Vector2d& tension) const;
  Picture picture(const Eigen::VectorXd& x) const;
  /// The motion after release from rest at x: a picture every 20 ms, the first at once.
  std::vector<Picture> released(const Eigen::VectorXd& x, double duration, double time_step) const;

 private:
  BeamMaterial material_;
  double base_angle_;
  soft_arm::SoftArm<2> arm_;
};

/// The EI of the mesh, N m^2: from the curvature of the middle half under a small tension, without gravity.
double bending_stiffness_of_mesh(const BeamMaterial& material);

/// The beam as N = `segments` actuated segments of constant curvature; stiffness and damping as EI and
/// a Kelvin-Voigt solid predict.
fluidic_arm::ArmDescription as_constant_curvature(const BeamMaterial& material, int segments, double base_angle);

/// Measured pictures of equilibria.
struct Equilibria {
  std::vector<Setting> settings;
  std::vector<Picture> pictures;
};
Equilibria equilibria(const BeamMaterial& material, const std::vector<Setting>& settings);

}  // namespace benchmarks::fem
