// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

namespace quoin {

/// How a step of dynamics over a map is differentiated. The step contains first derivatives of the map, so that its own
/// derivative contains second ones. Each model documents its default.
enum class StepDerivative {
  exact,        ///< takes second derivatives by differences of the map's Jacobian: two further queries for each input
  gauss_newton  ///< drops them: no further queries; exact at rest, not in motion
};

}  // namespace quoin
