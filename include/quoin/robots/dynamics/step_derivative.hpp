// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

namespace quoin {

/// How a step of dynamics over a map is differentiated. The step contains first derivatives of the map, so that its own
/// derivative contains second ones. Each model documents its default.
enum class StepDerivative {
  exact,        ///< takes the second derivatives of a TwiceDifferentiableMap, where a model says so, and those of any
                ///< other by differences of its Jacobian: two further queries for each input
  gauss_newton  ///< drops them: no further queries; exact at rest, not in motion
};

}  // namespace quoin
