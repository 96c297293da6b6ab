// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::rigid_body {

template <class Scalar>
NewtonEuler<Scalar>::NewtonEuler(RigidBodyTree tree, const DynamicsOptions& options)
    : tree_(std::move(tree)),
      options_(options),
      work_(tree_, options.gravity),
      zero_(Vector::Zero(tree_.joints())),
      forces_(tree_.joints()) {
  if (!options.gravity.allFinite()) throw std::invalid_argument("NewtonEuler: the gravity is not finite");
  if (!std::isfinite(options.friction_velocity) || options.friction_velocity < 0)
    throw std::invalid_argument("NewtonEuler: friction_velocity " + to_text(options.friction_velocity) +
                                " must be finite and not negative");
  for (int i = 0; i < tree_.joints(); ++i)
    bodies_.push_back(
        detail::turned_body<double>(tree_.segments()[static_cast<std::size_t>(i)], tree_.parameters().col(i)));
  packed_bodies_ = detail::packed(tree_.segments(), bodies_);
  derivatives_.resize(tree_.joints(), work_.padded);
}

template <class Scalar>
void NewtonEuler<Scalar>::check(const char* function, const char* what, Eigen::Index size, Eigen::Index wanted) const {
  if (size != wanted)
    throw std::invalid_argument(std::string("NewtonEuler::") + function + ": " + what + " is of size " + to_text(size) +
                                " instead of " + to_text(wanted));
}

template <class Scalar>
void NewtonEuler<Scalar>::add_friction(const In& qd, Out tau) const {
  if (options_.friction == Friction::none) return;
  for (int i = 0; i < tree_.joints(); ++i) {
    tau[i] += tree_.joint(i).damping * qd[i];
    if (options_.friction == Friction::viscous || tree_.joint(i).friction == 0) continue;
    if (options_.friction_velocity > 0) {
      using std::tanh;
      tau[i] += tree_.joint(i).friction * tanh(Scalar(qd[i] / options_.friction_velocity));
    } else if (qd[i] != Scalar(0.0)) {
      using std::abs;
      tau[i] += tree_.joint(i).friction * (qd[i] / abs(qd[i]));
    }
  }
}

template <class Scalar>
Scalar NewtonEuler<Scalar>::friction_slope(int joint, const Scalar& rate) const {
  if (options_.friction == Friction::none) return Scalar(0.0);
  Scalar slope(tree_.joint(joint).damping);
  if (options_.friction == Friction::viscous_and_coulomb && options_.friction_velocity > 0) {
    using std::tanh;
    const Scalar t = tanh(Scalar(rate / options_.friction_velocity));
    slope += (1.0 - t * t) * (tree_.joint(joint).friction / options_.friction_velocity);
  }
  return slope;
}

template <class Scalar>
template <class Bodies>
void NewtonEuler<Scalar>::solve(const Bodies& bodies, const In& q, const In& qd, const In& qdd, Out tau) {
  const int n = tree_.joints();
  check("inverse_dynamics", "q", q.size(), n);
  check("inverse_dynamics", "qd", qd.size(), n);
  check("inverse_dynamics", "qdd", qdd.size(), n);
  check("inverse_dynamics", "tau", tau.size(), n);
  turn(q);
  detail::newton_euler(tree_.segments(), bodies.data(), work_.sine.data(), work_.cosine.data(), q.data(), qd.data(),
                       qdd.data(), work_.rotations.data(), work_.motions.data(), work_.wrenches.data(), tau.data());
  add_friction(qd, tau);
}

template <class Scalar>
void NewtonEuler<Scalar>::inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) {
  solve(bodies_, q, qd, qdd, tau);
}

template <class Scalar>
void NewtonEuler<Scalar>::inverse_dynamics(const In& q, const In& qd, const In& qdd, const InParameters& parameters,
                                           Out tau) {
  check("inverse_dynamics", "parameters", parameters.cols(), tree_.joints());
  for (std::size_t i = 0; i < work_.joints; ++i)
    work_.bodies[i] = detail::turned_body<Scalar>(tree_.segments()[i], parameters.col(static_cast<Eigen::Index>(i)));
  solve(work_.bodies, q, qd, qdd, tau);
}

template <class Scalar>
void NewtonEuler<Scalar>::inverse_dynamics_derivatives(const In& q, const In& qd, const In& qdd,
                                                       InverseDynamicsDerivatives<Scalar>& out) {
  const int n = tree_.joints();
  check("inverse_dynamics_derivatives", "q", q.size(), n);
  check("inverse_dynamics_derivatives", "qd", qd.size(), n);
  check("inverse_dynamics_derivatives", "qdd", qdd.size(), n);
  out.resize(n, work_.padded);
  turn(q);
  detail::newton_euler_derivatives(tree_.segments(), bodies_.data(), work_.sine.data(), work_.cosine.data(), q.data(),
                                   qd.data(), qdd.data(), work_.places.data(), work_.velocities.data(),
                                   work_.accelerations.data(), work_.screws.data(), work_.composites.data(),
                                   work_.rows.data(), work_.column_masks, out.tau_.data(), out.dq_.data(),
                                   out.dqd_.data(), out.dqdd_.data());
  if (options_.friction == Friction::none) return;
  add_friction(qd, out.tau_);
  for (int i = 0; i < n; ++i) out.dqd_(i, i) += friction_slope(i, qd[i]);
}

