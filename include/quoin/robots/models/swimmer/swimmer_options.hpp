// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_derivative.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"

namespace quoin::swimmer {

/// Integration scheme of SwimmerDynamics.
enum class Integrator {
  rk4,               ///< the classical Runge-Kutta scheme: fourth order
  midpoint,          ///< the explicit midpoint rule: second order
  second_difference  ///< Eq. 4 of Jia, Pan, Manocha 2019: M(q_i) (q_{i+1} - 2 q_i + q_{i-1}) / dt^2 = forces at q_i and
                     ///< (q_i - q_{i-1}) / dt, which is the rate in the state: first order
};

/// The momentum of a swimmer and the water around it, which only an external force could change.
enum class Momentum {
  zero,  ///< started at rest: the joints determine the motion of the base
  free   ///< any value: the base's twist is part of the state
};

/// The scheme of a step, and what is part of the state.
struct SwimmerDynamicsOptions {
  double time_step = 0.02;  ///< dt, s
  int substeps = 1;         ///< steps of the scheme per step, of dt / substeps each, under the same torques
  Integrator integrator = Integrator::rk4;            ///< queries of the map follow from it
  Momentum momentum = Momentum::zero;                 ///< zero, or part of the state
  double torque_scale = 1;                            ///< torque of a control of 1, N m
  StepDerivative derivative = StepDerivative::exact;  ///< what the step's derivatives keep
  double difference_step = 2e-4;      ///< of the second derivatives of the mass where the map gives none, rad
                                      ///< (docs/notes/swimmer_dynamics.md: measured)
  double singular_tolerance = 1e-10;  ///< `singular` if a pivot of M is smaller than this times its diagonal entry
};

/// Indices into a state of SwimmerDynamics.
struct StateLayout {
  int hinges = 0;                      ///< of the swimmer
  Motion motion = Motion::planar;      ///< planar or spatial
  Momentum momentum = Momentum::zero;  ///< whether the base's twist is part of the state

  constexpr int angles() const { return 0; }         ///< first of q (hinges)
  constexpr int rates() const { return hinges; }     ///< first of dq/dt (hinges)
  constexpr int pose() const { return 2 * hinges; }  ///< first of the pose of the base
  /// (theta, x, y), or position and quaternion.
  constexpr int pose_size() const { return motion == Motion::planar ? 3 : 7; }
  constexpr int position() const { return motion == Motion::planar ? pose() + 1 : pose(); }  ///< first of x, y (, z)
  constexpr int twist() const { return pose() + pose_size(); }  ///< first of the base's body twist, if the state has it
  /// Of the state.
  constexpr int size() const { return twist() + (momentum == Momentum::free ? twist_size(motion) : 0); }
};

}  // namespace quoin::swimmer
