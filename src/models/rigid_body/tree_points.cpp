// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/rigid_body/tree_points.hpp"

#include "quoin/core/to_text.hpp"
#include "quoin/models/rigid_body/detail/fingerprints.hpp"
#include "quoin/models/rigid_body/detail/sines_cosines.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::rigid_body {

using Eigen::Index;

TreePoints::TreePoints(RigidBodyTree tree, const std::vector<Point>& points)
    : tree_(std::move(tree)),
      sine_(static_cast<std::size_t>(tree_.joints())),
      cosine_(sine_.size()),
      places_(sine_.size() + 1) {
  const detail::Vector3<double> none = detail::zero_vector<double>();
  places_[0] = {detail::zero_matrix<double>(), none};
  detail::add_diagonal(places_[0].rotation, 1.0);
  for (const Point& point : points) {
    const int joint = point.frame.joint;
    if (joint < -1 || joint >= tree_.joints())
      throw std::invalid_argument("TreePoints: a point of joint " + to_text(joint) + " of " + to_text(tree_.joints()));
    const Eigen::Vector3d place = point.frame.placement * point.place;
    const detail::Vector3<double> at{place[0], place[1], place[2]};
    points_.push_back(
        {joint, joint < 0 ? at : transpose_times(tree_.segments()[static_cast<std::size_t>(joint)].axes, at)});
  }
}

Fingerprint TreePoints::fingerprint() const {
  std::vector<int> joints;
  Eigen::Matrix3Xd places(3, point_count());
  for (Index k = 0; k < point_count(); ++k) {
    const auto& [joint, at] = points_[static_cast<std::size_t>(k)];
    joints.push_back(joint);
    // In the link's own axes: which axes are the turned ones hangs on the last bits where two entries tie.
    const auto place = joint < 0 ? at : tree_.segments()[static_cast<std::size_t>(joint)].axes * at;
    places.col(k) << place.x, place.y, place.z;
  }
  Fingerprint fingerprint("rigid_body::TreePoints");
  detail::add_kinematics(tree_, fingerprint);
  return fingerprint.add("joints", joints).add_rounded("places", places);
}

void TreePoints::evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points) const {
  if (q.size() != tree_.joints())
    throw std::invalid_argument("TreePoints::evaluate: q has " + to_text(q.size()) + " entries, must have " +
                                to_text(tree_.joints()));
  detail::sines_cosines(q.data(), sine_.data(), cosine_.data(), tree_.joints());
  for (std::size_t i = 0; i < sine_.size(); ++i) {
    const RigidBodyTree::Segment& segment = tree_.segments()[i];
    places_[i + 1] = detail::place_of(segment, sine_[i], cosine_[i], q[static_cast<Index>(i)],
                                      places_[static_cast<std::size_t>(segment.parent)]);
  }
  points.resize(3, point_count());
  for (Index k = 0; k < point_count(); ++k) {
    const Fixed& point = points_[static_cast<std::size_t>(k)];
    const detail::Place<double>& link = places_[static_cast<std::size_t>(point.joint + 1)];
    const detail::Vector3<double> x = link.origin + link.rotation * point.at;
    points.col(k) << x.x, x.y, x.z;
  }
}

void TreePoints::evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points, Eigen::MatrixXd& jacobian) const {
  evaluate(q, points);
  jacobian.setZero(3 * point_count(), tree_.joints());
  for (Index k = 0; k < point_count(); ++k) {
    const detail::Vector3<double> x{points(0, k), points(1, k), points(2, k)};
    for (int j = points_[static_cast<std::size_t>(k)].joint; j >= 0; j = tree_.parent(j)) {
      const std::size_t i = static_cast<std::size_t>(j);
      const detail::Vector3<double>& axis = places_[i + 1].rotation.z;
      const detail::Vector3<double> way = tree_.segments()[i].prismatic ? axis : cross(axis, x - places_[i + 1].origin);
      jacobian.col(j).segment<3>(3 * k) << way.x, way.y, way.z;
    }
  }
}

}  // namespace quoin::rigid_body
