// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/util/errors.hpp"

#include <utility>

namespace quoin {

/// What a call that may ask maps ends with: outside_domain for a DomainError, map_failed for a CornerFailure.
template <class Call>
StepStatus status_of_call(Call&& call) {
  try {
    std::forward<Call>(call)();
    return StepStatus::ok;
  } catch (const DomainError&) {
    return StepStatus::outside_domain;
  } catch (const CornerFailure&) {
    return StepStatus::map_failed;
  }
}

}  // namespace quoin
