// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/newton_euler.hpp"

namespace quoin::rigid_body {

namespace detail {

template <class T>
Eigen::Matrix<T, 3, 1> dense(const Vector3<T>& v) {
  return {v.x, v.y, v.z};
}

/// Rotation from the axes of a joint's link (not the turned ones) to the world.
template <class T>
Eigen::Matrix<T, 3, 3> link_rotation(const Place<T>& place, const Segment& segment) {
  const Matrix3<T> R = place.rotation * transpose(segment.axes);
  Eigen::Matrix<T, 3, 3> dense_R;
  dense_R << dense(R.x), dense(R.y), dense(R.z);
  return dense_R;
}

}  // namespace detail

template <class Scalar>
typename NewtonEuler<Scalar>::Pose NewtonEuler<Scalar>::pose(const In& q, const Frame& frame) {
  place(q);
  Pose pose = Pose::Identity();
  if (frame.joint >= 0) {
    const detail::Place<Scalar>& link = work_.places[static_cast<std::size_t>(frame.joint) + 1];
    pose.linear() = detail::link_rotation(link, tree_.segments()[static_cast<std::size_t>(frame.joint)]);
    pose.translation() = detail::dense(link.origin);
  }
  pose.translation() += pose.linear() * frame.placement.translation().template cast<Scalar>();
  pose.linear() = (pose.linear() * frame.placement.linear().template cast<Scalar>()).eval();
  return pose;
}

template <class Scalar>
void NewtonEuler<Scalar>::jacobian(const In& q, const Frame& frame, const Eigen::Vector3d& point, OutMatrix J) {
  check("jacobian", "rows of J", J.rows(), 6);
  check("jacobian", "columns of J", J.cols(), tree_.joints());
  const Vector3 at = pose(q, frame) * Vector3(point.template cast<Scalar>());
  const detail::Vector3<Scalar> x{at[0], at[1], at[2]};
  J.setZero();
  for (int j = frame.joint; j >= 0; j = tree_.parent(j)) {
    const std::size_t i = static_cast<std::size_t>(j);
    const detail::Twist<Scalar> S = detail::screw_of(tree_.segments()[i], work_.places[i + 1]);
    J.col(j).template head<3>() = detail::dense(S.linear + cross(S.angular, x));
    J.col(j).template tail<3>() = detail::dense(S.angular);
  }
}

template <class Scalar>
typename NewtonEuler<Scalar>::Vector6 NewtonEuler<Scalar>::bias_acceleration(const In& q, const In& qd,
                                                                             const Frame& frame,
                                                                             const Eigen::Vector3d& point) {
  Vector6 bias = Vector6::Zero();
  if (frame.joint < 0) return bias;
  const Vector3 at = pose(q, frame) * Vector3(point.template cast<Scalar>());
  const detail::Vector3<Scalar> x{at[0], at[1], at[2]};
  move(q, qd);
  // In world axes about the world's origin, dS/dt = v x S for each joint on the path. The acceleration of a moving
  // point has a centripetal part as well.
  detail::Twist<Scalar> sum{detail::zero_vector<Scalar>(), detail::zero_vector<Scalar>()};
  for (int j = frame.joint; j >= 0; j = tree_.parent(j)) {
    const std::size_t i = static_cast<std::size_t>(j);
    const detail::Twist<Scalar> S = detail::screw_of(tree_.segments()[i], work_.places[i + 1]);
    sum += Scalar(qd[j]) * cross(work_.velocities[i + 1], S);
  }
  const detail::Twist<Scalar>& v = work_.velocities[static_cast<std::size_t>(frame.joint) + 1];
  const detail::Vector3<Scalar> velocity = v.linear + cross(v.angular, x);
  bias.template head<3>() = detail::dense(sum.linear + cross(sum.angular, x) + cross(v.angular, velocity));
  bias.template tail<3>() = detail::dense(sum.angular);
  return bias;
}

template <class Scalar>
Energy<Scalar> NewtonEuler<Scalar>::energy(const In& q, const In& qd) {
  move(q, qd);
  const Eigen::Vector3d& g = options_.gravity;
  Energy<Scalar> energy{Scalar(0.0), Scalar(0.0)};
  for (std::size_t i = 0; i < work_.joints; ++i) {
    const detail::Body<Scalar> body = detail::body_in_world(bodies_[i], work_.places[i + 1]);
    energy.kinetic += 0.5 * dot(work_.velocities[i + 1], body * work_.velocities[i + 1]);
    energy.potential -= g[0] * body.h.x + g[1] * body.h.y + g[2] * body.h.z;
  }
  return energy;
}

template <class Scalar>
typename NewtonEuler<Scalar>::Vector6 NewtonEuler<Scalar>::momentum(const In& q, const In& qd) {
  move(q, qd);
  Vector6 sum = Vector6::Zero();
  for (std::size_t i = 0; i < work_.joints; ++i) {
    const detail::Wrench<Scalar> own = detail::body_in_world(bodies_[i], work_.places[i + 1]) * work_.velocities[i + 1];
    sum.template head<3>() += detail::dense(own.force);
    sum.template tail<3>() += detail::dense(own.moment);
  }
  return sum;
}

}  // namespace quoin::rigid_body
