// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/multi_index.hpp"

#include <Eigen/Core>

namespace quoin {

/// What InertialDynamics takes of the map alpha -> [W; Kq; T1; T2], in this order:
///
///     W    coordinates x modes, a column after the other: the inertial shapes
///     Kq   modes (modes + 1) / 2: the upper triangle of W^T K W, by second_derivative_index
///     T1   for each line l, lines (lines + 1) / 2: the upper triangle of F0 J^T H_l J
///     T2   for each line l, lines x modes, a column after the other: F0 J^T H_l W
struct InertialOutputs {
  Eigen::Index coordinates;  ///< r, of a shape
  int lines, modes;          ///< d and m

  int pairs() const { return second_derivative_count(lines); }
  Eigen::Index stiffness() const { return coordinates * modes; }                        ///< where Kq begins
  Eigen::Index along() const { return stiffness() + second_derivative_count(modes); }   ///< where T1 begins
  Eigen::Index across() const { return along() + Eigen::Index{lines} * pairs(); }       ///< where T2 begins
  Eigen::Index size() const { return across() + Eigen::Index{lines} * lines * modes; }  ///< of all outputs
  Eigen::Index terms() const { return size() - stiffness(); }                           ///< of Kq, T1 and T2
};

}  // namespace quoin
