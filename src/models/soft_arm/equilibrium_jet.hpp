// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "equilibrium_search.hpp"

namespace quoin::soft_arm {

/// Derivatives of order 2 and, if order is 3, 3 at an equilibrium where w has x, the factorized Hessian and the tangent:
/// with E's Taylor polynomial around it, H x_g = -R_g(x_1, ..., x_{g-1}) for one degree g after the other.
template <int D>
HigherDerivatives higher_derivatives(const SoftArm<D>& arm, SearchWorkspace& w, const Point<line_count<D>>& alpha,
                                     int order);

}  // namespace quoin::soft_arm
