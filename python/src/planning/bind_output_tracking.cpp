// SPDX-License-Identifier: BSD-3-Clause
#include "../gil.hpp"
#include "../linear_system.hpp"
#include "quoin/robots/planning/output_tracking.hpp"

namespace quoin::python {

void bind_output_tracking(py::module_& module);

namespace {

// (inputs, outputs, largest_error)
py::tuple tracked(const py::tuple& system, const py::object& wanted, double lower, double upper, double smoothing) {
  const LinearSystem sampled = system_of(system);
  const Eigen::VectorXd profile = any_vector(wanted, "wanted");
  planning::OutputTracking found;
  {
    const WithoutGil release;
    found = planning::track_output(sampled, profile, lower, upper, smoothing);
  }
  return py::make_tuple(array_of(found.inputs), array_of(found.outputs), found.largest_error);
}

}  // namespace

void bind_output_tracking(py::module_& m) {
  m.def("track_output", &tracked, py::arg("system"), py::arg("wanted"), py::arg("lower"), py::arg("upper"),
        py::arg("smoothing"));
}

}  // namespace quoin::python
