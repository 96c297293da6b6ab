// SPDX-License-Identifier: BSD-3-Clause
// Where errors that may cancel at the centre of a cell are measured if it has no coarser one around it.
#pragma once

#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/query/axis_errors.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quoin::grid_detail {

/// Where only derivatives along one axis each leave room: the centre of the cell, and the middle of an edge along each
/// axis but one, whose error is what the others leave of that at the centre. Otherwise the middles of an edge or face
/// along any axes. On lines of even number: neighbouring cells have the same.
template <int Dim>
class EdgeMiddles {
 public:
  /// room: AxisErrors::room of the cell; of edges the axis that has least is left out.
  EdgeMiddles(const Eigen::MatrixXd& room, const WeightedNorm& norm) : has_room_(Eigen::VectorXd::Zero(room.rows())) {
    for (Eigen::Index part = 0; part < room.cols(); ++part)
      for (Eigen::Index row = 0; row < room.rows(); ++row)
        if (room(row, part) > 0) {
          has_room_[row] = 1;
          faces_ = faces_ || part >= Dim;
        }
    int left_out = 0;
    for (int axis = 1; axis < Dim; ++axis)
      if (norm(room.col(axis)) < norm(room.col(left_out))) left_out = axis;
    for (unsigned axes = all; axes > 0; --axes) {
      const bool is_edge = (axes & (axes - 1)) == 0;
      if (faces_ ? axes != all : axes == all || (is_edge && axes != 1u << left_out)) axes_.push_back(axes);
    }
  }

  /// Of the points, corners of the next level.
  std::vector<Address<Dim>> addresses(const Lattice<Dim>& lattice, int level, const Address<Dim>& lower) const {
    const std::int64_t stride = lattice.stride(level), half = lattice.stride(level + 1);
    std::vector<Address<Dim>> addresses;
    for (const unsigned axes : axes_) {
      Address<Dim> at = lower;
      for (unsigned k = 0; k < Dim; ++k) at[k] += axes >> k & 1 ? half : at[k] & stride;
      addresses.push_back(lattice.wrapped(at));
    }
    return addresses;
  }

  /// The largest error of each output, from what f is above the interpolant at these points; 0 of outputs that leave no
  /// room.
  Eigen::VectorXd largest(const std::vector<Eigen::VectorXd>& differences) const {
    const Eigen::Index rows = has_room_.size();
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(rows);
    if (faces_) {
      for (const Eigen::VectorXd& difference : differences)
        for (Eigen::Index i = 0; i < rows; ++i) largest[i] = std::max(largest[i], std::abs(difference[i]));
    } else {
      Eigen::MatrixXd errors(rows, Dim);
      errors.col(0) = differences[0];  // at the centre
      for (std::size_t p = 1; p < differences.size(); ++p) {
        errors.col(static_cast<Eigen::Index>(p)) = differences[p];
        errors.col(0) -= differences[p];
      }
      largest = AxisErrors<Dim>::largest(errors);
    }
    for (Eigen::Index i = 0; i < rows; ++i) largest[i] *= has_room_[i];
    return largest;
  }

 private:
  static constexpr unsigned all = (1u << Dim) - 1;

  Eigen::VectorXd has_room_;    // 1 for each output that leaves room, otherwise 0
  std::vector<unsigned> axes_;  // bits: along which the points lie in the middle
  bool faces_ = false;
};

}  // namespace quoin::grid_detail
