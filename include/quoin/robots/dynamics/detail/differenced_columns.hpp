// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

namespace quoin::detail {

/// The columns k of dr/dz for the first `count` entries of z, by differences of r over 2 h, one-sided where r has no
/// value on one side. Where the two slopes differ by more than a thousandth of `scale` a cell face of a surrogate lies
/// in between, whose jump the larger one contains: the smaller is taken. residual(z, r): StepStatus. here: r(z).
template <class Vector, class Residual, class Columns>
StepStatus differenced_columns(const Vector& z, const Vector& here, int count, double h, double scale,
                               const Residual& residual, Columns& columns) {
  for (int k = 0; k < count; ++k) {
    Vector slope[2];
    StepStatus status[2];
    for (int side = 0; side < 2; ++side) {
      const double signed_h = side == 0 ? h : -h;
      Vector point = z;
      point[k] += signed_h;
      status[side] = residual(point, slope[side]);
      if (status[side] == StepStatus::ok) slope[side] = ((slope[side] - here) / signed_h).eval();
    }
    if (status[0] != StepStatus::ok && status[1] != StepStatus::ok) return status[0];
    if (status[0] != StepStatus::ok || status[1] != StepStatus::ok) {
      columns.col(k) = slope[status[0] == StepStatus::ok ? 0 : 1];
    } else if ((slope[0] - slope[1]).template lpNorm<Eigen::Infinity>() > 1e-3 * scale) {
      columns.col(k) = slope[slope[0].squaredNorm() <= slope[1].squaredNorm() ? 0 : 1];
    } else {
      columns.col(k) = (slope[0] + slope[1]) / 2;
    }
  }
  return StepStatus::ok;
}

}  // namespace quoin::detail
