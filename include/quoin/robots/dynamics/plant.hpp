// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <concepts>
#include <functional>

namespace quoin {

/// The control u (m) at a time (s) at which y (p) has just been measured. An open-loop policy ignores y.
using Controller = std::function<Eigen::VectorXd(double time, const Eigen::VectorXd& measured)>;

/// The inputs and the measured outputs of a run: column i at times[i].
struct Recording {
  Eigen::VectorXd times;               ///< s, ascending, as many as columns
  Eigen::MatrixXd inputs;              ///< m x frames: u, held from this frame to the next
  Eigen::MatrixXd outputs;             ///< p x frames: y, with the noise of the measurement
  StepStatus status = StepStatus::ok;  ///< why it ended early, if it did; the frames until then are kept
};

/// The system that executes a plan: a machine, or a simulation that differs from the planning model. Each run starts
/// from the plant's own initial state and may differ from the last by noise: run is not const. A plan may use nothing
/// of a plant but its recordings.
template <class P>
concept Plant = requires(P& plant, const P& constant, const Controller& controller, double duration) {
  { constant.input_size() } -> std::convertible_to<Eigen::Index>;
  { constant.output_size() } -> std::convertible_to<Eigen::Index>;
  { constant.sample_time() } -> std::convertible_to<double>;  // s, between frames
  { plant.run(controller, duration) } -> std::same_as<Recording>;
};

}  // namespace quoin
