// SPDX-License-Identifier: BSD-3-Clause
#include "../bindings.hpp"
#include "../gil.hpp"
#include "../observer.hpp"
#include "../planning/problem.hpp"
#include "../read_option.hpp"
#include "quoin/robots/planning/aico/aico.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace quoin::python {

namespace {

using namespace planning;
using namespace py::literals;

AicoOptions aico_options_of(const py::dict& dict) {
  AicoOptions options;
  read(dict, "max_iterations", options.max_iterations);
  read(dict, "max_task_evaluations", options.max_task_evaluations);
  read(dict, "relative_tolerance", options.relative_tolerance);
  read(dict, "step_tolerance", options.step_tolerance);
  read(dict, "initial_damping", options.initial_damping);
  read(dict, "relinearizations", options.relinearizations);
  read(dict, "slice_threshold", options.slice_threshold);
  read(dict, "check_curvature", options.check_curvature);
  read(dict, "curvature_tolerance", options.curvature_tolerance);
  read(dict, "covariances", options.covariances);
  options.damping_weights = any_vector(dict["damping_weights"], "damping_weights");
  options.observer = [observer = Observer()](const AicoIteration&, const Eigen::MatrixXd&) {
    return observer([] { return std::make_tuple(); });
  };
  return options;
}

AicoProblem aico_problem_of(const std::shared_ptr<Dynamics>& dynamics, const py::dict& dict) {
  const Eigen::Index n = dynamics->state_size(), m = dynamics->control_size();
  const int horizon = option<int>(dict, "horizon");
  AicoProblem problem{.state_size = n,
                      .horizon = horizon,
                      .control_cost = matrix_from(dict["control_cost"], m, m, "control_cost"),
                      .initial_state = vector_of(dict["start"], n, "start"),
                      .dynamics = discrete_dynamics(DynamicsOf{dynamics})};
  if (!dict["start_covariance"].is_none())
    problem.initial_covariance = matrix_from(dict["start_covariance"], n, n, "start_covariance");
  problem.task = [residuals = residuals_of(dict["tasks"], n, 0, horizon)](int t, const Eigen::VectorXd& x,
                                                                          LocalTask& task) {
    Eigen::VectorXd e;
    Eigen::MatrixXd J, no_controls;
    if (!residuals.residual(t, x, Eigen::VectorXd(), e, J, no_controls)) return false;
    task.add(e, J, x);
    return true;
  };
  return problem;
}

py::dict solved_by_aico(const std::shared_ptr<Dynamics>& dynamics, const py::object& guess, const py::dict& dict) {
  const Eigen::Index n = dynamics->state_size(), m = dynamics->control_size();
  const AicoProblem problem = aico_problem_of(dynamics, dict);
  const Eigen::MatrixXd controls = points_from(guess, m, "guess");
  const AicoOptions options = aico_options_of(dict);
  AicoResult result;
  {
    const WithoutGil release;
    result = planning::aico(problem, controls, options);
  }
  return py::dict("states"_a = array_of_points(std::move(result.states)),
                  "controls"_a = array_of_points(std::move(result.controls)), "cost"_a = result.cost,
                  "control_cost"_a = result.control_cost,
                  "task_costs"_a = array_of(Eigen::Map<const Eigen::VectorXd>(
                      result.task_costs.data(), static_cast<Eigen::Index>(result.task_costs.size()))),
                  "gains"_a = stacked(result.gains, m, n), "covariances"_a = stacked(result.covariances, n, n),
                  "stop"_a = static_cast<int>(result.stop), "iterations"_a = result.iterations,
                  "failed_step"_a = result.failed_step, "failed_status"_a = static_cast<int>(result.failed_status),
                  "task_evaluations"_a = result.task_evaluations, "dynamics_calls"_a = result.dynamics_calls);
}

}  // namespace

void bind_aico(py::module_& m) {
  m.def("aico", &solved_by_aico, py::arg("dynamics"), py::arg("guess"), py::arg("options"));
}

}  // namespace quoin::python
