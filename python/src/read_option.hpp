// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

namespace quoin::python {

namespace py = pybind11;

/// None in the dictionary leaves the library's own default.
template <class Value>
void read(const py::dict& dict, const char* name, Value& value) {
  if (!dict[name].is_none()) value = dict[name].cast<Value>();
}

}  // namespace quoin::python
