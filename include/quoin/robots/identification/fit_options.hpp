// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/identification/robot_motion.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace quoin::identification {

using FitStop [[deprecated("quoin::Stop")]] = Stop;

/// Mini-batches of Adam over the instants of a motion, for any model of its forces.
struct FitOptions {
  int epochs = 100;             ///< passes over all instants
  Eigen::Index batch = 256;     ///< instants per step
  double learning_rate = 1e-2;  ///< of Adam
  /// Ends with the epoch after which every joint's normalized error over all instants is at most this.
  double target = 0;
  double improvement = 0;  ///< ends with the epoch that lowers the mean normalized error by less than this share of it
  /// Weights of the joints' squared errors in the loss, n; empty: 1, for a ForceMlp 1 / force_deviation^2. See
  /// normalizing_weights.
  Eigen::VectorXd weights = {};
  bool shuffled = true;    ///< false: batches in the order of time, as they would come online
  std::uint64_t seed = 1;  ///< of the order of the instants
};

/// 1 / variance of every joint's forces over this motion: the loss is then the sum of the joints' normalized errors,
/// and a small joint's forces count as much as a large one's. 1 for constant forces.
Eigen::VectorXd normalizing_weights(const RobotMotion& motion);

/// One step of a fit, as seen by the observer.
struct FitUpdate {
  int epoch = 0;    ///< from 1
  long update = 0;  ///< from 1, over all epochs
  double loss = 0;  ///< mean over the batch of |tau - measured|^2, weighted, before the step
};

/// The course of a fit.
struct FitCourse {
  /// target_reached, or converged: an epoch improved the error by less than `improvement`. not_finite: the step is not
  /// taken; an unstructured mass may have passed through zero. Else iteration_limit: all epochs, or
  /// stopped_by_observer.
  Stop stop = Stop::iteration_limit;
  /// n x epochs + 1: normalized errors of every joint over all instants, before the first epoch and after each.
  Eigen::MatrixXd errors = {};
  long updates = 0;  ///< steps taken
};

namespace detail {

/// Throws std::invalid_argument, with a message that begins with `who`, unless motion and options fit.
void require(const RobotMotion& motion, const FitOptions& options, const char* who);
/// Throws unless the weights are none, or one for each joint, finite and not negative.
void require_weights(const Eigen::VectorXd& weights, Eigen::Index joints, const char* who);

/// take_step(batch): the loss before the step, or nothing if the step was not finite and not taken. predict(): the
/// forces of all instants, n x T. observe(update): whether to go on.
template <class TakeStep, class Predict, class Observe>
FitCourse run_epochs(const RobotMotion& motion, const FitOptions& options, TakeStep take_step, Predict predict,
                     Observe observe) {
  FitCourse course;
  const Eigen::Index instants = motion.instants();
  const auto judge = [&](int epoch) {
    course.errors.conservativeResize(motion.joints(), epoch + 1);
    course.errors.col(epoch) = normalized_errors(predict(), motion.tau);
    return course.errors.col(epoch).maxCoeff() <= options.target;
  };
  std::mt19937_64 random(options.seed);
  std::vector<Eigen::Index> order(static_cast<std::size_t>(instants));
  std::iota(order.begin(), order.end(), Eigen::Index{0});

  judge(0);
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    if (options.shuffled) std::shuffle(order.begin(), order.end(), random);
    for (Eigen::Index first = 0; first < instants; first += options.batch) {
      const Eigen::Index count = std::min(options.batch, instants - first);
      const std::optional<double> loss = take_step(motion.at({order.begin() + first, order.begin() + first + count}));
      if (!loss) {
        course.stop = Stop::not_finite;
        return course;
      }
      ++course.updates;
      if (!observe(FitUpdate{epoch, course.updates, *loss})) {
        course.stop = Stop::stopped_by_observer;
        return course;
      }
    }
    if (judge(epoch)) {
      course.stop = Stop::target_reached;
      return course;
    }
    if (options.improvement > 0 &&
        !(course.errors.col(epoch).mean() < (1 - options.improvement) * course.errors.col(epoch - 1).mean())) {
      course.stop = Stop::converged;
      return course;
    }
  }
  return course;
}

}  // namespace detail
}  // namespace quoin::identification
