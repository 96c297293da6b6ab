// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/verdict.hpp"

#include "examples/studies/arm7/path_verification.hpp"

#include <algorithm>
#include <cmath>

namespace studies::unwrap {
namespace {

constexpr double step = 0.01;  // rad, Euclidean as the trees' resolution

int substeps(const Eigen::MatrixXd& q) {
  const double longest = (q.rightCols(q.cols() - 1) - q.leftCols(q.cols() - 1)).colwise().norm().maxCoeff();
  return std::max(1, static_cast<int>(std::ceil(longest / step)));
}

double end_offset(const Scene& scene, const Eigen::VectorXd& q) {
  Eigen::Matrix3Xd palm, tips;
  scene.palm().evaluate(q, palm);
  scene.tips().evaluate(q, tips);
  return std::max((palm - scene.palm_goals).colwise().norm().maxCoeff(),
                  (tips - scene.tip_goals).colwise().norm().maxCoeff());
}

}  // namespace

Verdict judge(const Scene& scene, const Eigen::MatrixXd& q) {
  const studies::PathVerdict path = studies::verify_path(scene.arm, q, scene.obstacles, substeps(q));
  return {
      .clearance = path.clearance, .limits_passed = path.limits_passed, .offset = end_offset(scene, q.rightCols(1))};
}

}  // namespace studies::unwrap
