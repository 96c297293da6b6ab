// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 1 with a solver in Python: iterates are Python's objects, which Python has looked into. Called with the
// GIL, which the queries of the solver release.
#pragma once

#include "arrays.hpp"
#include "python_error.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/interleave.hpp"
#include "quoin/util/numbers_in.hpp"
#include "read_option.hpp"

#include <pybind11/stl.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace quoin::python {

/// An object with what quoin.interleaving saw in it.
struct PythonIterate {
  py::object object;
  bool finite = true;     ///< no number that was seen is NaN or infinite
  std::size_t count = 0;  ///< of numbers, if it is an array

  bool all_finite() const { return finite; }
  operator const py::object&() const { return object; }  ///< what Python's functions take
};

}  // namespace quoin::python

namespace quoin {
template <>
inline std::size_t NumbersIn<python::PythonIterate>::count(const python::PythonIterate& iterate) {
  return iterate.count;
}
}  // namespace quoin

namespace quoin::python {

/// Calls Python's functions for a loop that knows no Python: remembers what they raise, and turns Ctrl-C into
/// Interrupted.
class Callbacks {
 public:
  template <class... Args>
  py::object call(const py::object& f, Args&&... args) {
    try {
      return call_python(f, std::forward<Args>(args)...);
    } catch (py::error_already_set& raised) {
      raised_ = raised;
      if (!raised.matches(PyExc_Exception)) throw PythonInterrupted(raised);
      throw;
    }
  }

  /// Raises what is no Exception again; otherwise the exception that ended the loop, or None.
  py::object last(InterleaveStop stop) const;

 private:
  std::optional<py::error_already_set> raised_;
};

/// (object, finite, count), as the Python layer gives it.
PythonIterate iterate_of(const py::object& tuple);
/// (iterate as iterate_of has it, cost or None, converged, exact_evaluations).
SolverResult<PythonIterate> solver_result_of(const py::object& tuple);
/// A copy, dim x M, of points (M, dim).
Eigen::MatrixXd points_of(const py::object& array);
py::object round_of(const Round& round);
/// From quoin.ErrorEstimate.
Answer answer_of_estimate(const py::object& estimate);
/// The fields of quoin.InterleaveResult; raises what Callbacks::last raises.
py::dict dict_of(const InterleaveResult<PythonIterate>& result, const Callbacks& calls);

/// The option, unless it is None.
inline std::optional<py::object> given(const py::dict& dict, const char* name) {
  py::object value = dict[name];
  if (value.is_none()) return std::nullopt;
  return value;
}

/// options: by the names of quoin.interleave's arguments. The schedule is set by the caller.
template <class Schedule>
InterleaveOptions<PythonIterate, Schedule> interleave_options_of(const py::dict& dict, Callbacks& calls) {
  InterleaveOptions<PythonIterate, Schedule> options;
  if (const auto f = given(dict, "exact_check"))
    options.exact_check = [&calls, f = *f](const py::object& it) { return calls.call(f, it).template cast<double>(); };
  options.accuracy = option<double>(dict, "accuracy");
  if (const auto most = given(dict, "max_evaluations")) options.budget.exact_evaluations = most->cast<std::size_t>();
  if (const auto most = given(dict, "max_seconds")) options.budget.seconds = most->cast<double>();
  if (const auto f = given(dict, "polish"))
    options.polish = [&calls, f = *f](const py::object& it) { return solver_result_of(calls.call(f, it)); };
  if (const auto f = given(dict, "points"))
    options.points = [&calls, f = *f](const py::object& it) { return points_of(calls.call(f, it)); };
  if (const auto f = given(dict, "observer"))
    options.observer = [&calls, f = *f](const Round& round, const py::object& it) {
      const py::object goes_on = calls.call(f, round_of(round), it);
      return goes_on.is_none() || goes_on.cast<bool>();
    };
  return options;
}

}  // namespace quoin::python
