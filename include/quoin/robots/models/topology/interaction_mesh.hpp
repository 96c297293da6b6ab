// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::topology {

/// Two neighbouring points, by number: the robot's landmarks come first, then the environment's.
struct MeshEdge {
  /// From 0, one from the other different.
  Eigen::Index first = 0, second = 0;
  double weight = 1;  ///< positive: strength of the coupling
  double gap = 0;     ///< m, not negative: combined thickness of the bodies around both points
};

/// All pairs of K + E points except pairs within the environment, whose distance the robot does not change.
std::vector<MeshEdge> full_graph(Eigen::Index robot_points, Eigen::Index environment_points);

/// Edges from each point to its nearest ones at the given positions, 3 x K and 3 x E, without pairs within the
/// environment. A pair found from both ends appears once.
std::vector<MeshEdge> nearest_graph(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, int nearest);

/// Laplace coordinates of landmarks (Ho, Komura, Tai 2010; Zarubin et al. 2012, Eqs. 4, 5): each point relative to the
/// weighted mean of its neighbours, with more weight on near ones,
///
///     L(p) = p - sum_r u_r r / sum_r u_r,   u_r = weight_r / |r - p|.
///
/// An edge with a gap uses the distance between surfaces, u_r = weight_r / max(|r - p| - gap, gap / 20), so that points
/// about to touch outweigh all others (not in the papers, whose points have no thickness).
///
/// Has 3 (K + E) numbers for K + E points; a point without neighbours has its position as its coordinate. Invariant to
/// a common translation of all points, not to scale: without gaps L(2 p) = 2 L(p). Where a neighbour without gap
/// coincides with p, L(p) = 0, the limit. O(edges). Throws std::invalid_argument for edges with a point out of range,
/// from a point to itself, without positive weight, or with a negative gap.
class InteractionMesh {
 public:
  /// Throws std::invalid_argument for edges as said above.
  InteractionMesh(Eigen::Index robot_points, Eigen::Index environment_points, std::vector<MeshEdge> edges);

  Eigen::Index robot_points() const { return robot_points_; }
  Eigen::Index environment_points() const { return environment_points_; }
  /// 3 (K + E).
  Eigen::Index size() const { return 3 * (robot_points_ + environment_points_); }
  Fingerprint fingerprint() const;  ///< of the numbers of points and the edges

  /// robot: 3 x K, environment: 3 x E; y: size().
  void evaluate(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, Eigen::VectorXd& y) const;

  /// With the derivative by joint coordinates: moved, 3 K x n, is the Jacobian of the robot's points;
  /// J: size() x n. O(edges n).
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
