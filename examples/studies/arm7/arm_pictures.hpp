// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/figures/surface_scene.hpp"
#include "examples/studies/program/library.hpp"

#include <Eigen/Core>

#include <filesystem>
#include <functional>

namespace studies {

/// Adds the arm's capsules, in the colour that `shade` has in the scene's range. points: 3 x P, of arm.points().
void add_arm(figures::SurfaceScene& scene, const CapsuleArm& arm, const Eigen::Matrix3Xd& points, double shade);

/// Adds obstacles. Capsules of radius 0 have no surface and are left out.
void add_obstacles(figures::SurfaceScene& scene, const Obstacles& obstacles, double shade);

/// A scene for both, without a colour bar: shades from -1 (blue) over 0 (white) to 1 (red).
figures::SurfaceScene shaded_scene(const Eigen::Vector3d& from, int most_pieces = 6000);

/// Writes a path for ParaView: `file`.pvd with a .vtu for each column of path (d x frames), dt seconds apart. The cell
/// field "body" is the number of the arm's capsule, -1 for obstacles, whose number must be the same in all frames.
void write_frames(const std::filesystem::path& file, const CapsuleArm& arm, const Eigen::MatrixXd& path, double dt,
                  const std::function<Obstacles(int frame)>& obstacles_at);

}  // namespace studies
