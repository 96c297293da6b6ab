// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace studies::spheres {

struct SphereMotionOptions {
  double amplitude = 0;  ///< m
  double seconds = 5;
  int pieces = 4;  ///< of the spline: more pieces make faster and more erratic motion
};

/// Smooth random motion of spheres from their initial positions. Each follows a uniform cubic spline (twice
/// continuously differentiable, at rest in the beginning) whose control points are random in a ball, scaled so that its
/// largest displacement is `amplitude`. The same seed with another amplitude gives the same motion, scaled.
///
///     SphereMotion motion(centers, {.amplitude = 0.2}, 7);
///     Eigen::Matrix3Xd now = motion.at(1.3);  // 3 x S, m
///
/// After the last second the spheres stay where they are.
class SphereMotion {
 public:
  /// Throws std::invalid_argument for a time that is not positive, no pieces, or a negative amplitude.
  SphereMotion(Eigen::Matrix3Xd centers, const SphereMotionOptions& options, std::uint64_t seed);

  Eigen::Matrix3Xd at(double time) const;

 private:
  Eigen::Vector3d displacement(Eigen::Index sphere, double time) const;

  Eigen::Matrix3Xd centers_;
  SphereMotionOptions options_;
  std::vector<Eigen::Matrix3Xd> controls_;  // of each sphere, 3 x (pieces + 3)
};

}  // namespace studies::spheres
