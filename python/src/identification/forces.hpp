// SPDX-License-Identifier: BSD-3-Clause
// Models of joint forces that are linear in the bodies' parameters.
#pragma once

#include "../gil.hpp"
#include "../held_function.hpp"
#include "../matrices.hpp"
#include "quoin/robots/identification/robot_estimate.hpp"
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::python {

/// ParametricInverseDynamics and RegressedInverseDynamics behind an interface. Called without the GIL, by one thread.
class Forces {
 public:
  virtual ~Forces() = default;

  virtual void inverse_dynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                                const identification::RobotParameters& parameters, Eigen::MatrixXd& tau) = 0;
  virtual void add_parameter_gradient(const Eigen::MatrixXd& q, const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                                      const Eigen::MatrixXd& w, identification::RobotParameters& gradient) = 0;
  virtual void regressor(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                         Eigen::MatrixXd& Y) = 0;
};

class TreeForces final : public Forces {
 public:
  TreeForces(const rigid_body::RigidBodyTree& tree, const rigid_body::DynamicsOptions& options)
      : batch_(tree, options), dynamics_(tree, options) {}

  void inverse_dynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                        const identification::RobotParameters& parameters, Eigen::MatrixXd& tau) override {
    batch_.inverse_dynamics(q, qd, qdd, parameters, tau);
  }
  void add_parameter_gradient(const Eigen::MatrixXd& q, const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                              const Eigen::MatrixXd& w, identification::RobotParameters& gradient) override {
    batch_.add_parameter_gradient(q, qd, qdd, w, gradient);
  }
  void regressor(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                 Eigen::MatrixXd& Y) override {
    dynamics_.regressor(q, qd, qdd, Y);
  }

 private:
  rigid_body::BatchNewtonEuler batch_;
  rigid_body::NewtonEuler<> dynamics_;
};

/// By a regressor of Python's: call(q, qd, qdd) answers Y (n, 13 n), checked by quoin.identification.
class CalledForces final : public Forces {
 public:
  explicit CalledForces(py::object call) : call_(std::move(call)) {}

  void inverse_dynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                        const identification::RobotParameters& parameters, Eigen::MatrixXd& tau) override {
    Eigen::MatrixXd Y;
    for (Eigen::Index t = 0; t < q.cols(); ++t) {
      regressor(q.col(t), qd.col(t), qdd.col(t), Y);
      tau.col(t) = Y * parameters.reshaped();
    }
  }
  void add_parameter_gradient(const Eigen::MatrixXd& q, const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                              const Eigen::MatrixXd& w, identification::RobotParameters& gradient) override {
    Eigen::MatrixXd Y;
    for (Eigen::Index t = 0; t < q.cols(); ++t) {
      regressor(q.col(t), qd.col(t), qdd.col(t), Y);
      gradient.reshaped() += Y.transpose() * w.col(t);
    }
  }
  void regressor(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                 Eigen::MatrixXd& Y) override {
    const WithGil gil;
    read_matrix(call_(array_of(q), array_of(qd), array_of(qdd)), Y);
  }

 private:
  HeldFunction call_;
};

}  // namespace quoin::python
