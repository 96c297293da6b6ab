// SPDX-License-Identifier: BSD-3-Clause
// Where the errors along axes of a cell are measured that has no coarser one around it.
#pragma once

#include "quoin/core/point.hpp"
#include "quoin/core/weighted_norm.hpp"
#include "quoin/grid/detail/lattice.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quoin::grid_detail {

/// The centre of the cell, and the middle of an edge along each axis but one, whose error is what the others leave of
/// that at the centre. Edges on lines of even number: neighbouring cells have the same.
template <int Dim>
class EdgeMiddles {
 public:
  /// room: AxisErrors::room of the cell; the axis that has least is left out.
  EdgeMiddles(const Eigen::ArrayXXd& room, const WeightedNorm& norm)
      : sums_((room.rowwise().sum() > 0).template cast<double>()) {
    for (int axis = 1; axis < Dim; ++axis)
      if (norm(room.col(axis).matrix()) < norm(room.col(left_out_).matrix())) left_out_ = axis;
  }

  /// Of the points, corners of the next level.
  std::vector<Address<Dim>> addresses(const Lattice<Dim>& lattice, int level, const Address<Dim>& lower) const {
    const std::int64_t stride = lattice.stride(level), half = lattice.stride(level + 1);
    std::vector<Address<Dim>> addresses;
    for (int axis = -1; axis < Dim; ++axis) {  // the centre first
      if (axis == left_out_) continue;
      Address<Dim> at = lower;
      for (int k = 0; k < Dim; ++k) {
        std::int64_t& i = at[static_cast<std::size_t>(k)];
        i += axis < 0 || k == axis ? half : i & stride;
      }
      addresses.push_back(at);
    }
    return addresses;
  }

  /// The errors of each output along each axis (rows x Dim), from what f is above the interpolant at these points; of
  /// outputs that leave no room, 0.
  Eigen::ArrayXXd errors(const std::vector<Eigen::ArrayXd>& differences) const {
    Eigen::ArrayXXd errors(sums_.size(), Dim);
    errors.col(left_out_) = differences[0] * sums_;
    for (int axis = 0, p = 1; axis < Dim; ++axis) {
      if (axis == left_out_) continue;
      errors.col(axis) = differences[static_cast<std::size_t>(p++)] * sums_;
      errors.col(left_out_) -= errors.col(axis);
    }
    return errors;
  }

 private:
  Eigen::ArrayXd sums_;  // 1 for each output that leaves room, otherwise 0
  int left_out_ = 0;
};

}  // namespace quoin::grid_detail