template <class Scalar>
void NewtonEuler<Scalar>::regressor(const In& q, const In& qd, const In& qdd, OutMatrix Y) {
  const int n = tree_.joints();
  check("regressor", "rows of Y", Y.rows(), n);
  check("regressor", "columns of Y", Y.cols(), 13 * n);
  check("regressor", "q", q.size(), n);
  check("regressor", "qd", qd.size(), n);
  check("regressor", "qdd", qdd.size(), n);
  turn(q);
  for (std::size_t i = 0; i < work_.joints; ++i) {
    const detail::Segment& segment = tree_.segments()[i];
    const Eigen::Index at = static_cast<Eigen::Index>(i);
    const detail::Matrix3<Scalar> R = detail::rotation_of(segment, work_.sine[i], work_.cosine[i]);
    const detail::LinkMotion<Scalar> motion =
        detail::motion_of(segment, R, work_.motions[static_cast<std::size_t>(segment.parent)], Scalar(q[at]),
                          Scalar(qd[at]), Scalar(qdd[at]));
    work_.rotations[i + 1] = R;
    work_.motions[i + 1] = motion;
  }
  Y.setZero();
  const detail::Vector3<Scalar> none = detail::zero_vector<Scalar>();
  const detail::Vector3<Scalar> along{Scalar(0.0), Scalar(0.0), Scalar(1.0)};
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      if (!tree_.is_ancestor(j, i)) continue;
      const std::size_t at = static_cast<std::size_t>(i);
      const detail::Segment& segment = tree_.segments()[at];
      detail::Twist<Scalar> twist =
          segment.prismatic ? detail::Twist<Scalar>{none, along} : detail::Twist<Scalar>{along, none};
      if (i != j)
        twist = detail::carried(segment, work_.rotations[at + 1],
                                work_.twists[static_cast<std::size_t>(segment.parent)], Scalar(q[i]));
      work_.twists[at + 1] = twist;
      detail::write_gradient(segment, detail::power_gradient(twist, work_.motions[at + 1]),
                             Y.template block<1, 13>(j, 13 * i));
    }
}

template <class Scalar>
void NewtonEuler<Scalar>::add_parameter_gradient(const In& q, const In& qd, const In& qdd, const In& w,
                                                 OutParameters gradient) {
  const int n = tree_.joints();
  check("add_parameter_gradient", "q", q.size(), n);
  check("add_parameter_gradient", "qd", qd.size(), n);
  check("add_parameter_gradient", "qdd", qdd.size(), n);
  check("add_parameter_gradient", "w", w.size(), n);
  check("add_parameter_gradient", "columns of the gradient", gradient.cols(), n);
  turn(q);
  work_.twists[0] = {detail::zero_vector<Scalar>(), detail::zero_vector<Scalar>()};
  for (int i = 0; i < n; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const detail::Segment& segment = tree_.segments()[at];
    const std::size_t parent = static_cast<std::size_t>(segment.parent);
    const detail::Matrix3<Scalar> R = detail::rotation_of(segment, work_.sine[at], work_.cosine[at]);
    const detail::LinkMotion<Scalar> motion =
        detail::motion_of(segment, R, work_.motions[parent], Scalar(q[i]), Scalar(qd[i]), Scalar(qdd[i]));
    detail::Twist<Scalar> twist = detail::carried(segment, R, work_.twists[parent], Scalar(q[i]));
    (segment.prismatic ? twist.linear.z : twist.angular.z) += w[i];
    work_.motions[at + 1] = motion;
    work_.twists[at + 1] = twist;
    BodyParametersOf<Scalar> part;
    detail::write_gradient(segment, detail::power_gradient(twist, motion), part);
    gradient.col(i) += part;
  }
}

template <class Scalar>
void NewtonEuler<Scalar>::mass_matrix(const In& q, OutMatrix M) {
  const int n = tree_.joints();
  check("mass_matrix", "q", q.size(), n);
  check("mass_matrix", "rows of M", M.rows(), n);
  check("mass_matrix", "columns of M", M.cols(), n);
  turn(q);
  detail::composite_bodies(tree_.segments(), packed_bodies_, work_.column_masks, work_.sine.data(), work_.cosine.data(),
                           q.data(), work_.places[0], work_.links.data(), M.data(), static_cast<int>(M.outerStride()));
}

