// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"
#include "quoin/robots/models/swimmer/potential_flow.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace quoin::swimmer {

/// The water around a swimmer, at any joint angles: PotentialFlow at the poses of its links. AddedMass is built on it;
/// one SwimmerFlow may serve several of them.
///
///     SwimmerFlow flow(ellipsoid_chain());
///     AddedMass<3> f(flow, Motion::planar);
///
/// Copies share everything; const, and safe to call from many threads. Construction throws std::invalid_argument for
/// surfaces that are not closed; queries throw std::invalid_argument for angles that do not fit or are not finite, and
/// BodiesTouch where links touch or overlap.
class SwimmerFlow {
 public:
  /// Takes the surfaces of all links.
  explicit SwimmerFlow(const Swimmer& swimmer, const PotentialFlowOptions& options = {});

  /// Whose links these are.
  const Swimmer& swimmer() const { return *swimmer_; }
  /// Of the links as separate bodies.
  const PotentialFlow& flow() const { return flow_; }
  /// Of all that the added mass depends on: surfaces, hinges, the fluid's density, the least gap.
  Fingerprint fingerprint() const;

  /// The symmetric part of the added mass in the links' frames (kg, kg m, kg m^2) as a packed upper triangle, (3 or 6)
  /// links square, and its derivatives by q_k in the columns of J, unless J is null.
  void added_mass(const Eigen::VectorXd& q, Motion motion, Eigen::VectorXd& y, Eigen::MatrixXd* J) const;

  /// f_u of Jia, Pan, Manocha 2019, Eq. 10, with the base's motion: the potentials at the P vertices per unit
  /// base twist and hinge rate, P x ((3 or 6) + hinges), m and m^2. For pictures of the pressure: dynamics
  /// need the added mass alone.
  Eigen::MatrixXd potentials(const Eigen::VectorXd& q, Motion motion) const;

  /// PotentialFlow::asymmetry of the added mass at q: shows the order of the mesh's error, not its size.
  double asymmetry(const Eigen::VectorXd& q) const;

 private:
  void solve(const Eigen::VectorXd& q, Eigen::MatrixXd& phi) const;
  void solve(const Eigen::VectorXd& q, Eigen::MatrixXd& J, std::vector<Eigen::MatrixXd>& dJ, Eigen::MatrixXd& phi,
             std::vector<Eigen::MatrixXd>& dphi) const;

  std::shared_ptr<const Swimmer> swimmer_;
  PotentialFlow flow_;
};

}  // namespace quoin::swimmer
