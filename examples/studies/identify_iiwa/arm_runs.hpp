// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/robot_plant.hpp"
#include "examples/studies/identify_iiwa/velocity_based_control.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/identification/robot_motion.hpp"
#include "quoin/robots/identification/sine_excitation.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <vector>

/// A robot that follows references under a model of its inverse dynamics and a soft feedback.
namespace studies::iiwa {

/// tau of q, qd, qdd, n each: a model for a controller, learned or not.
using ForceModel = std::function<void(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                                      Eigen::VectorXd& tau)>;

/// Feedback of the joints, n each: N m/rad, N m s/rad.
struct JointGains {
  Eigen::VectorXd stiffness, damping;
};
/// Critically damped at this frequency, rad/s, for the inertia of each joint while the others are free, at its least
/// along the motion. Gains for the diagonal of the mass matrix would be unstable where axes of joints meet.
JointGains gains_for(const rigid_body::RigidBodyTree& tree, const identification::SineExcitation& motion,
                     double seconds, double frequency);

/// The mean squared error of a point in space or of a joint over the variance of its reference,
/// collected instant by instant.
class TrackingError {
 public:
  void add(const Eigen::VectorXd& wanted, const Eigen::VectorXd& is);
  Eigen::VectorXd of_each() const;  ///< component by component
  double of_mean() const { return of_each().mean(); }
  double of_all() const;  ///< summed squares over summed variances, since a straight line has no variance across

 private:
  double count_ = 0;
  Eigen::VectorXd squared_error_, sum_, squares_;
};

struct JointRun {
  TrackingError q, qd;
  bool stable = true;                    ///< false: the robot left all bounds, and the run ended there
  identification::RobotMotion exact;     ///< true q, qd and qdd with the torques that acted
  Eigen::MatrixXd logged_q, logged_tau;  ///< n x T, as measured
};

/// One control period of a run, after its torques were commanded.
struct JointInstant {
  Eigen::Index index;
  const identification::JointReference& wanted;
  const Eigen::VectorXd &q, &qd, &tau;  ///< as measured
};

/// Runs tau = model(q, qd_wanted, qdd_wanted) + K (q_wanted - q) + D (qd_wanted - qd), q and qd as
/// measured, starting on the reference. Gravity must be that of the measured posture; learned friction, fed
/// back late, would drive the joints.
JointRun follow(RobotPlant& plant, const ForceModel& model, const identification::SineExcitation& excitation,
                const JointGains& gains, double seconds, const std::function<void(const JointInstant&)>& watch = {});

/// Goals of the end effector from the rest posture, reached one after the other in straight lines.
struct ReachingTask {
  std::vector<Eigen::Vector3d> goals;
  double seconds_each = 3;  ///< of a minimum-jerk motion
  double seconds_held = 1;  ///< after each motion
};
/// The positions of the end effector in postures drawn around the rest posture.
ReachingTask random_reaches(const rigid_body::RigidBodyTree& tree, const rigid_body::Frame& hand, int goals,
                            std::uint64_t seed);
/// A bent posture, away from singular ones, within the limits of an iiwa.
Eigen::VectorXd rest_posture();

struct ReachingRun {
  TrackingError x, xd;
  bool stable = true;
  Eigen::Matrix3Xd path, wanted;  ///< m, of every control period
};

/// Velocity-based operational-space control, with the model at the measured q and the rates that the control commands;
/// kinematics and gains are the same for every model.
ReachingRun reach(RobotPlant& plant, const ForceModel& model, const rigid_body::Frame& hand, const ReachingTask& task,
                  const JointGains& gains);

}  // namespace studies::iiwa
