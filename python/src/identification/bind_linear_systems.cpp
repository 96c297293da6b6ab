// SPDX-License-Identifier: BSD-3-Clause
// Linear systems: samples of them, simulations, and the fit to a recording.
#include "../gil.hpp"
#include "../linear_system.hpp"
#include "../read_option.hpp"
#include "quoin/robots/identification/continuous_system.hpp"
#include "quoin/robots/identification/linear_system_fit.hpp"

#include <utility>

namespace quoin::python {

void bind_linear_systems(py::module_& module);

namespace {

using namespace identification;
using namespace py::literals;

py::tuple tuple_of(const LinearSystem& system) {
  return py::make_tuple(array_of_matrix(system.A), array_of_matrix(system.B), array_of_matrix(system.C),
                        array_of_matrix(system.D), system.time_step);
}

py::object continuous(const py::tuple& fields) {
  const auto found = continuous_of(system_of(fields));
  return found ? py::object(tuple_of(*found)) : py::none();
}

py::array_t<double> simulated_system(const py::tuple& fields, const py::object& inputs, const py::object& start) {
  return array_of_points(simulate(system_of(fields), points_from(inputs, -1, "inputs"), any_vector(start, "start")));
}

py::dict fitted_system(const py::object& inputs, const py::object& outputs, double time_step, const py::dict& dict) {
  LinearSystemFitOptions options;
  read(dict, "order", options.order);
  read(dict, "direct", options.direct);
  read(dict, "estimate_initial_state", options.estimate_initial_state);
  read(dict, "max_iterations", options.max_iterations);
  const Eigen::MatrixXd u = points_from(inputs, 1, "inputs"), y = points_from(outputs, 1, "outputs");
  LinearSystemFit fit;
  {
    const WithoutGil release;
    fit = fit_linear_system(u, y, time_step, options);
  }
  return py::dict("system"_a = tuple_of(fit.system), "initial_state"_a = array_of(fit.initial_state), "fit"_a = fit.fit,
                  "arx"_a = tuple_of(fit.arx), "arx_fit"_a = fit.arx_fit, "stop"_a = static_cast<int>(fit.stop),
                  "iterations"_a = fit.iterations);
}

}  // namespace

void bind_linear_systems(py::module_& m) {
  m.def("discretized", [](const py::tuple& system, double time_step, bool first_order) {
    return tuple_of(discretized(system_of(system), time_step, first_order ? Hold::first_order : Hold::zero_order));
  });
  m.def("held_state_shift", [](const py::tuple& system, double time_step) {
    return array_of_matrix(held_state_shift(system_of(system), time_step));
  });
  m.def("continuous_of", &continuous, py::arg("system"));
  m.def("simulate", &simulated_system, py::arg("system"), py::arg("inputs"), py::arg("start"));
  m.def("fit_linear_system", &fitted_system, py::arg("inputs"), py::arg("outputs"), py::arg("time_step"),
        py::arg("options"));
  m.def("fit_percentage", [](const py::object& measured, const py::object& predicted) {
    return fit_percentage(points_from(measured, -1, "measured"), points_from(predicted, -1, "predicted"));
  });
}

}  // namespace quoin::python
