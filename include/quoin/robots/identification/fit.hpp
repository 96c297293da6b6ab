// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/fit_options.hpp"
#include "quoin/robots/identification/robot_estimate.hpp"
#include "quoin/robots/optimization/adam.hpp"

#include <Eigen/Core>

#include <cmath>
#include <optional>
#include <utility>

namespace quoin::identification {

/// What was learned, and how.
struct Fit : FitCourse {
  RobotEstimate estimate = {};  ///< after the last step
};

namespace detail {

/// theta of all bodies, one after the other, then the damping's roots: the numbers that Adam changes.
Eigen::VectorXd flat(const RobotEstimate& estimate);
void set_flat(const Eigen::VectorXd& numbers, RobotEstimate& estimate);
/// Derivatives by these numbers, from those by linear parameters (13 x n) and by damping (n).
Eigen::VectorXd flat_gradient(const RobotEstimate& estimate, const RobotParameters& by_parameters,
                              const Eigen::VectorXd& by_damping);
/// Throws std::invalid_argument unless the estimate has this number of joints.
void require(const RobotEstimate& estimate, Eigen::Index joints, const char* who);

struct EveryStep {
  bool operator()(const FitUpdate&, const RobotEstimate&) const { return true; }
};

}  // namespace detail

/// One step of Adam down the mean over the instants of |tau - measured|^2 (Sutanto et al. 2020, Eq. 2), with its exact
/// gradient, as a robot that learns while it moves does with each new batch. Returns the mean before the step; nothing
/// if it or its gradient is not finite: then no step is taken. Two sweeps of the model over the batch. Joints' squared
/// errors are weighted by `weights` (FitOptions::weights).
///
///     Adam adam;
///     fit_step(model, last_second, 1e-2, estimate, adam);  // again and again
///
/// Throws std::invalid_argument for shapes that do not fit.
template <ParametricInverseDynamics Model>
std::optional<double> fit_step(Model& model, const RobotMotion& batch, double learning_rate, RobotEstimate& estimate,
                               Adam& adam, const Eigen::VectorXd& weights = {}) {
  detail::require(estimate, batch.joints(), "fit_step");
  detail::require_weights(weights, batch.joints(), "fit_step");
  const Eigen::MatrixXd off = predicted_forces(model, estimate, batch) - batch.tau;
  Eigen::MatrixXd slope = 2 / static_cast<double>(batch.instants()) * off;
  if (weights.size() > 0) slope.array().colwise() *= weights.array();
  const double loss = 0.5 * off.cwiseProduct(slope).sum();
  RobotParameters by_parameters = RobotParameters::Zero(13, batch.joints());
  detail::add_parameter_gradient(model, batch, slope, by_parameters);
  const Eigen::VectorXd by_damping = slope.cwiseProduct(batch.qd).rowwise().sum();
  const Eigen::VectorXd downhill = detail::flat_gradient(estimate, by_parameters, by_damping);
  if (!std::isfinite(loss) || !downhill.allFinite()) return std::nullopt;
  Eigen::VectorXd numbers = detail::flat(estimate);
  adam.step(downhill, learning_rate, numbers);
  detail::set_flat(numbers, estimate);
  return loss;
}

/// Learns inertias, and friction if the start has it, from a motion, by epochs of fit_step on mini-batches.
///
///     rigid_body::BatchNewtonEuler model(tree);
///     auto fit = fit_forces(model, motion, RobotEstimate::random(InertiaForm::covariance, tree.joints(), 1),
///                           {.target = 0.1});
///     auto learned = tree.with_parameters(fit.estimate.parameters());
///
/// observe(FitUpdate, RobotEstimate) is called after every step; false ends the fit. Deterministic. Throws
/// std::invalid_argument for shapes and options that do not fit.
template <ParametricInverseDynamics Model, class Observe = detail::EveryStep>
Fit fit_forces(Model& model, const RobotMotion& motion, const RobotEstimate& start, const FitOptions& options = {},
               Observe observe = {}) {
  detail::require(motion, options, "fit_forces");
  detail::require(start, motion.joints(), "fit_forces");
  RobotEstimate estimate = start;
  Adam adam;
  const auto take_step = [&](const RobotMotion& batch) {
    return fit_step(model, batch, options.learning_rate, estimate, adam, options.weights);
  };
  const auto predict = [&] { return predicted_forces(model, estimate, motion); };
  FitCourse course = detail::run_epochs(motion, options, take_step, predict, [&](const FitUpdate& update) {
    return observe(update, std::as_const(estimate));
  });
  return {std::move(course), std::move(estimate)};
}

}  // namespace quoin::identification
