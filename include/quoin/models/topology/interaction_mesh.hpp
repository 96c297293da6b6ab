// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::topology {

/// Who is whose neighbour among points that are numbered: first the robot's landmarks, then the environment's.
struct MeshEdge {
  Eigen::Index first = 0, second = 0;
  double weight = 1;  ///< positive: how much they mind each other
  double gap = 0;     ///< m, not negative: how thick what stands around both points is together
};

/// All pairs of K + E points but those of two points of the environment, whose distance the robot does not change.
std::vector<MeshEdge> full_graph(Eigen::Index robot_points, Eigen::Index environment_points);

/// Each point with its nearest where they are now, 3 x K and 3 x E; pairs of the environment left out. A pair that is near
/// from one of its ends is there once.
std::vector<MeshEdge> nearest_graph(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, int nearest);

/// Laplace coordinates of landmarks (Ho, Komura, Tai 2010; Zarubin et al. 2012, Eqs. 4, 5): each point against the mean of its
/// neighbours, the near ones heavier,
///
///     L(p) = p - sum_r u_r r / sum_r u_r,   u_r = weight_r / |r - p|.
///
/// An edge with a gap counts its distance between surfaces, u_r = weight_r / max(|r - p| - gap, gap / 20), so that what is
/// about to touch outweighs all else (not in the papers, whose points have no thickness).
///
/// Of K + E points, 3 (K + E) numbers; a point without neighbours has its place as its coordinate. Invariant to where all
/// points are together, and without gaps L(2 p) = 2 L(p): not to scale. Where a neighbour without gap coincides with p,
/// L(p) = 0, the limit. O(edges). Throws std::invalid_argument for edges that leave the points, tie a point to itself, weigh
/// nothing, or have a negative gap.
class InteractionMesh {
 public:
  InteractionMesh(Eigen::Index robot_points, Eigen::Index environment_points, std::vector<MeshEdge> edges);

  Eigen::Index robot_points() const { return robot_points_; }
  Eigen::Index environment_points() const { return environment_points_; }
  Eigen::Index size() const { return 3 * (robot_points_ + environment_points_); }

  /// robot: 3 x K, environment: 3 x E; y: size().
  void evaluate(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, Eigen::VectorXd& y) const;

  /// With the derivative by joint coordinates: moved, 3 K x n, is that of the robot's points; J: size() x n.
  /// O(edges n).
  void evaluate(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, const Eigen::MatrixXd& moved,
                Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  struct Neighbour {
    Eigen::Index point;
    double weight, gap;
  };

  void laplace(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, const Eigen::MatrixXd* moved,
               Eigen::VectorXd& y, Eigen::MatrixXd* J) const;

  Eigen::Index robot_points_, environment_points_;
  std::vector<std::vector<Neighbour>> neighbours_;  // of each point
};

}  // namespace quoin::topology
