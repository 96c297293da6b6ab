// SPDX-License-Identifier: BSD-3-Clause
// numpy's arrays and Eigen's matrices, without copies where the layouts allow. A C-contiguous array (M, dim) is Eigen's
// matrix dim x M.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <Eigen/Core>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

namespace quoin::python {

namespace py = pybind11;

/// True for an aligned array of doubles of this machine: its numbers can be read where they lie. Not for an array of a
/// subclass, which may have a mask.
inline bool is_doubles(py::handle object) {
  const auto& api = py::detail::npy_api::get();
  if (Py_TYPE(object.ptr()) != api.PyArray_Type_) return false;
  static const PyObject* doubles = api.PyArray_DescrFromType_(py::detail::npy_api::NPY_DOUBLE_);
  const auto* array = py::detail::array_proxy(object.ptr());
  return array->descr == doubles && (array->flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

/// A C-contiguous array of doubles with these numbers: the object itself, if it is one. Throws TypeError for what is no
/// array of real numbers. what: names it in the message.
py::array_t<double> as_doubles(py::handle object, const char* what);

/// A new array of doubles, uninitialized. strides: in numbers.
inline py::array_t<double> new_array(std::initializer_list<py::ssize_t> shape,
                                     std::initializer_list<py::ssize_t> strides = {}) {
  const auto& api = py::detail::npy_api::get();
  Py_intptr_t dims[4], bytes[4];
  int n = 0, s = 0;
  for (const py::ssize_t size : shape) dims[n++] = size;
  for (const py::ssize_t stride : strides) bytes[s++] = stride * static_cast<py::ssize_t>(sizeof(double));
  PyObject* doubles = api.PyArray_DescrFromType_(py::detail::npy_api::NPY_DOUBLE_);
  PyObject* array =
      api.PyArray_NewFromDescr_(api.PyArray_Type_, doubles, n, dims, s ? bytes : nullptr, nullptr, 0, nullptr);
  if (!array) throw py::error_already_set();
  return py::reinterpret_steal<py::array_t<double>>(array);
}

/// An array that owns the matrix: no copy. shape, strides: as new_array.
py::array_t<double> owning_array(Eigen::MatrixXd&& matrix, std::initializer_list<py::ssize_t> shape,
                                 std::initializer_list<py::ssize_t> strides);

/// The shape of an array, as messages show it: "(3, 2)".
std::string shape_of(const py::array& array);

/// The numbers of a one-dimensional array of this size. Throws ValueError for another shape.
Eigen::VectorXd vector_of(py::handle object, Eigen::Index size, const char* what);

/// A two-dimensional array of this many columns as the matrix columns x rows, without a copy. Keep the array. Throws
/// ValueError for another shape.
Eigen::Map<const Eigen::MatrixXd> matrix_of(const py::array_t<double>& array, Eigen::Index columns, const char* what);

/// A copy as an array of the vector's size.
inline py::array_t<double> array_of(const Eigen::Ref<const Eigen::VectorXd>& vector) {
  auto array = new_array({vector.size()});
  Eigen::Map<Eigen::VectorXd>(array.mutable_data(), vector.size()) = vector;
  return array;
}

}  // namespace quoin::python
