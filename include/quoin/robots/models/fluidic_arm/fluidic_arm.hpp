// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/dynamics/inverse.hpp"
#include "quoin/robots/models/fluidic_arm/arm_description.hpp"
#include "quoin/robots/models/fluidic_arm/detail/mass_point.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::fluidic_arm {

/// A soft arm of N segments of constant curvature that moves in a vertical plane (Marchese,
/// Tedrake, Rus 2015, section 3):
///
///     M(q) a + C(q, v) v + G(q) + k q + b v + friction = B u          (Eqs. 13-17)
///
///     FluidicArm arm({.segments = std::vector<Segment>(4, {.length = 0.13, .mass = 0.1, .stiffness = 0.1})});
///     arm.end_points(q, points);                        // 2 x N
///     arm.rate(x, torques, dx_dt, df_dx, df_du);        // x = (q, v): ContinuousDynamics
///     arm.inverse_dynamics(q, v, a, forces, dq, dv, da);  // InverseDynamics
///
/// q: bend angles theta_1..theta_N, rad; v, a: their rates; u: torques, N m, of the segments after the passive ones.
/// Points are (x, z), m: z up, the base at the origin. At q = 0 the arm lies along the base's tangent, straight down
/// unless base_angle says otherwise; a positive angle bends towards +x. Everything is smooth through zero curvature.
///
/// All of it is complex arithmetic: with P = (down) + i (sideways), a mixed derivative of a point by angles is
/// i^(number of the proximal ones) times the pure derivative by the most distal one (docs/robots/fluidic_arm.md).
/// O(N^2) for each point of mass, of which a distributed segment has five, or seven with a dead length: N = 4 takes 2
/// us, with derivatives 3 us; forward dynamics 2 and 6 us. Safe to call from many threads. Throws std::invalid_argument
/// for arguments of a wrong size.
class FluidicArm {
 public:
  /// Throws std::invalid_argument for lengths that are not positive, properties that are negative or not finite, or
  /// passive_segments outside [0, N].
  explicit FluidicArm(ArmDescription description);

  const ArmDescription& description() const { return description_; }
  Eigen::Index coordinates() const { return static_cast<Eigen::Index>(description_.segments.size()); }
  Eigen::Index state_size() const { return 2 * coordinates(); }
  Eigen::Index control_size() const { return coordinates() - description_.passive_segments; }
  double length() const;  ///< of the whole arm, m

  /// Eqs. 1, 2: the point at a fraction in [0, 1] of the bending piece of a segment, counted from 0; dp_dq: 2 x N.
  Eigen::Vector2d point(const Eigen::VectorXd& q, int segment, double fraction) const;
  void point(const Eigen::VectorXd& q, int segment, double fraction, Eigen::Vector2d& p, Eigen::Matrix2Xd& dp_dq) const;
  /// The end of the last segment, (x, z), m.
  Eigen::Vector2d tip(const Eigen::VectorXd& q) const { return point(q, static_cast<int>(coordinates()) - 1, 1); }
  /// The velocity J v of a point and its derivative by q, 2 x N; its derivative by v is dp_dq.
  void point_velocity(const Eigen::VectorXd& q, const Eigen::VectorXd& v, int segment, double fraction,
                      Eigen::Vector2d& velocity, Eigen::Matrix2Xd& dvelocity_dq) const;
  /// The ends of all segments, 2 x N, and their Jacobian, 2N x N: row 2 n + d is coordinate d of end n.
  void end_points(const Eigen::VectorXd& q, Eigen::Matrix2Xd& ends) const;
  void end_points(const Eigen::VectorXd& q, Eigen::Matrix2Xd& ends, Eigen::MatrixXd& jacobian) const;
  /// The neutral axis from base to tip as a polyline, 2 x (1 + N (points_per_segment + 1)); dead
  /// lengths are edges of it.
  Eigen::Matrix2Xd shape(const Eigen::VectorXd& q, int points_per_segment) const;
  /// Positions of the points of mass, one per column.
  Eigen::Matrix2Xd mass_points(const Eigen::VectorXd& q) const;
  /// A point of the plane in space, (x, y, z): turned about the vertical by the base's rotation gamma.
  Eigen::Vector3d in_space(const Eigen::Vector2d& p) const;

  Eigen::MatrixXd actuation() const;  ///< B, N x control_size(): zeros over an identity
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces) const;
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv,
                              Eigen::MatrixXd& da) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_du) const;

  /// N x N, kg m^2.
  Eigen::MatrixXd mass_matrix(const Eigen::VectorXd& q) const;
  /// C from Christoffel symbols: dM/dt - 2 C is skew-symmetric.
  Eigen::MatrixXd coriolis_matrix(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// G(q): N, N m.
  Eigen::VectorXd gravity_forces(const Eigen::VectorXd& q) const;
  /// The lower triangle of M row by row, then G: N (N + 3) / 2, and their Jacobian by q; the outputs of MassGravityMap.
  void mass_and_gravity(const Eigen::VectorXd& q, Eigen::VectorXd& y) const;
  void mass_and_gravity(const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;
  /// All static forces, G(q) + k q, and their Jacobian, N x N, symmetric.
  void static_forces(const Eigen::VectorXd& q, Eigen::VectorXd& forces, Eigen::MatrixXd& jacobian) const;

  double kinetic_energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;  ///< J (Eq. 14)
  /// Of gravity, 0 for masses at the base (Eq. 15), and of the stiffnesses, k q^2 / 2, 0 for straight segments: J.
  double potential_energy(const Eigen::VectorXd& q) const;

  /// Inverse dynamics are linear in masses, stiffnesses and dampings: forces = Y (m_1..m_N, k_1..k_N, b_1..b_N)
  /// plus friction; Y: N x 3N.
  Eigen::MatrixXd regressor(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) const;

 private:
  void check(const char* function, const Eigen::VectorXd& q) const;
  void check(const char* function, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  Eigen::VectorXd torques(const Eigen::VectorXd& u) const;

  ArmDescription description_;
  std::vector<detail::MassPoint> masses_;
};

static_assert(ContinuousDynamics<FluidicArm> && InverseDynamics<FluidicArm>);

}  // namespace quoin::fluidic_arm
