// SPDX-License-Identifier: BSD-3-Clause
// What the files of the soft arm's bindings share. Classes of an arm in the plane end in 2, of one in space in 3.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace quoin::python {

namespace py = pybind11;

void bind_arm_meshes(py::module_& module);
void bind_statics(py::module_& module);
void bind_full_dynamics(py::module_& module);
void bind_arm_on_grid(py::module_& module);

template <int SpaceDim>
std::string in_space(const char* name) {
  return name + std::to_string(SpaceDim);
}

}  // namespace quoin::python
