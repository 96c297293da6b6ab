// SPDX-License-Identifier: BSD-3-Clause
// Paths that outputs of reduced dynamics follow: the plan, and the loop that holds it.
#include "../dynamics.hpp"
#include "../gil.hpp"
#include "../map_of_dim.hpp"
#include "../matrices.hpp"
#include "../observer.hpp"
#include "../read_option.hpp"
#include "problem.hpp"
#include "quoin/robots/planning/tracking/line_lengths.hpp"
#include "quoin/robots/planning/tracking/tracking_loop.hpp"

#include <Eigen/Core>

#include <memory>
#include <utility>

namespace quoin::python {

void bind_tracking(py::module_& module);

namespace {

using namespace planning;
using namespace py::literals;

// From the dictionary that quoin.planning._tracking makes.
TrackingTask task_of(const py::dict& dict) {
  const std::shared_ptr<const Map> map = let_go_without_gil(map_of(dict["output"]).map);
  const std::shared_ptr<const Map> lengths = let_go_without_gil(map_of(dict["lengths"]).map);
  const AnyDynamics dynamics(DynamicsOf{dict["model"].cast<std::shared_ptr<Dynamics>>()});
  const Eigen::Index m = dynamics.control_size();
  if (map->dim() != m)
    throw std::invalid_argument("output: a map of " + std::to_string(map->dim()) + " variables, the model has " +
                                std::to_string(m) + " pulls");
  TrackingTask task{
      .body = {.dynamics = dynamics,
               .time_step = option<double>(dict, "time_step"),
               .outputs = map->output_size(),
               .output = [map](const Eigen::VectorXd& u, Eigen::VectorXd& y,
                               Eigen::MatrixXd& J) { map->evaluate(u.data(), y, J); },
               .try_output = [map](const Eigen::VectorXd& u, Eigen::VectorXd& y,
                                   Eigen::MatrixXd& J) { return map->try_evaluate(u.data(), y, J).has_value(); },
               .length_slopes =
                   [lengths](const Eigen::VectorXd& u, Eigen::MatrixXd& slopes) {
                     Eigen::VectorXd y;
                     return lengths->try_evaluate(u.data(), y, slopes).has_value();
                   }},
      .path = points_from(dict["path"], map->output_size(), "path"),
      .lower_control = vector_of(dict["lower"], m, "control[0]"),
      .upper_control = vector_of(dict["upper"], m, "control[1]"),
      .control_rate = any_vector(dict["control_rate"], "control_rate"),
      .smoothness = option<double>(dict, "smoothness")};
  if (!dict["accuracy"].is_none()) task.accuracy = option<double>(dict, "accuracy");
  return task;
}

// A plan of the task, as far as it is wanted to go on from.
TrackingPlan plan_of(const py::dict& task, const py::object& states, const py::object& controls) {
  TrackingPlan plan{.task = task_of(task), .target = {}, .states = {}, .controls = {}, .planned = {}};
  plan.states = points_from(states, plan.task.body.dynamics.state_size(), "states");
  plan.controls = points_from(controls, plan.task.body.dynamics.control_size(), "controls");
  return plan;
}

// solve(options) makes a plan, without the GIL; Ctrl-C ends it.
template <class Solve>
py::dict planned(int max_iterations, const Solve& solve) {
  IlqrOptions options{.max_iterations = max_iterations};
  options.observer = [observer = Observer()](const IlqrIteration&, const Trajectory&) {
    return observer([] { return std::tuple<>(); });
  };
  TrackingPlan plan;
  {
    const WithoutGil release;
    plan = solve(options);
  }
  return py::dict("accuracy"_a = *plan.task.accuracy, "target"_a = array_of_points(std::move(plan.target)),
                  "states"_a = array_of_points(std::move(plan.states)),
                  "controls"_a = array_of_points(std::move(plan.controls)),
                  "planned"_a = array_of_points(std::move(plan.planned)), "stop"_a = static_cast<int>(plan.stop),
                  "failed_status"_a = static_cast<int>(plan.failed_status), "message"_a = plan.message);
}

std::unique_ptr<TrackingLoop> loop_of(const py::dict& task, const py::object& states, const py::object& controls,
                                      const py::object& outputs, const py::dict& dict) {
  TrackingPlan plan = plan_of(task, states, controls);
  plan.planned = points_from(outputs, plan.task.body.outputs, "outputs");
  TrackingLoopOptions options{.control_weight = option<double>(dict, "control_weight"),
                              .estimate = option<bool>(dict, "estimate"),
                              .disturbance = option<double>(dict, "disturbance")};
  if (!dict["output_weight"].is_none()) options.output_weight = option<double>(dict, "output_weight");
  if (!dict["noise"].is_none()) options.noise = option<double>(dict, "noise");
  const WithoutGil release;
  return std::make_unique<TrackingLoop>(std::move(plan), options);
}

}  // namespace

void bind_tracking(py::module_& m) {
  m.def("check_line_lengths", [](const py::object& slopes, const py::object& u) {
    const Eigen::VectorXd pulls = any_vector(u, "u");
    check_line_lengths(points_from(slopes, pulls.size(), "slopes").transpose(), pulls);
  });
  m.def("track", [](const py::dict& task, int max_iterations) {
    return planned(max_iterations, [&, of = task_of(task)](const IlqrOptions& options) { return track(of, options); });
  });
  m.def("track_again", [](const py::dict& task, const py::object& states, const py::object& controls,
                          const py::object& target, int max_iterations) {
    const TrackingPlan plan = plan_of(task, states, controls);
    return planned(max_iterations, [&, next = points_from(target, plan.task.body.outputs, "target")](
                                       const IlqrOptions& options) { return track_again(plan, next, options); });
  });
  py::class_<TrackingLoop>(m, "TrackingLoop", "Under quoin.planning's.")
      .def(py::init(&loop_of))
      .def("reset", &TrackingLoop::reset)
      .def("control",
           [](TrackingLoop& loop, const py::object& measured) {
             return array_of(loop.control(any_vector(measured, "measured")));
           })
      .def_property_readonly("gains", [](const TrackingLoop& loop) {
        return stacked(loop.gains(), loop.gains().front().rows(), loop.gains().front().cols());
      });
}

}  // namespace quoin::python
