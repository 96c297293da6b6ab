// SPDX-License-Identifier: BSD-3-Clause
// Matrices as arrays of their shape, and points (dim x M) as arrays (M, dim).
#pragma once

#include "arrays.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::python {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// (rows, cols)
inline py::array_t<double> array_of_matrix(Eigen::MatrixXd matrix) {
  const Eigen::Index rows = matrix.rows(), cols = matrix.cols();
  return owning_array(std::move(matrix), {rows, cols}, {1, rows});
}

/// (M, dim) of points dim x M
inline py::array_t<double> array_of_points(Eigen::MatrixXd points) {
  const Eigen::Index dim = points.rows(), count = points.cols();
  return owning_array(std::move(points), {count, dim}, {dim, 1});
}

/// The numbers of an array (rows, cols). Negative: any number. Throws ValueError for another shape.
inline Eigen::MatrixXd matrix_from(py::handle object, Eigen::Index rows, Eigen::Index cols, const char* what) {
  const auto array = as_doubles(object, what);
  const auto text = [](Eigen::Index size) { return size < 0 ? std::string("any") : std::to_string(size); };
  if (array.ndim() != 2 || (rows >= 0 && array.shape(0) != rows) || (cols >= 0 && array.shape(1) != cols))
    throw std::invalid_argument(std::string(what) + ": shape " + shape_of(array) + ", expected (" + text(rows) + ", " +
                                text(cols) + ")");
  return Eigen::Map<const RowMatrix>(array.data(), array.shape(0), array.shape(1));
}

/// The points dim x M of an array (M, dim). Throws ValueError for another shape.
inline Eigen::MatrixXd points_from(py::handle object, Eigen::Index dim, const char* what) {
  return matrix_from(object, -1, dim, what).transpose();
}

/// The numbers of an array (N,) of any size; empty for None.
inline Eigen::VectorXd any_vector(py::handle object, const char* what) {
  if (object.is_none()) return {};
  const auto array = as_doubles(object, what);
  if (array.ndim() != 1)
    throw std::invalid_argument(std::string(what) + ": shape " + shape_of(array) + ", expected (N,)");
  return Eigen::Map<const Eigen::VectorXd>(array.data(), array.shape(0));
}

}  // namespace quoin::python
