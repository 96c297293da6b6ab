// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"

#include <Eigen/Core>

namespace studies::iiwa {

/// Desired motion of a point of the robot: m, m/s, m/s^2, in the world.
struct PointReference {
  /// m, m/s, m/s^2.
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), xd = Eigen::Vector3d::Zero(), xdd = Eigen::Vector3d::Zero();
};

/// Gains of the motion that is asked for.
struct VelocityBasedControlOptions {
  double position_gain = 10;  ///< 1/s, on the point's error
  double posture_gain = 1;    ///< 1/s, of the return to the rest posture in the null space of the point's motion
  double damping = 1e-3;      ///< m or 1, of the pseudo-inverse: keeps joint rates bounded near singular postures
};

/// Operational-space control by velocities (Nakanishi, Cory, Mistry, Peters, Schaal 2008, without integration of the
/// joint velocities): the desired velocity of a point, corrected by its error, becomes joint velocities,
///
///     qd_r  = J# xd_r + (1 - J# J) k_posture (q_rest - q),   xd_r = xd_d + k_position (x_d - x),
///     qdd_r = J# (xdd_d + k_position (xd_d - J qd) - dJ/dt qd) - (1 - J# J) k_posture qd,
///     tau   = inverse dynamics(q, qd, qdd_r) + K_d (qd_r - qd),
///
/// with J# = J^T (J J^T + damping^2)^-1. The last line is left to the caller, whose model of the inverse
/// dynamics may be learned:
///
///     VelocityBasedControl control(tree, tree.frame("hand"), Eigen::Vector3d::Zero(), rest);
///     control.update(q, qd, {.x = goal});
///     model.inverse_dynamics(q, qd, control.qdd(), tau);
///     tau += gains.cwiseProduct(control.qd() - qd);
///
/// qdd_r is d/dt qd_r without the change of J# and of the projector with q in the posture terms; it is formed without
/// differentiating measurements. Use one object per thread; it allocates nothing after construction. Throws
/// std::invalid_argument for sizes that do not fit and gains that are negative or not finite.
class VelocityBasedControl {
 public:
  /// point: in the frame's coordinates. rest: n joint coordinates.
  VelocityBasedControl(rigid_body::RigidBodyTree tree, const rigid_body::Frame& frame, const Eigen::Vector3d& point,
                       Eigen::VectorXd rest, const VelocityBasedControlOptions& options = {});

  /// Computes the joints' desired velocities and accelerations at q and qd (n each).
  void update(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const PointReference& wanted);

  const Eigen::VectorXd& qd() const { return qd_; }    ///< n, desired joint velocities
  const Eigen::VectorXd& qdd() const { return qdd_; }  ///< n, desired joint accelerations
  const Eigen::Vector3d& x() const { return x_; }      ///< the point's position at the last update
  /// The point's velocity at the last update.
  const Eigen::Vector3d& xd() const { return xd_; }

 private:
  rigid_body::NewtonEuler<> kinematics_;
  rigid_body::Frame frame_;
  Eigen::Vector3d point_, x_ = Eigen::Vector3d::Zero(), xd_ = Eigen::Vector3d::Zero();
  Eigen::VectorXd rest_, qd_, qdd_, posture_;
  VelocityBasedControlOptions options_;
  Eigen::MatrixXd jacobian_;  // 6 x n
};

}  // namespace studies::iiwa
