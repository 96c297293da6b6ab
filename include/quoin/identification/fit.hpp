// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/adam.hpp"
#include "quoin/identification/robot_estimate.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::identification {

enum class FitStop {
  epochs_done,
  target_reached,
  stopped_by_observer,
  not_finite  ///< the step that was not finite is not taken; an unstructured mass may have passed through zero
};

const char* to_string(FitStop stop);

/// One step of the fit, as seen by the observer.
struct FitUpdate {
  int epoch = 0;    ///< from 1
  long update = 0;  ///< from 1, over all epochs
  double loss = 0;  ///< mean over the batch of |tau - measured|^2, before the step
};

struct FitOptions {
  int epochs = 100;
  Eigen::Index batch = 256;  ///< instants of a step
  double learning_rate = 1e-2;
  double target =
      0;  ///< ends with the epoch after which every joint's normalized error over all instants is at most this
  bool shuffled = true;  ///< false: batches in the order of time, as they would come online
  std::uint64_t seed = 1;
  std::function<bool(const FitUpdate&, const RobotEstimate&)> observer = {};  ///< after every step; false ends the fit
};

struct Fit {
  RobotEstimate estimate;
  FitStop stop = FitStop::epochs_done;
  /// n x epochs + 1: normalized errors of every joint over all instants, before the first epoch and after each.
  Eigen::MatrixXd errors = {};
  long updates = 0;
};

namespace detail {

/// theta of all bodies, one after the other, then the damping's roots: what Adam moves.
Eigen::VectorXd flat(const RobotEstimate& estimate);
void set_flat(const Eigen::VectorXd& numbers, RobotEstimate& estimate);
/// From the derivatives by linear parameters (13 x n) and by damping (n) to those by the numbers.
Eigen::VectorXd flat_gradient(const RobotEstimate& estimate, const RobotParameters& by_parameters,
                              const Eigen::VectorXd& by_damping);
void require(const RobotEstimate& start, const Motion& motion, const FitOptions& options);

}  // namespace detail

/// Learns inertias, and friction if the start has it, from a motion: Adam on mini-batches of the mean squared error of the
/// joint forces, L = mean |tau - measured|^2 (Sutanto et al. 2020, Eq. 2), with exact gradients.
///
///     rigid_body::BatchDynamics model(tree);
///     auto fit = fit_forces(model, motion, RobotEstimate::random(InertiaForm::covariance, tree.joints(), 1),
///                           {.target = 0.1});
///     auto learned = tree.with_parameters(fit.estimate.parameters());
///
/// Deterministic. A step costs two sweeps of the model over a batch. Throws std::invalid_argument for shapes and options
/// that do not fit.
template <ParametricInverseDynamics Model>
Fit fit_forces(Model& model, const Motion& motion, const RobotEstimate& start, const FitOptions& options = {}) {
  detail::require(start, motion, options);
  Fit fit{.estimate = start};
  const Eigen::Index joints = motion.joints(), instants = motion.instants();
  Adam adam;
  Eigen::VectorXd numbers = detail::flat(start);
  std::mt19937_64 random(options.seed);
  std::vector<Eigen::Index> order(static_cast<std::size_t>(instants));
  std::iota(order.begin(), order.end(), Eigen::Index{0});

  const auto judge = [&](int epoch) {
    fit.errors.conservativeResize(joints, epoch + 1);
    fit.errors.col(epoch) = normalized_errors(predicted_forces(model, fit.estimate, motion), motion.tau);
    return fit.errors.col(epoch).maxCoeff() <= options.target;
  };
  judge(0);
  Motion batch;
  RobotParameters gradient(13, joints);
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    if (options.shuffled) std::shuffle(order.begin(), order.end(), random);
    for (Eigen::Index first = 0; first < instants; first += options.batch) {
      const Eigen::Index count = std::min(options.batch, instants - first);
      const std::vector<Eigen::Index> chosen(order.begin() + first, order.begin() + first + count);
      batch.q = motion.q(Eigen::all, chosen);
      batch.qd = motion.qd(Eigen::all, chosen);
      batch.qdd = motion.qdd(Eigen::all, chosen);
      batch.tau = motion.tau(Eigen::all, chosen);
      const Eigen::MatrixXd off = predicted_forces(model, fit.estimate, batch) - batch.tau;
      const double loss = off.squaredNorm() / static_cast<double>(count);
      const Eigen::MatrixXd slope = 2.0 / static_cast<double>(count) * off;
      gradient.setZero();
      model.add_parameter_gradient(batch.q, batch.qd, batch.qdd, slope, gradient);
      const Eigen::VectorXd by_damping = slope.cwiseProduct(batch.qd).rowwise().sum();
      const Eigen::VectorXd downhill = detail::flat_gradient(fit.estimate, gradient, by_damping);
      if (!std::isfinite(loss) || !downhill.allFinite()) {
        fit.stop = FitStop::not_finite;
        return fit;
      }
      adam.step(downhill, options.learning_rate, numbers);
      detail::set_flat(numbers, fit.estimate);
      ++fit.updates;
      if (options.observer && !options.observer({epoch, fit.updates, loss}, fit.estimate)) {
        fit.stop = FitStop::stopped_by_observer;
        return fit;
      }
    }
    if (judge(epoch)) {
      fit.stop = FitStop::target_reached;
      return fit;
    }
  }
  return fit;
}

}  // namespace quoin::identification
