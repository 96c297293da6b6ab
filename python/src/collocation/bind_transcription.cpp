// SPDX-License-Identifier: BSD-3-Clause
#include "../gil.hpp"
#include "../observer.hpp"
#include "../planning/problem.hpp"
#include "ipopt.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"

#include <memory>
#include <tuple>
#include <utility>

namespace quoin::python {

void bind_transcription(py::module_& module);

namespace {

using namespace planning;
using namespace py::literals;

TranscriptionOptions transcription_options_of(const py::dict& dict) {
  TranscriptionOptions options{.ipopt = ipopt_of(dict)};
  read(dict, "check_curvature", options.check_curvature);
  read(dict, "curvature_tolerance", options.curvature_tolerance);
  read(dict, "threads", options.threads);
  if (!dict["multipliers"].is_none()) options.ipopt.multipliers = multipliers_of(dict["multipliers"]);
  options.observer = [observer = Observer(dict["observer"])](const optimization::NlpIteration& seen,
                                                             const Trajectory& at) {
    return observer(
        [&] { return std::make_tuple(tuple_of(seen), array_of_points(at.states), array_of_points(at.controls)); });
  };
  return options;
}

py::dict transcribed(const std::shared_ptr<Dynamics>& dynamics, const py::object& guess, const py::dict& dict) {
  const Problem problem = problem_of(dynamics, dict);
  Trajectory initial{.controls = points_from(guess, dynamics->control_size(), "guess")};
  if (!dict["states"].is_none()) initial.states = points_from(dict["states"], dynamics->state_size(), "states");
  const TranscriptionOptions options = transcription_options_of(dict);
  TranscriptionResult result;
  {
    const WithoutGil release;
    result = ipopt_transcription(problem, initial, options);
  }
  return py::dict("states"_a = array_of_points(std::move(result.trajectory.states)),
                  "controls"_a = array_of_points(std::move(result.trajectory.controls)),
                  "cost"_a = result.trajectory.cost, "stop"_a = static_cast<int>(result.stop),
                  "iterations"_a = result.iterations, "in_restoration"_a = result.in_restoration,
                  "largest_defect"_a = result.largest_defect, "violation"_a = result.violation,
                  "dynamics_calls"_a = result.dynamics_calls, "derivative_calls"_a = result.derivative_calls,
                  "multipliers"_a = dict_of_multipliers(result.multipliers));
}

}  // namespace

void bind_transcription(py::module_& m) {
  m.def("transcribe", &transcribed, py::arg("dynamics"), py::arg("guess"), py::arg("options"));
}

}  // namespace quoin::python
