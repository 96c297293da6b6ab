// SPDX-License-Identifier: BSD-3-Clause
#include "../bindings.hpp"
#include "../gil.hpp"
#include "../observer.hpp"
#include "../read_option.hpp"
#include "problem.hpp"
#include "quoin/robots/planning/ilqr.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace quoin::python {

void bind_feedback(py::module_& module);
void bind_output_tracking(py::module_& module);
void bind_tracking(py::module_& module);

namespace {

using namespace planning;
using namespace py::literals;

IlqrMultipliers multipliers_of(const py::dict& dict) {
  IlqrMultipliers multipliers;
  for (const py::handle one : dict["constraints"].cast<py::list>())
    multipliers.constraints.push_back(any_vector(one, "multipliers.constraints"));
  const auto bounds = [&](const char* name) -> Eigen::MatrixXd {
    if (dict[name].is_none()) return {};
    return matrix_from(dict[name], -1, -1, name).transpose();
  };
  multipliers.lower_state = bounds("lower_state");
  multipliers.upper_state = bounds("upper_state");
  multipliers.penalty = option<double>(dict, "penalty");
  return multipliers;
}

py::dict dict_of(IlqrMultipliers multipliers) {
  py::list constraints;
  for (const Eigen::VectorXd& one : multipliers.constraints) constraints.append(array_of(one));
  const auto bounds = [](Eigen::MatrixXd matrix) -> py::object {
    if (matrix.size() == 0) return py::none();
    return array_of_points(std::move(matrix));
  };
  return py::dict("constraints"_a = constraints, "lower_state"_a = bounds(std::move(multipliers.lower_state)),
                  "upper_state"_a = bounds(std::move(multipliers.upper_state)), "penalty"_a = multipliers.penalty);
}

IlqrOptions ilqr_options_of(const py::dict& dict) {
  IlqrOptions options;
  read(dict, "max_iterations", options.max_iterations);
  read(dict, "relative_tolerance", options.relative_tolerance);
  read(dict, "gradient_tolerance", options.gradient_tolerance);
  read(dict, "constraint_tolerance", options.constraint_tolerance);
  read(dict, "max_line_search_steps", options.max_line_search_steps);
  read(dict, "sufficient_decrease", options.sufficient_decrease);
  read(dict, "initial_regularization", options.initial_regularization);
  read(dict, "min_regularization", options.min_regularization);
  read(dict, "max_regularization", options.max_regularization);
  read(dict, "initial_penalty", options.initial_penalty);
  read(dict, "penalty_factor", options.penalty_factor);
  read(dict, "max_penalty", options.max_penalty);
  read(dict, "max_outer_iterations", options.max_outer_iterations);
  read(dict, "derivatives_in_trial", options.derivatives_in_trial);
  read(dict, "exact_hessians", options.exact_hessians);
  read(dict, "check_curvature", options.check_curvature);
  read(dict, "explore_saddle", options.explore_saddle);
  read(dict, "grow_horizon", options.grow_horizon);
  read(dict, "curvature_tolerance", options.curvature_tolerance);
  read(dict, "threads", options.threads);
  if (!dict["multipliers"].is_none()) options.multipliers = multipliers_of(dict["multipliers"]);
  return options;
}

py::tuple tuple_of(const IlqrIteration& it) {
  return py::make_tuple(it.iteration, it.outer, it.cost, it.merit, it.violation, it.projected_gradient,
                        it.expected_decrease, it.step, it.regularization, it.dynamics_calls, it.derivative_calls);
}

py::dict dict_of(IlqrResult result) {
  const Eigen::Index m = result.trajectory.controls.rows(), n = result.trajectory.states.rows();
  py::list log;
  for (const IlqrIteration& iteration : result.log) log.append(tuple_of(iteration));
  return py::dict(
      "states"_a = array_of_points(std::move(result.trajectory.states)),
      "controls"_a = array_of_points(std::move(result.trajectory.controls)), "cost"_a = result.trajectory.cost,
      "stop"_a = static_cast<int>(result.stop), "iterations"_a = result.iterations, "violation"_a = result.violation,
      "projected_gradient"_a = result.projected_gradient, "failed_step"_a = result.failed_step,
      "failed_status"_a = static_cast<int>(result.failed_status), "dynamics_calls"_a = result.dynamics_calls,
      "derivative_calls"_a = result.derivative_calls, "multipliers"_a = dict_of(std::move(result.multipliers)),
      "gains"_a = stacked(result.gains, m, n), "log"_a = log);
}

py::dict solved(const std::shared_ptr<Dynamics>& dynamics, const py::object& guess, const py::dict& dict) {
  const Problem problem = problem_of(dynamics, dict);
  const Eigen::MatrixXd controls = points_from(guess, dynamics->control_size(), "guess");
  IlqrOptions options = ilqr_options_of(dict);
  options.observer = [observer = Observer(dict["observer"])](const IlqrIteration& iteration, const Trajectory& at) {
    return observer(
        [&] { return std::make_tuple(tuple_of(iteration), array_of_points(at.states), array_of_points(at.controls)); });
  };
  IlqrResult result;
  {
    const WithoutGil release;
    result = ilqr(problem, controls, options);
  }
  return dict_of(std::move(result));
}

// (cost, violation, failed_step, status, states, gradient (K, m) or None)
py::tuple judged(const std::shared_ptr<Dynamics>& dynamics, const py::object& controls, const py::dict& dict,
                 bool gradient) {
  const Problem problem = problem_of(dynamics, dict);
  const Eigen::MatrixXd u = points_from(controls, dynamics->control_size(), "controls");
  CostGradient found;
  {
    const WithoutGil release;
    if (gradient)
      found = cost_gradient(problem, u);
    else
      found.rollout = roll_out(problem, u);
  }
  const Rollout& rollout = found.rollout;
  const py::object slope = found.gradient.size() > 0 ? py::object(array_of_points(found.gradient)) : py::none();
  return py::make_tuple(rollout.trajectory.cost, rollout.violation, rollout.failed_step,
                        static_cast<int>(rollout.status), array_of_points(rollout.trajectory.states), slope);
}

}  // namespace

void bind_planning(py::module_& m) {
  m.def("ilqr", &solved, py::arg("dynamics"), py::arg("guess"), py::arg("options"));
  m.def("judge", &judged, py::arg("dynamics"), py::arg("controls"), py::arg("options"), py::arg("gradient"));
  bind_output_tracking(m);
  bind_feedback(m);
  bind_tracking(m);
}

}  // namespace quoin::python
