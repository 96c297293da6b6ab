// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/closest.hpp"
#include "quoin/robots/geometry/collision_model.hpp"

#include <array>
#include <atomic>
#include <vector>

namespace quoin {

/// The work that a checker has done.
struct CollisionCounts {
  long long checks = 0;  ///< configurations examined, whatever the query and the number of pairs: "collision checks"
  long long pairs = 0;   ///< pairs whose distance was computed; bounding spheres rule out the others
};

/// The two bodies of a pair; `other` is a body of the robot or the number of an obstacle.
struct CheckedPair {
  /// indices: of a body of the robot, and of another or of an obstacle.
  int body, other;
  bool with_obstacle;  ///< whether `other` is the number of an obstacle
};

/// The nearest pair of all.
struct LeastDistance {
  double distance;  ///< m; infinite if there is no pair
  int pair;         ///< its number; -1 if there is none
};

/// A near pair, and how its distance changes with the robot: d distance = normal . sum_i weights[i] d points[i] (minus
/// normal . the motion of closest.on_second, if the obstacle moves).
struct NearPair {
  int pair;                       ///< its number
  std::array<int, 4> points;      ///< ends of the first and the second body; those of an obstacle weigh 0
  std::array<double, 4> weights;  ///< 1 - t, t, -(1 - u), -u
  Closest closest;                ///< first: the body, second: the other body or the obstacle
};

/// Computes collisions and distances of a robot of capsules with obstacles and with itself, and counts its queries.
///
///   CollisionModel arm{.points = 21};
///   for (int i = 0; i < 20; ++i) arm.bodies.push_back({i, i + 1, 0.02});
///   arm.self_pairs = bodies_apart(arm.bodies, 2);
///   const CollisionChecker checker(arm);
///   const Obstacles world = {Capsule{{0, 0, -1}, {0, 0, 1}, 0.05}, Box{pose, {0.3, 0.2, 0.1}}};
///   checker.collides(points, world);                                     // points: 3 x 21
///   checker.margin_residuals(points, world, 0.02, jacobian, r, J);       // jacobian: 63 x n, J: 211 x n
///   checker.counts().checks;                                             // 2
///
/// `points` is always 3 x P, m. Obstacles are passed to every query, so that they may move. Pairs are numbered: first
/// the S self pairs in their order, then body b with obstacle o as S + o B + b; K = S + O B in all. Every query is one
/// check. Touching is no collision, but rounding may decide either way.
///
/// Const functions may be called from several threads at once: only the counts persist between calls, and they are
/// atomic. A copy counts from zero. A query about up to 64 bodies allocates nothing, except where its outputs grow.
/// Cost: O(K), 1 to 2 ns for a pair that bounding spheres separate, 15 to 60 ns for any other (docs/notes/geometry.md).
///
/// Throws std::invalid_argument, in the constructor for indices out of range, a body paired with itself, or a radius
/// that is negative or not finite; in queries for a wrong number of points, points that are not finite, unsound
/// obstacles (`require_shape`), or a negative margin.
class CollisionChecker {
 public:
  /// Takes its own copy of the model.
  explicit CollisionChecker(CollisionModel model);

  /// True if any pair overlaps. Stops at the first one found, with obstacles before self pairs.
  bool collides(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles) const;

  /// The least signed distance of all pairs.
  LeastDistance min_distance(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles) const;

  /// All signed distances: K, infinite for ignored pairs.
  void distances(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles,
                 Eigen::VectorXd& distances) const;

  /// All pairs nearer than `margin`, with what their derivatives need, in the order of their numbers.
  void near_pairs(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles, double margin,
                  std::vector<NearPair>& near) const;

  /// Hinges r_k = max(0, margin - distance_k), K numbers. |r|^2 is a cost that is continuously differentiable away from
  /// ridges of the distances.
  void margin_residuals(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles, double margin,
                        Eigen::VectorXd& r) const;
  /// The same with J = dr/dq, K x n, from the points' own derivatives: 3 P x n, rows 3 i to 3 i + 2 of point i.
  void margin_residuals(const Eigen::Ref<const Eigen::Matrix3Xd>& points, const Obstacles& obstacles, double margin,
                        const Eigen::Ref<const Eigen::MatrixXd>& point_jacobian, Eigen::VectorXd& r,
                        Eigen::MatrixXd& J) const;

  /// K for these obstacles.
  int pair_count(const Obstacles& obstacles) const;
  /// Throws std::invalid_argument for a negative number.
  CheckedPair pair(int number) const;
  const CollisionModel& model() const { return model_; }

  /// Since the checker was made, or the counts were reset, by all threads together.
  CollisionCounts counts() const;
  /// To zero.
  void reset_counts();

 private:
  struct Body;
  class Bodies;
  struct Counter {
    std::atomic<long long> value{0};
    Counter() = default;
    Counter(const Counter&) {}
    Counter& operator=(const Counter&) {
      value = 0;
      return *this;
    }
  };

  void require_question(const char* function, const Eigen::Ref<const Eigen::Matrix3Xd>& points,
                        const Obstacles& obstacles, double margin) const;
  bool ignored(int body, std::size_t obstacle) const;
  // Calls visit(number, body, body or box, at, other at) for the pairs that may be nearer than `bound`, which it may
  // lower, until it returns true.
  template <class Visit>
  bool visit_self(const Bodies& bodies, const double& bound, Visit&& visit) const;
  template <class Visit>
  bool visit_obstacles(const Bodies& bodies, const Obstacles& obstacles, const double& bound, Visit&& visit) const;
  // Calls take(near pair) for the pairs nearer than `margin`; counts one check.
  template <class Take>
  void visit_near(const Bodies& bodies, const Obstacles& obstacles, double margin, Take&& take) const;
  void count(long long pairs) const;

  CollisionModel model_;
  std::vector<char> ignored_;  // obstacle-major, B per row, up to the last obstacle named
  mutable Counter checks_, pairs_;
};

/// The rows of near pairs alone, r: A, J: A x n, for a Gauss-Newton cost: J^T J and J^T r are the same as those of
/// `margin_residuals`. margin and point_jacobian as there.
void margin_rows(const std::vector<NearPair>& near, double margin,
                 const Eigen::Ref<const Eigen::MatrixXd>& point_jacobian, Eigen::VectorXd& r, Eigen::MatrixXd& J);

}  // namespace quoin
