// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "equilibrium_search.hpp"

namespace quoin::soft_arm {

/// The Taylor polynomial of order 2 or 3 at an equilibrium for which w holds x, the factorized Hessian and the tangent.
/// With E's own Taylor series around it, H x_g = -R_g(x_1, ..., x_{g-1}), one degree g after the other.
template <int D>
std::shared_ptr<const BranchTaylor> branch_taylor(const SoftArm<D>& arm, SearchWorkspace& w,
                                                  const Point<line_count<D>>& alpha, int order);

/// Its plain derivatives from degree 2 on, up to the number of columns: N + lines rows.
template <int D>
void higher_derivatives(const SoftArm<D>& arm, const BranchTaylor& taylor, Eigen::Ref<Eigen::MatrixXd> derivatives);

}  // namespace quoin::soft_arm
