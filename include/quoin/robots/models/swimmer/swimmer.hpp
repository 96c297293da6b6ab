// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/swimmer/hinge.hpp"
#include "quoin/robots/models/swimmer/link.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <string>
#include <vector>

namespace quoin::swimmer {

/// A tree of rigid links on hinges whose base, link 0, floats freely: the body of the swimmer of Jia, Pan, Manocha
/// 2019, III-C, with its kinematics and masses, without the water.
///
///     Swimmer fish = ellipsoid_chain();                        // 4 links, 3 hinges along z
///     Eigen::Vector3d q(0.3, 0, -0.3);                         // rad
///     auto poses = fish.poses(base, q);                        // of all links in the world
///     Eigen::MatrixXd J;                                       // 6 links x (6 + hinges)
///     fish.link_jacobians(q, J);                               // body twists = J [base twist; dq/dt]
///
/// Frames: every link has its own; at q = 0 all are parallel. Velocities are body twists, see Motion. Units are SI.
/// Throws std::invalid_argument, naming the link or hinge and the number, for hinges that do not form a tree, axes or
/// points that are not finite, surfaces that are not closed, densities and masses that are not positive.
class Swimmer {
 public:
  /// Link 0 is the base. fluid_density: kg/m^3, of the displaced water.
  Swimmer(std::vector<Link> links, std::vector<Hinge> hinges, double fluid_density = 1000);

  /// With the base.
  int links() const { return static_cast<int>(links_.size()); }
  /// One less than links.
  int hinges() const { return static_cast<int>(hinges_.size()); }
  double fluid_density() const { return fluid_density_; }  ///< kg/m^3

  /// As it was given.
  const Link& link(int index) const { return links_[static_cast<std::size_t>(index)]; }
  /// The hinge, with its axis normalized.
  const Hinge& hinge(int index) const { return hinges_[static_cast<std::size_t>(index)]; }
  /// Of a link in its own frame.
  const LinkInertia& inertia(int link) const { return inertias_[static_cast<std::size_t>(link)]; }
  /// 6 x 6, of a link: its kinetic energy is half the quadratic form of its body twist.
  Eigen::Matrix<double, 6, 6> mass_matrix(int link) const;
  double mass() const;  ///< of all links

  /// Poses of all links: in the base's frame, or in the world. q: hinges, rad.
  std::vector<Eigen::Isometry3d> poses(const Eigen::VectorXd& q) const;
  std::vector<Eigen::Isometry3d> poses(const Eigen::Isometry3d& base, const Eigen::VectorXd& q) const;
  /// Centre of mass of all links together, in the base's frame.
  Eigen::Vector3d centre_of_mass(const Eigen::VectorXd& q) const;

  /// J: (6 links) x (6 + hinges), the body twists of all links, one below the other, per unit
  /// base twist and hinge rate.
  void link_jacobians(const Eigen::VectorXd& q, Eigen::MatrixXd& J) const;
  /// dJ[k] = dJ/dq_k.
  void link_jacobians(const Eigen::VectorXd& q, Eigen::MatrixXd& J, std::vector<Eigen::MatrixXd>& dJ) const;

  /// Throws std::invalid_argument, in the caller's name, if the swimmer cannot move in the plane z = 0 alone: if a
  /// hinge is not along z, or a link is not symmetric about z = 0 (as far as its mass and extent show it).
  void require_planar(const std::string& caller) const;

 private:
  void check_angles(const Eigen::VectorXd& q, const char* who) const;

  std::vector<Link> links_;
  std::vector<Hinge> hinges_;
  std::vector<LinkInertia> inertias_;
  double fluid_density_;
};

}  // namespace quoin::swimmer
