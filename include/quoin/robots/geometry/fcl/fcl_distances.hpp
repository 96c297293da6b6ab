// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/shapes.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace quoin {

/// A convex polytope by its closed surface.
struct Polytope {
  SurfaceMesh surface;  ///< m, in the frame that carries it
};

/// A shape in the frame that carries it. A SurfaceMesh is its triangles, whatever they enclose.
using FclShape = std::variant<Capsule, Box, Polytope, SurfaceMesh>;

/// A shape on one of a robot's frames.
struct FclBody {
  int frame;       ///< index of a frame
  FclShape shape;  ///< in that frame
};

/// The bodies of a robot, the obstacles, and the pairs to measure. Poses are passed to every query.
struct FclModel {
  int frames = 0;                                      ///< F: number of the robot's frames
  std::vector<FclBody> bodies = {};                    ///< B
  std::vector<std::array<int, 2>> self_pairs = {};     ///< S pairs of bodies to keep apart
  std::vector<FclShape> obstacles = {};                ///< O, each in the frame of its pose
  std::vector<std::array<int, 2>> ignored_pairs = {};  ///< {body, obstacle} that may touch, as a base and its table
};

/// A pair of near bodies. Moving the first by v and the second by w changes the distance by normal . (v - w), taken at
/// the two points.
struct FclNearPair {
  int pair;                             ///< its number, as of FclDistances
  double distance;                      ///< m; not positive where they overlap
  Eigen::Vector3d on_first, on_second;  ///< m, in the world
  Eigen::Vector3d normal;               ///< unit, in which the first leaves the second; 0 where none is known
};

/// Distances of meshes, convex polytopes, boxes and capsules, by the Flexible Collision Library (FCL): for what
/// CollisionChecker, which knows a robot of capsules among capsules and boxes, cannot express.
///
///     FclModel model{.frames = 2, .bodies = {{0, Polytope{upper_arm}}, {1, hand}}, .obstacles = {table, shelf}};
///     const FclDistances distances(model);
///     std::vector<FclNearPair> near;
///     distances.near_pairs(frames, {table_pose, shelf_pose}, 0.05, near);
///
/// Pairs are numbered: first the S self pairs in their order, then body b with obstacle o as S + o B + b; K = S + O B.
///
/// Apart, distances are exact to 1e-9 m, normals to 1e-4 (the Gilbert-Johnson-Keerthi algorithm of libccd; capsules
/// with capsules and boxes: `closest`). Overlapping, a capsule with a capsule or box has its signed distance; other
/// convex shapes the length and direction of a translation that parts them, which need not be the shortest: minus the
/// depth of libccd's portal refinement; a pair with a SurfaceMesh, of which FCL knows no depth, has distance 0 and no
/// normal. So plans among meshes must begin apart, or decompose their meshes into convex pieces.
///
/// Takes 2 to 5 us for a pair of convex shapes, 0.1 ms with a mesh of hundreds of triangles, nothing for pairs whose
/// bounding spheres are beyond the margin. Copies share the shapes. Safe to call from many threads.
///
/// Throws std::invalid_argument, in the constructor for indices out of range, a body paired with itself, shapes that
/// `require_shape` refuses, a mesh without triangles or with vertices that are not finite, and a polytope that is not
/// closed or not convex (to 1e-6 of its size); in queries for a wrong number of poses, poses that are not finite, and a
/// negative margin.
class FclDistances {
 public:
  /// Makes FCL's objects of the shapes, once for all queries.
  explicit FclDistances(FclModel model);

  /// K.
  int pair_count() const;
  /// As it was given.
  const FclModel& model() const;

  /// All pairs nearer than `margin` (m), in the order of their numbers. frames: F, obstacles: O, to world.
  void near_pairs(const std::vector<Eigen::Isometry3d>& frames, const std::vector<Eigen::Isometry3d>& obstacles,
                  double margin, std::vector<FclNearPair>& near) const;

 private:
  struct Shapes;

  std::shared_ptr<const Shapes> shapes_;
};

}  // namespace quoin
