// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/rod_way.hpp"

namespace studies::loop {
namespace {

/// Distance of the tip before the mouth where the rod begins to slide in, m.
constexpr double before_mouth = 0.08;

}  // namespace

Eigen::MatrixXd targets_along(Way way, const HollowBox& box, const Eigen::VectorXd& from_tip,
                              const Eigen::Matrix3Xd& rod_at_start, int steps,
                              const std::function<Eigen::VectorXd(const Eigen::Matrix3Xd& rod)>& phi) {
  const int first = way == Way::to_end ? steps : steps / 2;
  const Eigen::VectorXd start = phi(rod_at_start);
  Eigen::MatrixXd targets(start.size(), steps + 1);
  for (int t = first; t <= steps; ++t) {
    const double s = first == steps ? 1 : static_cast<double>(t - first) / (steps - first);
    const double back = (box.goal_depth + before_mouth) * (1 - s * s * (3 - 2 * s));
    targets.col(t) = phi(box.rod_on_axis(from_tip.array() + back));
  }
  for (int t = 0; t < first; ++t) {
    const double s = static_cast<double>(t) / first;
    targets.col(t) = (1 - s) * start + s * targets.col(first);
  }
  return targets;
}

}  // namespace studies::loop
