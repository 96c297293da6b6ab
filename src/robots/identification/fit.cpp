// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/fit.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::identification {

Eigen::VectorXd normalizing_weights(const RobotMotion& motion) {
  require(motion, "normalizing_weights");
  const Eigen::VectorXd mean = motion.tau.rowwise().mean();
  const Eigen::VectorXd variance =
      (motion.tau.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(motion.instants());
  constexpr double rounding = 1e-24;  // variance of constant forces, relative to 1 + mean^2
  return (variance.array() > rounding * (1 + mean.array().square())).select(variance.cwiseInverse(), 1);
}

namespace detail {

Eigen::VectorXd flat(const RobotEstimate& estimate) {
  Eigen::VectorXd numbers(estimate.theta.size() + estimate.damping_root.size());
  numbers << estimate.theta.reshaped(), estimate.damping_root;
  return numbers;
}

void set_flat(const Eigen::VectorXd& numbers, RobotEstimate& estimate) {
  estimate.theta.reshaped() = numbers.head(estimate.theta.size());
  estimate.damping_root = numbers.tail(estimate.damping_root.size());
}

Eigen::VectorXd flat_gradient(const RobotEstimate& estimate, const RobotParameters& by_parameters,
                              const Eigen::VectorXd& by_damping) {
  const Eigen::Index each = estimate.theta.rows();
  Eigen::VectorXd gradient(estimate.theta.size() + estimate.damping_root.size());
  Eigen::MatrixXd derivative;
  for (Eigen::Index i = 0; i < estimate.joints(); ++i) {
    linear_parameters(estimate.form, estimate.theta.col(i), estimate.floor, derivative);
    gradient.segment(i * each, each).noalias() = derivative.transpose() * by_parameters.col(i);
  }
  if (estimate.damping_root.size() > 0)
    gradient.tail(estimate.joints()) = 2 * estimate.damping_root.cwiseProduct(by_damping);
  return gradient;
}

void require(const RobotEstimate& estimate, Eigen::Index joints, const char* who) {
  if (estimate.theta.rows() != parameter_count(estimate.form) || estimate.joints() != joints ||
      (estimate.damping_root.size() != 0 && estimate.damping_root.size() != joints))
    throw std::invalid_argument(std::string(who) + ": theta is " + shape_text(estimate.theta) + ", wanted " +
                                to_text(parameter_count(estimate.form)) + " x " + to_text(joints) + " for " +
                                to_string(estimate.form) + "; " + to_text(estimate.damping_root.size()) +
                                " joints have friction");
}

void require(const RobotMotion& motion, const FitOptions& options, const char* who) {
  identification::require(motion, who);
  if (options.epochs < 0 || options.batch < 1 || !(options.learning_rate > 0) || !(options.target >= 0) ||
      !(options.improvement >= 0 && options.improvement < 1))
    throw std::invalid_argument(
        std::string(who) + ": epochs " + to_text(options.epochs) + ", batch " + to_text(options.batch) +
        ", learning rate " + to_text(options.learning_rate) + ", target " + to_text(options.target) + ", improvement " +
        to_text(options.improvement) + "; wanted at least 0, at least 1, more than 0, at least 0, within 0 and 1");
  require_weights(options.weights, motion.joints(), who);
}

void require_weights(const Eigen::VectorXd& weights, Eigen::Index joints, const char* who) {
  if ((weights.size() != 0 && weights.size() != joints) || !(weights.array() >= 0).all() || !weights.allFinite())
    throw std::invalid_argument(std::string(who) + ": " + to_text(weights.size()) + " weights for " + to_text(joints) +
                                " joints; wanted none or one each, finite and not negative");
}

}  // namespace detail

}  // namespace quoin::identification
