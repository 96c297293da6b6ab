// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

namespace quoin {

/// How a step of dynamics over a map is differentiated. The step holds first derivatives of the map, so that its own
/// derivative holds second ones. Each model says which it takes unless it is told.
enum class StepDerivative {
  exact,        ///< takes second derivatives by differences of the map's Jacobian: two further queries for each input
  gauss_newton  ///< drops them: no further queries; exact at rest, not in motion
};

}  // namespace quoin
