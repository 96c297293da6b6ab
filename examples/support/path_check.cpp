// SPDX-License-Identifier: BSD-3-Clause
#include "examples/support/path_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quoin::study {

PathCheck check_path(const rigid_body::TreePoints& points, const CollisionChecker& checker, const Obstacles& obstacles,
                     const Eigen::MatrixXd& q, double step) {
  PathCheck result{.least_distance = std::numeric_limits<double>::infinity()};
  Eigen::Matrix3Xd places;
  int colliding = 0;
  const auto look_at = [&](const Eigen::VectorXd& at) {
    points.evaluate(at, places);
    const double distance = checker.least_distance(places, obstacles).distance;
    result.least_distance = std::min(result.least_distance, distance);
    colliding += distance < 0;
    ++result.configurations;
  };
  if (q.cols() > 0) look_at(q.col(0));
  for (Eigen::Index t = 0; t + 1 < q.cols(); ++t) {
    const Eigen::VectorXd move = q.col(t + 1) - q.col(t);
    const int parts = std::max(1, static_cast<int>(std::ceil(move.lpNorm<Eigen::Infinity>() / step)));
    for (int k = 1; k <= parts; ++k) look_at(q.col(t) + move * k / parts);
  }
  result.share = static_cast<double>(colliding) / std::max(1, result.configurations);
  return result;
}

}  // namespace quoin::study
