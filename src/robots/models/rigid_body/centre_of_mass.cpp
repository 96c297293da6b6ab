// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/centre_of_mass.hpp"

#include "quoin/robots/models/rigid_body/detail/fingerprints.hpp"
#include "quoin/util/to_text.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace quoin::rigid_body {

CentreOfMass::CentreOfMass(RigidBodyTree tree) : links_(std::move(tree)) {
  const RigidBodyTree& robot = links_.tree();
  for (int i = 0; i < robot.joints(); ++i) {
    const auto body = robot.parameters().col(i);
    parts_.push_back({body[0], transpose_times(robot.segments()[static_cast<std::size_t>(i)].axes,
                                               detail::Vector3<double>{body[1], body[2], body[3]})});
    mass_ += body[0];
  }
  outboard_.resize(parts_.size());
  if (!(mass_ > 0))
    throw std::invalid_argument("CentreOfMass: the moving links have a mass of " + to_text(mass_) + " kg");
}

Fingerprint CentreOfMass::fingerprint() const {
  Fingerprint fingerprint("rigid_body::CentreOfMass");
  detail::add_kinematics(links_.tree(), fingerprint);
  detail::add_masses(links_.tree(), fingerprint);
  return fingerprint;
}

void CentreOfMass::place(const Eigen::VectorXd& q) const {
  links_.place(q, "CentreOfMass::evaluate");
  for (int i = 0; i < links_.tree().joints(); ++i) {
    const auto& [mass, h] = parts_[static_cast<std::size_t>(i)];
    const detail::Place<double>& link = links_[i];
    outboard_[static_cast<std::size_t>(i)] = {mass, mass * link.origin + link.rotation * h};
  }
  // Parents stand before their children: backwards, a sum is complete when it is passed on
  for (int i = links_.tree().joints() - 1; i >= 0; --i)
    if (const int parent = links_.tree().parent(i); parent >= 0) {
      Outboard& sum = outboard_[static_cast<std::size_t>(parent)];
      sum.mass += outboard_[static_cast<std::size_t>(i)].mass;
      sum.h += outboard_[static_cast<std::size_t>(i)].h;
    }
}

void CentreOfMass::evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& centre) const {
  place(q);
  centre.setZero(3, 1);
  for (int i = 0; i < links_.tree().joints(); ++i)
    if (links_.tree().parent(i) < 0) {
      const detail::Vector3<double>& h = outboard_[static_cast<std::size_t>(i)].h;
      centre += Eigen::Vector3d(h.x, h.y, h.z) / mass_;
    }
}

void CentreOfMass::evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& centre, Eigen::MatrixXd& jacobian) const {
  evaluate(q, centre);
  jacobian.resize(3, links_.tree().joints());
  for (int i = 0; i < links_.tree().joints(); ++i) {
    // The links outboard of a joint move as one body: m velocity(c) = axis x (m c - m origin), or m axis
    const Outboard& moved = outboard_[static_cast<std::size_t>(i)];
    const detail::Place<double>& link = links_[i];
    const detail::Vector3<double> way = links_.tree().segments()[static_cast<std::size_t>(i)].prismatic
                                            ? moved.mass * link.rotation.z
                                            : cross(link.rotation.z, moved.h - moved.mass * link.origin);
    jacobian.col(i) << way.x / mass_, way.y / mass_, way.z / mass_;
  }
}

}  // namespace quoin::rigid_body
