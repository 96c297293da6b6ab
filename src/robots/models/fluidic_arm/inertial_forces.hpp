// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posture.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::fluidic_arm {

/// Inertial and gravity forces of an arm's masses at bend angles q: M(q) a + C(q, v) v + G(q) and its derivatives, as
/// sums of Re(conj(dP/dq) (P'' - g)) over points of mass.
class InertialForces {
 public:
  InertialForces(const ArmDescription& arm, const std::vector<detail::MassPoint>& masses, const Eigen::VectorXd& q);

  struct Point {
    PointDerivatives at;
    double mass;
  };
  const std::vector<Point>& points() const { return points_; }

  void add_forces(const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& forces) const;
  void mass_matrix(Eigen::MatrixXd& M) const;
  /// Adds the derivatives by q and v of the forces; either may be null.
  void add_derivatives(const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::MatrixXd* dq,
                       Eigen::MatrixXd* dv) const;
  /// Writes the lower triangle of M row by row, then G, and, if J is not null, their Jacobian by q. The Jacobian
  /// costs two more sums of products over the points: with S_cb = sum m conj(d1_c) d1_b and T_cb = sum m
  /// conj(d2_c) d1_b, c >= b,
  ///
  ///     dM_cb / dq_k = Im(S_kb + S_kc)  k > c,      Re T_cb  k = c > b,      2 Re T_bb  k = c = b,
  ///                    Im(S_cb - S_ck)  b < k < c,  Im S_cb + Re T_bc  k = b < c,      0  k < b.
  void mass_and_gravity(Eigen::VectorXd& y, Eigen::MatrixXd* J) const;
  /// P'' - g of a point.
  Complex felt_acceleration(const PointDerivatives& point, const Eigen::VectorXd& v, const Eigen::VectorXd& a) const;

 private:
  double gravity_;
  std::vector<Complex> room_;
  std::vector<Point> points_;
};

}  // namespace quoin::fluidic_arm