template <class Scalar>
void NewtonEuler<Scalar>::gravity(const In& q, Out tau) {
  check("gravity", "q", q.size(), tree_.joints());
  check("gravity", "tau", tau.size(), tree_.joints());
  turn(q);
  const Scalar* still = nullptr;
  detail::newton_euler(tree_.segments(), bodies_.data(), work_.sine.data(), work_.cosine.data(), q.data(), still, still,
                       work_.rotations.data(), work_.motions.data(), work_.wrenches.data(), tau.data());
}

template <class Scalar>
void NewtonEuler<Scalar>::coriolis_matrix(const In& q, const In& qd, OutMatrix C) {
  check("coriolis_matrix", "rows of C", C.rows(), tree_.joints());
  check("coriolis_matrix", "columns of C", C.cols(), tree_.joints());
  inverse_dynamics_derivatives(q, qd, zero_, derivatives_);
  C = 0.5 * derivatives_.dtau_dqd();
  for (int i = 0; i < tree_.joints(); ++i) C(i, i) -= 0.5 * friction_slope(i, qd[i]);
}

template <class Scalar>
ForwardStatus NewtonEuler<Scalar>::forward_dynamics(const In& q, const In& qd, const In& tau, Out qdd) {
  const int n = tree_.joints();
  check("forward_dynamics", "q", q.size(), n);
  check("forward_dynamics", "qd", qd.size(), n);
  check("forward_dynamics", "tau", tau.size(), n);
  check("forward_dynamics", "qdd", qdd.size(), n);
  return accelerate(q, qd, tau, qdd.data(), {}) ? ForwardStatus::ok : ForwardStatus::singular;
}

template <class Scalar>
ForwardStatus NewtonEuler<Scalar>::forward_dynamics_derivatives(const In& q, const In& qd, const In& tau,
                                                                ForwardDynamicsDerivatives<Scalar>& out) {
  const int n = tree_.joints();
  check("forward_dynamics_derivatives", "q", q.size(), n);
  check("forward_dynamics_derivatives", "qd", qd.size(), n);
  check("forward_dynamics_derivatives", "tau", tau.size(), n);
  out.resize(n, work_.padded);
  if (!accelerate(q, qd, tau, out.qdd_.data(), {work_.effects.data(), work_.felt.data()}))
    return ForwardStatus::singular;
  for (int i = 0; i < n; ++i) work_.slopes[static_cast<std::size_t>(i)] = friction_slope(i, qd[i]);
  detail::forward_derivatives(tree_.segments(), work_.column_masks, work_.slopes.data(), work_.velocities.data(),
                              work_.accelerations.data(), work_.articulated_joints.data(), work_.articulated.data(),
                              work_.effects.data(), work_.felt.data(), work_.columns.data(), work_.responses.data(),
                              work_.changes.data(), out.dq_.data(), out.dqd_.data(), out.dtau_.data());
  return ForwardStatus::ok;
}

template <class Scalar>
bool NewtonEuler<Scalar>::accelerate(const In& q, const In& qd, const In& tau, Scalar* qdd,
                                     const detail::EffectsOfVelocity<Scalar>& also) {
  turn(q);
  forces_.setZero();
  add_friction(qd, forces_);
  forces_ = tau - forces_;
  return detail::articulated_body(tree_.segments(), bodies_.data(), work_.sine.data(), work_.cosine.data(), q.data(),
                                  qd.data(), forces_.data(), work_.places.data(), work_.velocities.data(),
                                  work_.accelerations.data(), work_.articulated_joints.data(), work_.articulated.data(),
                                  qdd, also);
}

template <class Scalar>
void NewtonEuler<Scalar>::place(const In& q) {
  check("(kinematics)", "q", q.size(), tree_.joints());
  turn(q);
  for (std::size_t i = 0; i < work_.joints; ++i) {
    const detail::Segment& segment = tree_.segments()[i];
    work_.places[i + 1] =
        detail::place_of(segment, work_.sine[i], work_.cosine[i], Scalar(q[static_cast<Eigen::Index>(i)]),
                         work_.places[static_cast<std::size_t>(segment.parent)]);
  }
}

template <class Scalar>
void NewtonEuler<Scalar>::move(const In& q, const In& qd) {
  check("(kinematics)", "qd", qd.size(), tree_.joints());
  place(q);
  for (std::size_t i = 0; i < work_.joints; ++i) {
    const detail::Segment& segment = tree_.segments()[i];
    work_.velocities[i + 1] = work_.velocities[static_cast<std::size_t>(segment.parent)];
    work_.velocities[i + 1] +=
        Scalar(qd[static_cast<Eigen::Index>(i)]) * detail::screw_of(segment, work_.places[i + 1]);
  }
}

}  // namespace quoin::rigid_body

#include "quoin/robots/models/rigid_body/detail/kinematics_impl.hpp"
