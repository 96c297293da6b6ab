// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"

namespace quoin {

/// The outcome of one evaluation of dynamics: a step, or a rate of change.
enum class StepStatus {
  ok,
  outside_domain,  ///< the next state leaves the domain of the map under the dynamics
  map_failed,      ///< the map under the dynamics has no answer where the step needs it
  not_converged,   ///< the step's equations were not solved to their tolerance
  singular         ///< the reduced mass (or the step's Jacobian) is singular
};

constexpr const char* to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok: return "ok";
    case StepStatus::outside_domain: return "outside domain";
    case StepStatus::map_failed: return "map failed";
    case StepStatus::not_converged: return "not converged";
    case StepStatus::singular: return "singular";
  }
  return "unknown";
}

/// The status that an answer of the map under the dynamics implies: `ok` wherever it has a value.
constexpr StepStatus status_of(const Answer& answer) {
  if (answer.has_value()) return StepStatus::ok;
  return answer.trust == Trust::outside ? StepStatus::outside_domain : StepStatus::map_failed;
}

}  // namespace quoin
