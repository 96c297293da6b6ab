// SPDX-License-Identifier: BSD-3-Clause
// Options as Python gives them, by name.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>

namespace quoin::python {

namespace py = pybind11;

/// A number of the dictionary. Throws TypeError, with its name, for what is none.
template <class Value>
Value option(const py::dict& dict, const char* name) {
  const py::object given = dict[name];
  try {
    return given.cast<Value>();
  } catch (const py::cast_error&) {
    constexpr bool truth = std::is_same_v<Value, bool>, whole = std::is_integral_v<Value>;
    throw py::type_error(std::string(name) + " = " + py::repr(given).cast<std::string>() + ": expected " +
                         (truth   ? "True or False"
                          : whole ? "a whole number"
                                  : "a number"));
  }
}

/// The same; None leaves the library's own default.
template <class Value>
void read(const py::dict& dict, const char* name, Value& value) {
  if (!dict[name].is_none()) value = option<Value>(dict, name);
}

}  // namespace quoin::python
