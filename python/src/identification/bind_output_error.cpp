// SPDX-License-Identifier: BSD-3-Clause
// Parameters of simulations from measured outputs, and what the outputs do not tell.
#include "../gil.hpp"
#include "../held_function.hpp"
#include "../matrices.hpp"
#include "../python_error.hpp"
#include "../read_option.hpp"
#include "quoin/robots/identification/output_error.hpp"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace quoin::python {

void bind_output_error(py::module_& module);

namespace {

using namespace identification;
using namespace py::literals;

// fields: (name, initial, lower, upper, scale, spread)
OutputErrorParameter parameter_of(const py::tuple& fields) {
  return {.name = fields[0].cast<std::string>(),
          .initial = fields[1].cast<double>(),
          .lower = fields[2].cast<double>(),
          .upper = fields[3].cast<double>(),
          .scale = fields[4].cast<double>(),
          .spread = fields[5].cast<double>()};
}

OutputErrorOptions output_error_options_of(const py::dict& dict) {
  OutputErrorOptions options;
  read(dict, "block_size", options.block_size);
  options.criterion = static_cast<OutputErrorCriterion>(option<int>(dict, "criterion"));
  read(dict, "starts", options.starts);
  read(dict, "seed", options.seed);
  read(dict, "max_iterations", options.max_iterations);
  read(dict, "relative_tolerance", options.relative_tolerance);
  read(dict, "smoothing", options.smoothing);
  read(dict, "initial_damping", options.initial_damping);
  read(dict, "check_curvature", options.check_curvature);
  read(dict, "max_damping", options.max_damping);
  read(dict, "weak_threshold", options.weak_threshold);
  read(dict, "resamples", options.resamples);
  return options;
}

/// call(p, derivatives) answers None, (Y,) or (Y, dY_dp), (frames, rows) and (frames rows, parameters), checked by
/// quoin.identification.
OutputPrediction prediction_of(const py::object& f) {
  return [call = HeldFunction(f)](const Eigen::VectorXd& p, Eigen::MatrixXd& Y, Eigen::MatrixXd* dY_dp) {
    const WithGil gil;
    throw_if_signalled();
    const py::object answer = call(array_of(p), dY_dp != nullptr);
    if (answer.is_none()) return false;
    const auto parts = answer.cast<py::tuple>();
    Y = points_from(parts[0], -1, "Y");
    if (dY_dp) read_matrix(parts[1], *dY_dp);
    return true;
  };
}

// (singular_values, directions by rows, [(relative singular value, components, sentence)])
py::tuple tuple_of(const ParameterIdentifiability& known) {
  py::list weak;
  for (const WeakDirection& one : known.weak)
    weak.append(py::make_tuple(one.relative_singular_value, array_of(one.components), one.sentence));
  return py::make_tuple(array_of(known.singular_values), array_of_points(known.directions), weak);
}

py::tuple tuple_of(const OutputErrorStart& start) {
  return py::make_tuple(array_of(start.initial), array_of(start.p), start.initial_norms, start.norms,
                        start.initial_squares, start.squares, static_cast<int>(start.stop), start.iterations,
                        start.log);
}

py::dict fitted_outputs(const std::vector<py::tuple>& fields, const py::object& prediction, const py::object& outputs,
                        const py::dict& dict) {
  std::vector<OutputErrorParameter> parameters;
  for (const py::tuple& one : fields) parameters.push_back(parameter_of(one));
  const OutputPrediction predict = prediction_of(prediction);
  const Eigen::MatrixXd measured = points_from(outputs, -1, "measured");
  const OutputErrorOptions options = output_error_options_of(dict);
  OutputErrorFit fit;
  {
    const WithoutGil release;
    fit = fit_output_error(parameters, predict, measured, options);
  }
  py::list starts;
  for (const OutputErrorStart& start : fit.starts) starts.append(tuple_of(start));
  return py::dict(
      "p"_a = array_of(fit.p), "initial_norms"_a = fit.initial_norms, "norms"_a = fit.norms, "squares"_a = fit.squares,
      "points"_a = fit.points, "residual_deviation"_a = fit.residual_deviation, "stop"_a = static_cast<int>(fit.stop),
      "iterations"_a = fit.iterations, "best_start"_a = fit.best_start, "starts"_a = starts,
      "predicted"_a = array_of_points(std::move(fit.predicted)), "identifiability"_a = tuple_of(fit.identifiability),
      "deviations"_a = array_of(fit.deviations), "margins"_a = array_of(fit.margins), "at_bounds"_a = fit.at_bounds,
      "predictions"_a = fit.predictions, "jacobians"_a = fit.jacobians);
}

py::tuple identifiability_of(const py::object& jacobian, const std::vector<std::string>& names,
                             const py::object& scales, const std::vector<bool>& held, double threshold) {
  const Eigen::MatrixXd J = matrix_from(jacobian, -1, -1, "jacobian");
  return tuple_of(parameter_identifiability(J, names, any_vector(scales, "scales"), held, threshold));
}

}  // namespace

void bind_output_error(py::module_& m) {
  m.def("fit_output_error", &fitted_outputs, py::arg("parameters"), py::arg("prediction"), py::arg("measured"),
        py::arg("options"));
  m.def("parameter_identifiability", &identifiability_of, py::arg("jacobian"), py::arg("names"), py::arg("scales"),
        py::arg("held"), py::arg("threshold"));
}

}  // namespace quoin::python
