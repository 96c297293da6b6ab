// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/identification/robot_estimate.hpp"

#include <random>

namespace quoin::identification {

RobotParameters RobotEstimate::parameters() const {
  RobotParameters result(13, joints());
  for (Eigen::Index i = 0; i < joints(); ++i) result.col(i) = linear_parameters(form, theta.col(i), floor);
  return result;
}

Eigen::VectorXd RobotEstimate::damping() const {
  return damping_root.size() > 0 ? Eigen::VectorXd(damping_root.cwiseAbs2()) : Eigen::VectorXd::Zero(joints());
}

RobotEstimate RobotEstimate::random(InertiaForm form, Eigen::Index joints, std::uint64_t seed, double size,
                                    bool with_damping) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  RobotEstimate estimate{.form = form};
  estimate.theta = Eigen::MatrixXd::NullaryExpr(parameter_count(form), joints, [&] { return size * normal(random); });
  if (with_damping) estimate.damping_root = Eigen::VectorXd::Constant(joints, size);
  return estimate;
}

std::optional<RobotEstimate> RobotEstimate::of(InertiaForm form, const RobotParameters& parameters,
                                               const InertiaFloor& floor) {
  RobotEstimate estimate{.form = form, .floor = floor};
  estimate.theta.resize(parameter_count(form), parameters.cols());
  for (Eigen::Index i = 0; i < parameters.cols(); ++i) {
    const auto theta = theta_of(form, parameters.col(i), floor);
    if (!theta) return std::nullopt;
    estimate.theta.col(i) = *theta;
  }
  return estimate;
}

}  // namespace quoin::identification
