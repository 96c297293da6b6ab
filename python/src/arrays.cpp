// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include "quoin/util/to_text.hpp"

#include <memory>
#include <stdexcept>

namespace quoin::python {

namespace {
// Also in a list, from which an array would be made without the mask.
bool is_masked(py::handle object, int depth = 0) {
  static const py::handle masked = py::object(py::module_::import("numpy.ma").attr("MaskedArray")).release();
  if (depth < 8 && (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()))) {
    for (const py::handle part : py::reinterpret_borrow<py::sequence>(object))
      if (!PyFloat_CheckExact(part.ptr()) && is_masked(part, depth + 1)) return true;
    return false;
  }
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(masked.ptr())) != 0;
}
}  // namespace

py::array_t<double> as_doubles(py::handle object, const char* what) {
  const auto& api = py::detail::npy_api::get();
  if (is_doubles(object) &&
      (py::detail::array_proxy(object.ptr())->flags & py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_) != 0)
    return py::reinterpret_borrow<py::array_t<double>>(object);
  if (is_masked(object))
    throw py::type_error(std::string(what) + ": a masked array: what is masked is no number; fill it");
  const auto array = py::reinterpret_steal<py::array>(
      api.PyArray_FromAny_(object.ptr(), nullptr, 0, 0, py::detail::npy_api::NPY_ARRAY_ENSUREARRAY_, nullptr));
  if (!array) throw py::error_already_set();
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw py::type_error(std::string(what) + ": an array of " + std::string(py::str(array.dtype())) +
                         ", expected real numbers");
  return py::array_t<double, py::array::c_style | py::array::forcecast>(array);
}

py::array_t<double> owning_array(Eigen::MatrixXd&& matrix, std::initializer_list<py::ssize_t> shape,
                                 std::initializer_list<py::ssize_t> strides) {
  auto owner = std::make_unique<Eigen::MatrixXd>(std::move(matrix));
  std::vector<py::ssize_t> bytes;
  for (const py::ssize_t stride : strides) bytes.push_back(stride * static_cast<py::ssize_t>(sizeof(double)));
  double* data = owner->data();
  const py::capsule base(owner.get(), [](void* held) { delete static_cast<Eigen::MatrixXd*>(held); });
  owner.release();
  return {std::vector<py::ssize_t>(shape), bytes, data, base};
}

std::string shape_of(const py::array& array) { return py::str(array.attr("shape")); }

Eigen::VectorXd vector_of(py::handle object, Eigen::Index size, const char* what) {
  const auto array = as_doubles(object, what);
  if (array.ndim() != 1 || array.shape(0) != size)
    throw std::invalid_argument(std::string(what) + ": shape " + shape_of(array) + ", expected (" + to_text(size) +
                                ",)");
  return Eigen::Map<const Eigen::VectorXd>(array.data(), size);
}

Eigen::Map<const Eigen::MatrixXd> matrix_of(const py::array_t<double>& array, Eigen::Index columns, const char* what) {
  if (array.ndim() != 2 || array.shape(1) != columns)
    throw std::invalid_argument(std::string(what) + ": shape " + shape_of(array) + ", expected (M, " +
                                to_text(columns) + ")");
  return {array.data(), columns, array.shape(0)};
}

}  // namespace quoin::python
