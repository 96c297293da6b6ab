// SPDX-License-Identifier: BSD-3-Clause
#include "python_interleave.hpp"

#include <stdexcept>

namespace quoin::python {

py::object Callbacks::last(InterleaveStop stop) const {
  if (!raised_) return py::none();
  if (stop == InterleaveStop::interrupted) throw *raised_;
  if (stop != InterleaveStop::solver_failed) return py::none();
  if (raised_->trace()) PyException_SetTraceback(raised_->value().ptr(), raised_->trace().ptr());
  return raised_->value();
}

PythonIterate iterate_of(const py::object& object) {
  const auto tuple = object.cast<py::tuple>();
  return {.object = tuple[0], .finite = tuple[1].cast<bool>(), .count = tuple[2].cast<std::size_t>()};
}

SolverResult<PythonIterate> solver_result_of(const py::object& object) {
  const auto tuple = object.cast<py::tuple>();
  return {.iterate = iterate_of(tuple[0]),
          .cost = tuple[1].cast<std::optional<double>>(),
          .converged = tuple[2].cast<bool>(),
          .exact_evaluations = tuple[3].cast<std::size_t>()};
}

Eigen::MatrixXd points_of(const py::object& array) {
  const auto points = as_doubles(array, "points");
  if (points.ndim() != 2) throw std::invalid_argument("points: shape " + shape_of(points) + ", expected (M, dim)");
  return Eigen::Map<const Eigen::MatrixXd>(points.data(), points.shape(1), points.shape(0));
}

py::object round_of(const Round& round) {
  static const py::handle type = py::object(py::module_::import("quoin.interleaving").attr("Round")).release();
  return type(round.level, round.cost, round.exact_cost, round.converged, round.exact_evaluations, round.seconds,
              round.tolerance, round.polish);
}

Answer answer_of_estimate(const py::object& estimate) {
  const auto tuple = estimate.cast<py::tuple>();
  return {.trust = static_cast<Trust>(tuple[0].cast<int>()),
          .level = tuple[1].cast<int>(),
          .error = tuple[2].cast<double>(),
          .jacobian_error = tuple[3].cast<double>()};
}

py::dict dict_of(const InterleaveResult<PythonIterate>& result, const Callbacks& calls) {
  using namespace py::literals;
  const py::object exception = calls.last(result.stop);
  py::list rounds;
  for (const Round& round : result.rounds) rounds.append(round_of(round));
  return py::dict("iterate"_a = result.iterate.object, "cost"_a = result.cost, "exact_cost"_a = result.exact_cost,
                  "stop"_a = static_cast<int>(result.stop), "message"_a = result.message, "rounds"_a = rounds,
                  "exception"_a = exception);
}

}  // namespace quoin::python
