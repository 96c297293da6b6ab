// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/plant.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

#include <random>

namespace quoin::fluidic_arm {

/// How the machine is measured, and what it accepts.
struct PlantOptions {
  double sample_time = 0.02;        ///< s, between frames of the camera and between changes of the reference
  double noise = 1.5e-3;            ///< standard deviation of each coordinate of a measured end, m
  double initial_angle_noise = 0;   ///< of each bend angle at the start of a run, rad
  double largest_reference = 1e30;  ///< largest |u| that the cylinders accept, mL: references are clamped to it
  double step = 2e-3;               ///< longest of the integrator, s, as in ResponseOptions
  unsigned seed = 1;                ///< of all noise
};

/// A simulated machine (a Plant): it starts at rest, takes reference volumes, mL, and returns the ends of its segments,
/// 2N, m, as a camera system measures them. Its description should differ from the planner's model: in masses,
/// stiffnesses, friction, cylinders and delay.
///
///     FluidicPlant plant(truth, {.noise = 2e-3});
///     Recording seen = plant.run([&](double t, const auto&) { return plan.reference(t); }, 2.0);
///     plant.tip_states();    // what happened, without noise: 4 x frames, position and velocity
class FluidicPlant {
 public:
  /// Throws std::invalid_argument as `check(system)` does, and for options out of range.
  explicit FluidicPlant(FluidicSystem system, const PlantOptions& options = {});

  /// Reference volumes, M.
  Eigen::Index input_size() const { return arm_.control_size(); }
  Eigen::Index output_size() const { return 2 * arm_.coordinates(); }
  /// s, from frame to frame.
  double sample_time() const { return options_.sample_time; }
  /// From rest, for a duration in s; the controller is asked for a reference at every frame. Throws
  /// std::invalid_argument for fewer than two frames and for a reference of another size.
  Recording run(const Controller& controller, double duration);

  /// The last run's states (q, v), 2N x frames, and its tip's (x, z, dx/dt, dz/dt), without noise: for
  /// evaluation, not for planning.
  const Eigen::MatrixXd& true_states() const { return states_; }
  /// 4 x frames.
  Eigen::MatrixXd tip_states() const;
  /// Of the actuators, N m: M x frames.
  const Eigen::MatrixXd& true_torques() const { return torques_; }

 private:
  FluidicSystem system_;
  FluidicArm arm_;
  PlantOptions options_;
  std::mt19937 generator_;
  Eigen::MatrixXd states_, torques_;
};

}  // namespace quoin::fluidic_arm
