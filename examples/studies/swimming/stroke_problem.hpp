// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"
#include "quoin/robots/models/swimmer/swimmer_options.hpp"

#include <Eigen/Core>

#include <cmath>
#include <limits>
#include <utility>

/// The planning problem of Jia, Pan, Manocha 2019, section V: a swimmer of four ellipsoids on three hinges moves
/// forward like a fish, in the plane, from rest. Everything that the paper leaves open is fixed here, once, for the
/// example, the benchmarks and the tests.
namespace studies::stroke {

constexpr int joints = 3;

/// The swimmer and the cost.
struct Setup {
  swimmer::EllipsoidChainOptions chain = {};
  int steps = 200;          ///< K
  double time_step = 0.02;  ///< dt, s: four seconds
  swimmer::Integrator integrator = swimmer::Integrator::rk4;
  double joint_limit = 1.0;     ///< |q_j|, rad
  double largest_torque = 0.5;  ///< |tau_j|, N m
  /// The start, at rest and bent, breaks the symmetry: for a straight swimmer at rest a torque and its mirror image
  /// have the same cost, so that zero torques are stationary.
  Eigen::Vector3d start{-0.3, 0.3, 0.3};
  double goal = 1.5;                  ///< m ahead, out of reach: the reward per metre is almost constant
  double goal_weight = 40;            ///< of 1/2 (goal - distance of the centre of mass)^2 at the end, 1/m^2
  double torque_weight = 1;           ///< of 1/2 |tau|^2, 1/(N m)^2
  double rate_weight = 0.002;         ///< of 1/2 |dq/dt|^2, s^2: for the planner; an ideal fluid needs none
  double smooth_weight = 30;          ///< of 1/2 |tau_i - tau_{i-1}|^2
  double relative_tolerance = 1e-5;   ///< stop when the relative decrease predicted for a step is below this
  int max_iterations = 400;           ///< per solve
  double first_regularization = 100;  ///< of iLQR: short first steps meet fewer cells
  double spacing = 0.3;               ///< of the grid, rad, as in the paper
  double threshold = 0.1;             ///< as in the paper: levels 0, 1, 2
  double domain = 1.2;                ///< |q_j| on the grid: iterates may overshoot the limits
};

/// Position of the centre of mass of all links in the plane, from a state of SwimmerDynamics (planar, zero momentum).
class CentreOfMass {
 public:
  explicit CentreOfMass(swimmer::Swimmer fish) : fish_(std::move(fish)) {}

  Eigen::Vector2d operator()(const Eigen::VectorXd& x) const {
    const Pose pose(x);
    return pose.position + pose.rotation * fish_.centre_of_mass(x.head<joints>()).head<2>();
  }

  /// d position / d (q, theta): 2 x (joints + 1). The base's position adds the identity.
  Eigen::Matrix<double, 2, joints + 1> derivative(const Eigen::VectorXd& x) const {
    const Pose pose(x);
    const Eigen::Vector3d q = x.head<joints>();
    const auto poses = fish_.poses(q);
    Eigen::MatrixXd J;
    fish_.link_jacobians(q, J);
    Eigen::Matrix<double, 3, joints> by_joints = Eigen::Matrix<double, 3, joints>::Zero();
    for (int b = 0; b < fish_.links(); ++b) {
      const auto& inertia = fish_.inertia(b);
      const auto twists = J.block(6 * b, 6, 6, joints);
      for (int k = 0; k < joints; ++k)
        by_joints.col(k) += inertia.mass / fish_.mass() *
                            (poses[static_cast<std::size_t>(b)].linear() *
                             (twists.col(k).tail<3>() + twists.col(k).head<3>().cross(inertia.centre)));
    }
    Eigen::Matrix<double, 2, joints + 1> result;
    result.leftCols<joints>() = pose.rotation * by_joints.topRows<2>();
    const Eigen::Vector2d from_base = pose.rotation * fish_.centre_of_mass(q).head<2>();
    result.col(joints) << -from_base.y(), from_base.x();
    return result;
  }

 private:
  struct Pose {
    Eigen::Matrix2d rotation;
    Eigen::Vector2d position;
    explicit Pose(const Eigen::VectorXd& x) : position(x.segment<2>(layout.position())) {
      const double c = std::cos(x[layout.pose()]), s = std::sin(x[layout.pose()]);
      rotation << c, -s, s, c;
    }
  };
  static constexpr swimmer::StateLayout layout{.hinges = joints};

  swimmer::Swimmer fish_;
};

/// The cost as residuals of the state [x_i; tau_{i-1}] (ControlMemory). The head points towards +x.
class Residuals {
 public:
  Residuals(Setup setup, const swimmer::Swimmer& fish, const Eigen::VectorXd& initial_state)
      : setup_(std::move(setup)), centre_(fish), goal_(centre_(initial_state).x() + setup_.goal) {}

  bool residual(int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    if (u.size() == 0) {
      r.setConstant(1, std::sqrt(setup_.goal_weight) * (goal_ - centre_(x).x()));
    } else {
      r.resize(3 * joints);
      r << std::sqrt(setup_.torque_weight) * u, std::sqrt(setup_.smooth_weight) * (u - x.tail<joints>()),
          std::sqrt(setup_.rate_weight) * x.segment<joints>(layout.rates());
    }
    return true;
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    residual(i, x, u, r);
    dr_dx.setZero(r.size(), x.size());
    dr_du.setZero(r.size(), u.size());
    if (u.size() == 0) {
      const Eigen::Matrix<double, 1, joints + 1> forward = centre_.derivative(x).row(0);
      const double weight = -std::sqrt(setup_.goal_weight);
      dr_dx.leftCols(joints) = weight * forward.head<joints>();
      dr_dx(0, layout.pose()) = weight * forward[joints];
      dr_dx(0, layout.position()) = weight;
    } else {
      dr_du.topRows(joints).diagonal().setConstant(std::sqrt(setup_.torque_weight));
      dr_du.middleRows(joints, joints).diagonal().setConstant(std::sqrt(setup_.smooth_weight));
      dr_dx.middleRows(joints, joints).rightCols(joints).diagonal().setConstant(-std::sqrt(setup_.smooth_weight));
      dr_dx.block(2 * joints, layout.rates(), joints, joints).diagonal().setConstant(std::sqrt(setup_.rate_weight));
    }
    return true;
  }

 private:
  static constexpr swimmer::StateLayout layout{.hinges = joints};

  Setup setup_;
  CentreOfMass centre_;
  double goal_;  // of the centre of mass, x
};

}  // namespace studies::stroke
