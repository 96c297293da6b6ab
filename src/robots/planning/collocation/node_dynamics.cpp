// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/node_dynamics.hpp"

namespace quoin::planning {

StepStatus NodeDynamics::solve(const Vector& x, const Vector& u, Vector& w, NodeEquation& room) const {
  w.setZero(rate_size);
  if (explicit_rate) {
    const StepStatus status = value(x, w, u, room);
    if (status != StepStatus::ok) return status;
    w = -room.r;
    return w.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }
  // r is affine in w: one step of Newton's method is exact.
  const StepStatus status = derivatives(x, w, u, room);
  if (status != StepStatus::ok) return status;
  if (!room.dw.allFinite()) return StepStatus::not_converged;
  room.factors.compute(room.dw);
  w = room.factors.solve(room.r);
  w *= -1;
  return w.allFinite() ? StepStatus::ok : StepStatus::singular;
}

}  // namespace quoin::planning
