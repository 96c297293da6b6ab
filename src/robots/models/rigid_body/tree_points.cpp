// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/tree_points.hpp"

#include "quoin/robots/models/rigid_body/detail/fingerprints.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::rigid_body {

using Eigen::Index;

TreePoints::TreePoints(RigidBodyTree tree, const std::vector<Point>& points) : links_(std::move(tree)) {
  for (const Point& point : points) {
    const int joint = point.frame.joint;
    if (joint < -1 || joint >= links_.tree().joints())
      throw std::invalid_argument("TreePoints: a point of joint " + to_text(joint) + " of " +
                                  to_text(links_.tree().joints()));
    const Eigen::Vector3d place = point.frame.placement * point.place;
    const detail::Vector3<double> at{place[0], place[1], place[2]};
    points_.push_back(
        {joint, joint < 0 ? at : transpose_times(links_.tree().segments()[static_cast<std::size_t>(joint)].axes, at)});
  }
}

Fingerprint TreePoints::fingerprint() const {
  std::vector<int> joints;
  Eigen::Matrix3Xd places(3, point_count());
  for (Index k = 0; k < point_count(); ++k) {
    const auto& [joint, at] = points_[static_cast<std::size_t>(k)];
    joints.push_back(joint);
    // In the link's own axes: which axes are the turned ones hangs on the last bits where two entries tie.
    const auto place = joint < 0 ? at : links_.tree().segments()[static_cast<std::size_t>(joint)].axes * at;
    places.col(k) << place.x, place.y, place.z;
  }
  Fingerprint fingerprint("rigid_body::TreePoints");
  detail::add_kinematics(links_.tree(), fingerprint);
  return fingerprint.add("joints", joints).add_rounded("places", places);
}

void TreePoints::evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points) const {
  links_.place(q, "TreePoints::evaluate");
  points.resize(3, point_count());
  for (Index k = 0; k < point_count(); ++k) {
    const Fixed& point = points_[static_cast<std::size_t>(k)];
    const detail::Place<double>& link = links_[point.joint];
    const detail::Vector3<double> x = link.origin + link.rotation * point.at;
    points.col(k) << x.x, x.y, x.z;
  }
}

void TreePoints::evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points, Eigen::MatrixXd& jacobian) const {
  evaluate(q, points);
  jacobian.setZero(3 * point_count(), links_.tree().joints());
  for (Index k = 0; k < point_count(); ++k) {
    const detail::Vector3<double> x{points(0, k), points(1, k), points(2, k)};
    for (int j = points_[static_cast<std::size_t>(k)].joint; j >= 0; j = links_.tree().parent(j)) {
      const detail::Vector3<double> way = links_.velocity(j, x);
      jacobian.col(j).segment<3>(3 * k) << way.x, way.y, way.z;
    }
  }
}

}  // namespace quoin::rigid_body
