// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <concepts>
#include <functional>

namespace quoin {

/// u (m) at a time, s, when y (p) has just been measured. A policy in open loop ignores y.
using Controller = std::function<Eigen::VectorXd(double time, const Eigen::VectorXd& measured)>;

/// What a run was told and what was seen of it: column i at times[i].
struct Recording {
  Eigen::VectorXd times;               ///< s, ascending, as many as columns
  Eigen::MatrixXd inputs;              ///< m x frames: u, held from this frame to the next
  Eigen::MatrixXd outputs;             ///< p x frames: y, with the noise of the measurement
  StepStatus status = StepStatus::ok;  ///< why it ended early, if it did; the frames until then are kept
};

/// The system that a plan is run on: a machine, or a simulation that differs from the model that plans. Each run starts
/// from the plant's own initial state and may differ from the last by noise: run is not const. Nothing of a plant but
/// its recordings may enter a plan.
template <class P>
concept Plant = requires(P& plant, const P& constant, const Controller& controller, double duration) {
  { constant.input_size() } -> std::convertible_to<Eigen::Index>;
  { constant.output_size() } -> std::convertible_to<Eigen::Index>;
  { constant.sample_time() } -> std::convertible_to<double>;  // s, between frames
  { plant.run(controller, duration) } -> std::same_as<Recording>;
};

}  // namespace quoin
