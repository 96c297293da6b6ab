// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/realization.hpp"

#include "examples/studies/fluidic_grab/setup.hpp"
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "quoin/robots/planning/output_tracking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Realization invert_actuators(const fluidic_arm::FluidicSystem& model, const GrabTask& task,
                             const planning::CollocationPlan& plan, const Eigen::Vector2d& goal) {
  Realization made;
  const auto lead_frames = static_cast<Index>(std::ceil(model.delay / sample_time - 1e-9));
  made.lead = static_cast<double>(lead_frames) * sample_time;
  made.grab_frame = lead_frames + static_cast<Index>(std::lround(task.duration / sample_time));
  const Index frames = made.grab_frame + 1, actuators = 3;

  // Volumes at frames 1, 2, ...: the plan's torque at t + delay - lead acts at t + delay.
  made.wanted_volumes.setZero(actuators, frames);
  for (Index k = 1; k < frames; ++k) {
    const double at = static_cast<double>(k) * sample_time + model.delay - made.lead;
    const VectorXd tau = torques(task, plan, std::clamp(at, 0., task.duration));
    for (Index i = 0; i < actuators; ++i)
      made.wanted_volumes(i, k) = model.actuators[static_cast<std::size_t>(i)].volume(tau[i]);
  }
  made.references.setZero(actuators, frames);
  for (Index i = 0; i < actuators; ++i) {
    const auto tracked = planning::track_output(discretized(model.cylinders[static_cast<std::size_t>(i)], sample_time),
                                                made.wanted_volumes.row(i).tail(frames - 1).transpose(),
                                                -largest_reference, largest_reference, 1e-3);
    made.references.row(i).head(frames - 1) = tracked.inputs.transpose();
    made.references(i, frames - 1) = tracked.inputs[frames - 2];
    made.volume_error = std::max(made.volume_error, tracked.largest_error);
  }
  const auto response = fluidic_arm::simulate(model, VectorXd::Zero(4), made.references, sample_time, {.step = 2e-3});
  made.states = response.states;
  made.predicted_distance = made.predicted_miss = std::numeric_limits<double>::infinity();
  if (response.ends.cols() == frames) {
    const VectorXd last = response.states.col(made.grab_frame);
    made.predicted_tip = response.ends.col(made.grab_frame).tail<2>();
    Eigen::Matrix2Xd ignored;
    fluidic_arm::FluidicArm(model.arm).point_velocity(last.head(4), last.tail(4), 3, 1, made.predicted_velocity,
                                                      ignored);
    made.predicted_distance = (made.predicted_tip - goal).norm();
    made.predicted_miss =
        std::max(made.predicted_distance / tolerated_distance, made.predicted_velocity.norm() / tolerated_speed);
  }
  return made;
}

}  // namespace studies::grab
