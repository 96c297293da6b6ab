// SPDX-License-Identifier: BSD-3-Clause
#include "../bindings.hpp"
#include "../gil.hpp"
#include "../observer.hpp"
#include "../planning/residuals.hpp"
#include "../read_option.hpp"
#include "ipopt.hpp"
#include "quoin/robots/planning/collocation/refinement.hpp"

#include <pybind11/stl.h>

#include <tuple>
#include <utility>

namespace quoin::python {

void bind_node_dynamics(py::module_& module);
void bind_transcription(py::module_& module);

namespace {

using namespace planning;
using namespace py::literals;

/// 1/2 |residuals|^2, and costs of Python's functions on top.
struct CostOf {
  Stacked residuals, costs;

  bool operator()(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double& cost, Eigen::VectorXd& dx,
                  Eigen::VectorXd& du) const {
    Eigen::VectorXd r;
    Eigen::MatrixXd r_x, r_u;
    if (!residuals.at_time(t, x, u, r, r_x, r_u)) return false;
    cost = 0.5 * r.squaredNorm();
    dx = r_x.transpose() * r;
    du = r_u.transpose() * r;
    if (!costs.at_time(t, x, u, r, r_x, r_u)) return false;
    cost += r.sum();
    dx += r_x.colwise().sum().transpose();
    du += r_u.colwise().sum().transpose();
    return true;
  }
  bool empty() const { return residuals.empty() && costs.empty(); }
};

/// Terms at the end, where there are no controls.
bool at_end(const Stacked& terms, const Eigen::VectorXd& x, Eigen::VectorXd& h, Eigen::MatrixXd& dx) {
  Eigen::MatrixXd none;
  return terms.at_time(0, x, Eigen::VectorXd(), h, dx, none);
}

CollocationProblem problem_of(const NodeDynamics& dynamics, const py::dict& dict) {
  const auto vector = [&](const char* name) { return any_vector(dict[name], name); };
  const auto terms = [&](const char* name) {
    return residuals_of(dict[name], dynamics.state_size, dynamics.control_size, 0);
  };
  CollocationProblem problem{.dynamics = dynamics,
                             .times = vector("times"),
                             .initial_state = vector("start"),
                             .lower_initial_state = vector("lower_start"),
                             .upper_initial_state = vector("upper_start"),
                             .initial_control = vector("start_control"),
                             .lower_state = vector("lower_state"),
                             .upper_state = vector("upper_state"),
                             .lower_control = vector("lower_control"),
                             .upper_control = vector("upper_control"),
                             .lower_path = vector("lower_path"),
                             .upper_path = vector("upper_path"),
                             .lower_boundary = vector("lower_boundary"),
                             .upper_boundary = vector("upper_boundary")};
  if (const CostOf running{terms("residuals"), terms("costs")}; !running.empty()) problem.running_cost = running;
  if (const CostOf final{terms("final_residuals"), terms("final_costs")}; !final.empty())
    problem.terminal_cost = [final](const Eigen::VectorXd& x, double& cost, Eigen::VectorXd& dx) {
      Eigen::VectorXd none;
      return final(0, x, Eigen::VectorXd(), cost, dx, none);
    };
  if (const Stacked path = terms("path"); !path.empty())
    problem.path = [path](double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& g,
                          Eigen::MatrixXd& dx, Eigen::MatrixXd& du) { return path.at_time(t, x, u, g, dx, du); };
  if (const Stacked boundary = terms("boundary"); !boundary.empty())
    problem.boundary = [boundary](const Eigen::VectorXd& x, Eigen::VectorXd& h, Eigen::MatrixXd& dx) {
      return at_end(boundary, x, h, dx);
    };
  return problem;
}

/// What quoin.planning.CollocationPlan holds of a plan or a guess.
CollocationPlan plan_of(const py::dict& dict) {
  CollocationPlan plan{.scheme = static_cast<CollocationScheme>(option<int>(dict, "scheme")),
                       .times = any_vector(dict["times"], "times"),
                       .states = points_from(dict["states"], -1, "states"),
                       .controls = points_from(dict["controls"], -1, "controls")};
  if (!dict["rates"].is_none()) plan.rates = points_from(dict["rates"], -1, "rates");
  if (!dict["multipliers"].is_none()) plan.multipliers = multipliers_of(dict["multipliers"]);
  return plan;
}

py::dict dict_of(CollocationPlan plan) {
  return py::dict(
      "scheme"_a = static_cast<int>(plan.scheme), "times"_a = array_of(plan.times),
      "states"_a = array_of_points(std::move(plan.states)), "controls"_a = array_of_points(std::move(plan.controls)),
      "rates"_a = array_of_points(std::move(plan.rates)), "cost"_a = plan.cost, "stop"_a = static_cast<int>(plan.stop),
      "iterations"_a = plan.iterations, "in_restoration"_a = plan.in_restoration, "residual"_a = plan.residual,
      "violation"_a = plan.violation, "interval_defects"_a = array_of(plan.interval_defects),
      "largest_defect"_a = plan.largest_defect, "multipliers"_a = dict_of_multipliers(plan.multipliers));
}

CollocationOptions collocation_options_of(const py::dict& dict) {
  CollocationOptions options{.scheme = static_cast<CollocationScheme>(option<int>(dict, "scheme")),
                             .ipopt = ipopt_of(dict),
                             .state_scale = any_vector(dict["state_scale"], "state_scale"),
                             .control_scale = any_vector(dict["control_scale"], "control_scale"),
                             .rate_scale = any_vector(dict["rate_scale"], "rate_scale"),
                             .dynamics_scale = any_vector(dict["dynamics_scale"], "dynamics_scale")};
  read(dict, "cost_scale", options.cost_scale);
  read(dict, "defect_substeps", options.defect_substeps);
  read(dict, "check_curvature", options.check_curvature);
  read(dict, "curvature_tolerance", options.curvature_tolerance);
  options.ipopt.observer = [observer = Observer(dict["observer"])](const optimization::NlpIteration& seen,
                                                                   const Eigen::VectorXd&) {
    return observer([&] { return std::make_tuple(tuple_of(seen)); });
  };
  return options;
}

// (stop, meshes, defects, stops of the solves, iterations)
py::tuple tuple_of_refined(const RefinedCollocation& refined) {
  py::list meshes, stops;
  for (const Eigen::VectorXd& mesh : refined.meshes) meshes.append(array_of(mesh));
  for (const auto stop : refined.nlp_stops) stops.append(static_cast<int>(stop));
  return py::make_tuple(static_cast<int>(refined.stop), meshes, refined.defects, stops, refined.iterations);
}

// guess: a plan's dictionary, or the final state of a straight guess. (plan, how it was refined or None)
py::tuple collocated(const NodeDynamics& dynamics, const py::object& guess, const py::dict& dict) {
  const CollocationProblem problem = problem_of(dynamics, dict);
  const bool is_plan = py::isinstance<py::dict>(guess);
  CollocationPlan start = is_plan ? plan_of(guess.cast<py::dict>()) : CollocationPlan{};
  const Eigen::VectorXd goal = is_plan ? Eigen::VectorXd() : vector_of(guess, dynamics.state_size, "guess");
  CollocationRefinementOptions refinement{.collocation = collocation_options_of(dict)};
  read(dict, "defect_tolerance", refinement.tolerance);
  read(dict, "max_solves", refinement.max_solves);
  read(dict, "max_intervals", refinement.max_intervals);
  read(dict, "max_split", refinement.max_split);
  const bool refine = !dict["defect_tolerance"].is_none();
  RefinedCollocation refined;
  {
    const WithoutGil release;
    if (!is_plan) start = straight_guess(problem, goal);
    if (refine)
      refined = collocation_refined(problem, start, refinement);
    else
      refined.plan = collocation(problem, start, refinement.collocation);
  }
  const py::object course = refine ? py::object(tuple_of_refined(refined)) : py::none();
  return py::make_tuple(dict_of(std::move(refined.plan)), course);
}

// (T, n) or (T, m)
py::array_t<double> plan_at(const py::dict& dict, const py::object& at, bool controls) {
  const CollocationPlan plan = plan_of(dict);
  const Eigen::VectorXd times = any_vector(at, "time");
  Eigen::MatrixXd values((controls ? plan.controls : plan.states).rows(), times.size());
  for (Eigen::Index i = 0; i < times.size(); ++i)
    values.col(i) = controls ? plan.control(times[i]) : plan.state(times[i]);
  return array_of_points(std::move(values));
}

// (times, states, status)
py::tuple replayed(const NodeDynamics& dynamics, const py::dict& dict, double step, const py::object& start) {
  const CollocationPlan plan = plan_of(dict);
  const Eigen::VectorXd from = any_vector(start, "start");
  CollocationReplay seen;
  {
    const WithoutGil release;
    seen = replay(dynamics, plan, step, from);
  }
  return py::make_tuple(array_of(seen.times), array_of_points(std::move(seen.states)), static_cast<int>(seen.status));
}

py::array_t<double> defects(const NodeDynamics& dynamics, const py::dict& dict, int substeps) {
  CollocationPlan plan = plan_of(dict);
  {
    const WithoutGil release;
    measure_defects(dynamics, plan, substeps);
  }
  return array_of(plan.interval_defects);
}

}  // namespace

void bind_collocation(py::module_& m) {
  bind_node_dynamics(m);
  bind_transcription(m);
  m.def("collocate", &collocated, py::arg("dynamics"), py::arg("guess"), py::arg("options"));
  m.def("plan_at", &plan_at, py::arg("plan"), py::arg("times"), py::arg("controls"));
  m.def("replay", &replayed, py::arg("dynamics"), py::arg("plan"), py::arg("step"), py::arg("start"));
  m.def("interval_defects", &defects, py::arg("dynamics"), py::arg("plan"), py::arg("substeps"));
}

}  // namespace quoin::python
