// SPDX-License-Identifier: BSD-3-Clause
// Options as Python gives them, by name.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>

namespace quoin::python {

namespace py = pybind11;

/// Whether it is Python's True or False, or numpy's.
inline bool is_truth(py::handle given) {
  return PyBool_Check(given.ptr()) ||
         py::str(py::type::handle_of(given).attr("__name__")).cast<std::string>() == "bool_";
}

/// A number of the dictionary. Throws TypeError, with its name, for what is none; True and False are numbers of a bool
/// alone, and all that a bool takes.
template <class Value>
Value option(const py::dict& dict, const char* name) {
  const py::object given = dict[name];
  constexpr bool truth = std::is_same_v<Value, bool>, whole = std::is_integral_v<Value>;
  try {
    if (std::is_arithmetic_v<Value> && is_truth(given) != truth) throw py::cast_error();
    return given.cast<Value>();
  } catch (const py::cast_error&) {
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
