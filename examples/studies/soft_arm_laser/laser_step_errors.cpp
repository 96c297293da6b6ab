// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/laser_step_errors.hpp"

namespace studies::laser {

template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const Surrogate<SpaceDim>& surrogate, const Plan& plan, int samples) {
  const auto& view = surrogate.solved;
  StepErrors errors = step_errors_on(arm, view, surrogate.coordinates(view), surrogate.basis(), plan, samples);
  if (plan.inertial) errors.seconds_grid = seconds_of_a_step(surrogate.inertial_dynamics(view), plan, 7);
  return errors;
}

template StepErrors step_errors<2>(const Arm<2>&, const Surrogate<2>&, const Plan&, int);
template StepErrors step_errors<3>(const Arm<3>&, const Surrogate<3>&, const Plan&, int);

}  // namespace studies::laser
