// SPDX-License-Identifier: BSD-3-Clause
// What each file of bindings adds to the module quoin._core; module.cpp calls them all.
#pragma once

#include <pybind11/pybind11.h>

namespace quoin::python {

void bind_map(pybind11::module_& module);
void bind_grid(pybind11::module_& module);
void bind_request(pybind11::module_& module);
void bind_timing(pybind11::module_& module);
void bind_storage(pybind11::module_& module);
void bind_workers(pybind11::module_& module);
void bind_kernel(pybind11::module_& module);
void bind_functions(pybind11::module_& module);
void bind_derived_maps(pybind11::module_& module);
void bind_choosing(pybind11::module_& module);
void bind_dynamics(pybind11::module_& module);
void bind_reduced_dynamics(pybind11::module_& module);

// Of parts, which are there where their components are built.
void bind_soft_arm(pybind11::module_& module);
void bind_planning(pybind11::module_& module);
void bind_aico(pybind11::module_& module);
void bind_collocation(pybind11::module_& module);
void bind_rigid_body(pybind11::module_& module);
void bind_identification(pybind11::module_& module);
void bind_topology(pybind11::module_& module);
void bind_fluidic_arm(pybind11::module_& module);
void bind_swimmer(pybind11::module_& module);

}  // namespace quoin::python
