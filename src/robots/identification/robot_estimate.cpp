// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/robot_estimate.hpp"

#include "quoin/util/to_text.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

namespace quoin::identification {

RobotParameters RobotEstimate::parameters() const {
  RobotParameters result(13, joints());
  for (Eigen::Index i = 0; i < joints(); ++i) result.col(i) = linear_parameters(form, theta.col(i), floor);
  return result;
}

Eigen::VectorXd RobotEstimate::damping() const {
  return damping_root.size() > 0 ? Eigen::VectorXd(damping_root.cwiseAbs2()) : Eigen::VectorXd::Zero(joints());
}

RobotEstimate RobotEstimate::random(InertiaForm form, Eigen::Index joints, std::uint64_t seed, bool with_damping,
                                    const RandomBodies& bodies) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  RobotParameters parameters(13, joints);
  for (Eigen::Index i = 0; i < joints; ++i) {
    Eigen::VectorXd theta = Eigen::VectorXd::NullaryExpr(10, [&] { return normal(random); });
    theta[0] = std::sqrt(bodies.mass) * (1 + 0.3 * theta[0]);
    theta.segment<3>(1) *= bodies.first_moment;
    theta.tail<6>() *= bodies.extent;
    parameters.col(i) = linear_parameters(InertiaForm::covariance, theta);
  }
  auto estimate = of(form, parameters);
  if (!estimate)
    throw std::invalid_argument("RobotEstimate::random: bodies of " + to_text(bodies.mass) + " kg, extent " +
                                to_text(bodies.extent) + " kg^1/2 m have no " + to_string(form));
  if (with_damping) estimate->damping_root = Eigen::VectorXd::Constant(joints, std::sqrt(bodies.damping));
  return *estimate;
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
