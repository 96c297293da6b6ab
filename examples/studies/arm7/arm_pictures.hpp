// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/figures/surface_scene.hpp"
#include "examples/studies/program/library.hpp"

#include <Eigen/Core>

#include <filesystem>
#include <functional>

namespace studies {

/// The arm's capsules in a picture, in the colour that `shade` has in the scene's range. points: 3 x P, of arm.points().
void add_arm(figures::SurfaceScene& scene, const CapsuleArm& arm, const Eigen::Matrix3Xd& points, double shade);

/// Obstacles in a picture. Capsules of radius 0 have no surface and are left out.
void add_obstacles(figures::SurfaceScene& scene, const Obstacles& obstacles, double shade);

/// A scene for both: shades from -1, blue, over 0, white, to 1, red; no colour bar.
figures::SurfaceScene shaded_scene(const Eigen::Vector3d& from, int most_pieces = 6000);

/// A path for ParaView: `file`.pvd with a .vtu for each column of path (d x frames), dt seconds apart; cells have the
/// field "body", the number of the arm's capsule, and -1 for obstacles, which must be as many in all frames.
void write_frames(const std::filesystem::path& file, const CapsuleArm& arm, const Eigen::MatrixXd& path, double dt,
                  const std::function<Obstacles(int frame)>& obstacles_at);

}  // namespace studies
