// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/path_verification.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace studies {

PathVerdict verify_path(const CapsuleArm& arm, const Eigen::MatrixXd& path,
                        const std::function<Obstacles(double t)>& obstacles_at, int substeps) {
  if (path.cols() < 1 || substeps < 1)
    throw std::invalid_argument("verify_path: " + to_text(path.cols()) + " columns, " + to_text(substeps) +
                                " substeps");
  const rigid_body::TreePoints kinematics = arm.points();
  const CollisionChecker checker(arm.collision_model());
  const Eigen::VectorXd lower = arm.lower(), upper = arm.upper();
  PathVerdict verdict{.clearance = std::numeric_limits<double>::infinity()};
  Eigen::Matrix3Xd points, before;
  const auto look = [&](const Eigen::VectorXd& q, double t) {
    kinematics.evaluate(q, points);
    const double distance = checker.min_distance(points, obstacles_at(t)).distance;
    if (distance < verdict.clearance) {
      verdict.clearance = distance;
      verdict.worst_at = t;
    }
    verdict.limits_passed = std::max({verdict.limits_passed, (lower - q).maxCoeff(), (q - upper).maxCoeff()});
    if (before.cols() > 0)
      verdict.longest_step = std::max(verdict.longest_step, (points - before).colwise().norm().maxCoeff());
    before = points;
  };
  look(path.col(0), 0);
  for (Eigen::Index t = 0; t + 1 < path.cols(); ++t)
    for (int k = 1; k <= substeps; ++k) {
      const double s = static_cast<double>(k) / substeps;
      look((1 - s) * path.col(t) + s * path.col(t + 1), static_cast<double>(t) + s);
    }
  return verdict;
}

PathVerdict verify_path(const CapsuleArm& arm, const Eigen::MatrixXd& path, const Obstacles& obstacles, int substeps) {
  return verify_path(
      arm, path, [&](double) { return obstacles; }, substeps);
}

}  // namespace studies
