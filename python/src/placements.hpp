// SPDX-License-Identifier: BSD-3-Clause
// Poses as arrays (4, 4), and many as arrays (M, 4, 4).
#pragma once

#include "matrices.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::python {

/// Throws ValueError for another shape, or another last row than (0, 0, 0, 1).
inline Eigen::Isometry3d placement_of(py::handle object, const char* what = "placement") {
  const Eigen::MatrixXd matrix = matrix_from(object, 4, 4, what);
  if (matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    throw std::invalid_argument(std::string(what) + ": its last row is not (0, 0, 0, 1)");
  Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();
  placement.matrix() = matrix;
  return placement;
}

inline py::array_t<double> array_of_placements(const std::vector<Eigen::Isometry3d>& placements) {
  auto array = new_array({static_cast<py::ssize_t>(placements.size()), 4, 4});
  double* to = array.mutable_data();
  for (const Eigen::Isometry3d& placement : placements) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>{to} = placement.matrix();
    to += 16;
  }
  return array;
}

}  // namespace quoin::python
