// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/inertia_form.hpp"
#include "quoin/robots/identification/robot_motion.hpp"

#include <Eigen/Core>

#include <concepts>
#include <cstdint>
#include <optional>

namespace quoin::identification {

/// Linear parameters, one column for the body that each joint moves.
using RobotParameters = Eigen::Matrix<double, 13, Eigen::Dynamic>;

/// Joint forces of many states at once that are linear in the parameters of every body, friction apart:
/// rigid_body::BatchNewtonEuler is one. q, qd, qdd, tau, w: n x T. A model of one state at a time, whose `In` is a
/// vector, as rigid_body::NewtonEuler<> is, is asked for the T states one by one: a third of the speed.
template <class Model>
concept ParametricInverseDynamics = requires(Model& model, const Eigen::MatrixXd& in, const RobotParameters& parameters,
                                             Eigen::MatrixXd& tau, RobotParameters& gradient) {
  model.inverse_dynamics(in, in, in, parameters, tau);
  model.add_parameter_gradient(in, in, in, in, gradient);  // += sum over states of d (w . tau) / d parameters
};

/// Typical sizes of random bodies.
struct RandomBodies {
  double mass = 1;            ///< kg, about
  double first_moment = 0.1;  ///< kg m, deviation of each entry of h
  /// kg^1/2 m, deviation of each entry of the covariance's Cholesky factor: I_C is about 4 times its square.
  double extent = 0.1;
  double damping = 0.1;  ///< N m s/rad or N s/m, of every joint, if it is learned
};

/// The known or learned parameters of a robot: the inertias of its bodies in a form, and the viscous friction of its
/// joints, which is never negative.
struct RobotEstimate {
  InertiaForm form = InertiaForm::covariance;  ///< what the inertias are guaranteed
  InertiaFloor floor = {};                     ///< of what must be positive
  Eigen::MatrixXd theta = {};                  ///< parameter_count(form) x n
  Eigen::VectorXd damping_root = {};  ///< n, or none if friction is not learned; damping = root^2, N m s/rad or N s/m

  Eigen::Index joints() const { return theta.cols(); }
  RobotParameters parameters() const;  ///< 13 x n
  Eigen::VectorXd damping() const;     ///< n; 0 if it is not learned

  /// A start for learning: physically possible bodies, drawn by the seed, the same in every form.
  static RobotEstimate random(InertiaForm form, Eigen::Index joints, std::uint64_t seed, bool with_damping = false,
                              const RandomBodies& bodies = {});
  /// An estimate of known parameters, 13 x n, such as a URDF's. Nothing if the form does not allow them.
  static std::optional<RobotEstimate> of(InertiaForm form, const RobotParameters& parameters,
                                         const InertiaFloor& floor = {});
};

namespace detail {

// A reference to a vector is made of a matrix, and asserts then that it is one: the signature alone does not tell.
template <class Model>
concept OneStateAtATime = requires { requires bool(Model::In::IsVectorAtCompileTime); };

template <ParametricInverseDynamics Model>
void inverse_dynamics(Model& model, const RobotMotion& motion, const RobotParameters& parameters,
                      Eigen::MatrixXd& tau) {
  if constexpr (OneStateAtATime<Model>) {
    for (Eigen::Index t = 0; t < motion.instants(); ++t)
      model.inverse_dynamics(motion.q.col(t), motion.qd.col(t), motion.qdd.col(t), parameters, tau.col(t));
  } else {
    model.inverse_dynamics(motion.q, motion.qd, motion.qdd, parameters, tau);
  }
}

template <ParametricInverseDynamics Model>
void add_parameter_gradient(Model& model, const RobotMotion& motion, const Eigen::MatrixXd& w,
                            RobotParameters& gradient) {
  if constexpr (OneStateAtATime<Model>) {
    for (Eigen::Index t = 0; t < motion.instants(); ++t)
      model.add_parameter_gradient(motion.q.col(t), motion.qd.col(t), motion.qdd.col(t), w.col(t), gradient);
  } else {
    model.add_parameter_gradient(motion.q, motion.qd, motion.qdd, w, gradient);
  }
}

}  // namespace detail

/// tau of the estimate for every instant of the motion, n x T.
template <ParametricInverseDynamics Model>
Eigen::MatrixXd predicted_forces(Model& model, const RobotEstimate& estimate, const RobotMotion& motion) {
  Eigen::MatrixXd tau(motion.joints(), motion.instants());
  detail::inverse_dynamics(model, motion, estimate.parameters(), tau);
  tau += estimate.damping().asDiagonal() * motion.qd;
  return tau;
}

}  // namespace quoin::identification
