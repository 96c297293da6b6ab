// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

#include <optional>

namespace quoin::fluidic_arm {

/// How the end of a segment leans on a ball (conditions 1 and 3 for a static brace in Marchese et al., section 6.2).
struct Brace {
  int segment = 0;              ///< counted from 0: the one whose end leans on the ball
  double distance = 0;          ///< from the ball's centre to the neutral axis: the sum of both radii, m
  double arm_radius = 0;        ///< lever arm of the friction about the neutral axis, m
  double friction = 0.6;        ///< |Ft| <= friction Fn
  double min_normal_force = 0;  ///< Fn, N
  double max_normal_force = 3;  ///< Fn, N
  double max_tilt = 0.2;        ///< sine of the angle between the arm and the ball's surface
  double max_offset = 1e-3;     ///< of the ball's centre from the arm's plane, m
};

/// Requirements and limits of a pose at rest. An arm keeps clear of its ball, if there is one.
struct StaticPoseTask {
  std::optional<Eigen::Vector3d> goal = {};        ///< of the tip, in space, m
  std::optional<Eigen::Vector3d> ball = {};        ///< centre of the ball, in space, m
  double clearance = 0;                            ///< least distance of the neutral axis from that centre, m
  int points_per_segment = 4;                      ///< where the clearance is checked
  std::optional<Brace> brace = {};                 ///< against the ball
  Eigen::VectorXd max_torque = {};                 ///< M, N m, in either direction
  double max_angle = 2.5;                          ///< of each bend, rad, in either direction
  double min_rotation = -1.6, max_rotation = 1.6;  ///< of the base, gamma, rad
};

/// Poses of an arm at rest, with or without a brace, as functions with Jacobians for any nonlinear programming solver:
/// the constraints of Eq. 36 (Marchese, Tedrake, Rus 2015), with the contact force as a variable.
///
///     StaticPose pose(arm, {.goal = goal, .ball = ball, .clearance = 0.045, .brace = Brace{.segment = 1, ...}, ...});
///     pose.constraints(z, c, jacobian);  // pose.constraint_lower() <= c <= pose.constraint_upper()
///     pose.angles(z), pose.torques(z), pose.rotation(z), pose.contact(z);
///
/// z = (theta_1..theta_N, tau_1..tau_M, gamma) and, with a brace, (phi, Fn, Ft): the brace point lies at distance
/// (cos phi, sin phi) =: distance n from the ball's centre in the arm's plane, and Fn n + Ft t, t = n turned from x to
/// z, acts on the arm's skin, at arm_radius from its neutral axis.
///
/// c, in this order: N rows of statics, G + k theta - B tau - (dp/dtheta)^T (Fn n + Ft t) + [arm_radius Ft], N m; with
/// a goal, 3 rows, tip - goal in space; with a brace, 2 rows, brace point - end of the segment, then the offset of the
/// ball from the plane, the sine of the tilt, and friction Fn -+ Ft; with a ball, N points_per_segment rows, distance
/// from it - clearance, linear in its square. The arm's own base_rotation is not used: gamma replaces it. A call takes
/// O(N^3). Throws std::invalid_argument for a task that does not fit the arm, or another size of z.
class StaticPose {
 public:
  /// Throws std::invalid_argument for a task that does not fit the arm.
  StaticPose(FluidicArm arm, StaticPoseTask task);

  const FluidicArm& arm() const { return arm_; }
  const StaticPoseTask& task() const { return task_; }
  /// Of z.
  Eigen::Index size() const { return contact_at() + (task_.brace ? 3 : 0); }
  /// Of c.
  Eigen::Index constraint_size() const { return constraint_lower_.size(); }

  const Eigen::VectorXd& lower() const { return lower_; }  ///< of z
  /// Of z.
  const Eigen::VectorXd& upper() const { return upper_; }
  /// Of c.
  const Eigen::VectorXd& constraint_lower() const { return constraint_lower_; }
  /// Of c; equal to the lower one in equations.
  const Eigen::VectorXd& constraint_upper() const { return constraint_upper_; }
  /// jacobian: constraint_size() x size().
  void constraints(const Eigen::VectorXd& z, Eigen::VectorXd& c, Eigen::MatrixXd& jacobian) const;
  /// The largest violation of a constraint or bound, in its own unit.
  double violation(const Eigen::VectorXd& z) const;

  /// Theta of z: N, rad.
  Eigen::VectorXd angles(const Eigen::VectorXd& z) const { return z.head(arm_.coordinates()); }
  /// Tau of z: M, N m.
  Eigen::VectorXd torques(const Eigen::VectorXd& z) const { return z.segment(torques_at(), arm_.control_size()); }
  /// Gamma of z, rad.
  double rotation(const Eigen::VectorXd& z) const { return z[rotation_at()]; }
  Eigen::Vector3d contact(const Eigen::VectorXd& z) const { return z.segment<3>(contact_at()); }  ///< (phi, Fn, Ft)
  /// Index in z of tau_1.
  Eigen::Index torques_at() const { return arm_.coordinates(); }
  /// Index in z of gamma.
  Eigen::Index rotation_at() const { return torques_at() + arm_.control_size(); }
  /// Index in z of phi, with a brace.
  Eigen::Index contact_at() const { return rotation_at() + 1; }
  /// Index in c of the first row of the goal.
  Eigen::Index goal_row() const { return arm_.coordinates(); }

 private:
  FluidicArm arm_;
  StaticPoseTask task_;
  Eigen::VectorXd lower_, upper_, constraint_lower_, constraint_upper_;
};

/// The contact force (Fn, Ft) that comes nearest, in the least-squares sense, to holding an arm at rest in q under
/// `torques` (M), where the end of a segment leans on something with the outward normal n = (cos phi, sin phi). It
/// acts only on the bends up to that segment: with two of them it holds the arm exactly, with fewer it is the
/// smallest force that does.
Eigen::Vector2d holding_force(const FluidicArm& arm, const Eigen::VectorXd& q, const Eigen::VectorXd& torques,
                              int segment, double phi, double arm_radius);

}  // namespace quoin::fluidic_arm
