// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/hollow_box.hpp"

#include <cmath>

namespace studies::loop {

Obstacles HollowBox::obstacles() const {
  const double half = side / 2;
  const auto part = [&](const Eigen::Vector3d& middle, const Eigen::Vector3d& half_extents) {
    return Box{pose * Eigen::Translation3d(middle), half_extents};
  };
  const Eigen::Vector3d x_wall(thickness / 2, half + thickness / 2, depth / 2);
  const Eigen::Vector3d y_wall(half + thickness / 2, thickness / 2, depth / 2);
  return {part({half, 0, depth / 2}, x_wall), part({-half, 0, depth / 2}, x_wall), part({0, half, depth / 2}, y_wall),
          part({0, -half, depth / 2}, y_wall), part({0, 0, depth}, {half, half, thickness / 2})};
}

Eigen::Matrix3Xd HollowBox::rim() const {
  const double h = side / 2;
  const Eigen::Matrix3Xd corners{{h, -h, -h, h, h}, {h, h, -h, -h, h}, {0, 0, 0, 0, 0}};
  return pose * corners;
}

Eigen::Matrix3Xd HollowBox::rim_landmarks() const {
  const Eigen::Matrix3Xd corners = rim();
  Eigen::Matrix3Xd landmarks(3, 8);
  for (Eigen::Index i = 0; i < 4; ++i) {
    landmarks.col(2 * i) = corners.col(i);
    landmarks.col(2 * i + 1) = (corners.col(i) + corners.col(i + 1)) / 2;
  }
  return landmarks;
}

Eigen::Vector3d HollowBox::goal() const { return pose * Eigen::Vector3d(0, 0, goal_depth); }

Eigen::Matrix3Xd HollowBox::rod_on_axis(const Eigen::VectorXd& from_tip) const {
  return (-pose.linear().col(2) * from_tip.transpose()).colwise() + goal();
}

HollowBox HollowBox::moved(const Eigen::Vector3d& offset, const Eigen::Vector3d& turn) const {
  HollowBox other = *this;
  other.pose.pretranslate(offset);
  const double angle = turn.norm();
  if (angle > 0) other.pose.linear() = Eigen::AngleAxisd(angle, turn / angle) * pose.linear();
  return other;
}

int crossings(const Eigen::Matrix3Xd& chain, const HollowBox& box) {
  const Eigen::Matrix3Xd in_box = box.pose.inverse() * chain;
  int count = 0;
  for (Eigen::Index i = 0; i + 1 < in_box.cols(); ++i) {
    const Eigen::Vector3d a = in_box.col(i), b = in_box.col(i + 1);
    if ((a.z() < 0) == (b.z() < 0)) continue;
    const Eigen::Vector3d at = a + a.z() / (a.z() - b.z()) * (b - a);
    if (std::abs(at.x()) < box.side / 2 && std::abs(at.y()) < box.side / 2) count += a.z() < 0 ? 1 : -1;
  }
  return count;
}

}  // namespace studies::loop
