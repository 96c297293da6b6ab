// SPDX-License-Identifier: BSD-3-Clause
// The queries of Python's Map as functions of the C API: what pybind11 needs to find a function costs more than the query.
#pragma once

#include <Python.h>

namespace quoin::python {

/// map(x)
PyObject* call_map(PyObject* self, PyObject* args, PyObject* keywords) noexcept;
/// Methods of one array.
PyObject* value_and_jacobian(PyObject* self, PyObject* x) noexcept;
PyObject* query(PyObject* self, PyObject* x) noexcept;
PyObject* second_derivatives(PyObject* self, PyObject* x) noexcept;
/// Methods of two.
PyObject* jvp(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept;
PyObject* vjp(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept;

}  // namespace quoin::python
