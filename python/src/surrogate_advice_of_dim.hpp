// SPDX-License-Identifier: BSD-3-Clause
// suggest_surrogate for one Dim.
#pragma once

#include "arrays.hpp"
#include "gil.hpp"
#include "grid_of_dim.hpp"
#include "surrogate_advice.hpp"

#include <stdexcept>

namespace quoin::python {

inline const char* name_of(SurrogateKind kind) {
  switch (kind) {
    case SurrogateKind::function: return "function";
    case SurrogateKind::grid: return "grid";
    case SurrogateKind::grid_tolerance: return "grid_tolerance";
    default: return "kernel";
  }
}

template <int Dim>
py::dict surrogate_advice(const AnyGrid& any, const Eigen::MatrixXd& points, const SurrogateTask& task) {
  const auto* grid = dynamic_cast<const Grid<Dim>*>(&any);
  if (grid == nullptr)
    throw std::invalid_argument("suggest_surrogate: points of " + to_text(Dim) + " variables, the grid has others");
  const SurrogateAdvice<Dim> advice = [&] {
    const WithoutGil release;
    return suggest_surrogate(grid->grid(), points, task);
  }();
  using namespace py::literals;
  py::list choices;
  for (const SurrogateChoice<Dim>& c : advice.choices)
    choices.append(py::dict("kind"_a = name_of(c.kind), "order"_a = c.order, "spacing"_a = array_of(c.spacing),
                            "threshold"_a = py::make_tuple(c.threshold.value, c.threshold.gradient),
                            "jitter"_a = c.jitter, "corners"_a = c.corners, "evaluations"_a = c.evaluations,
                            "seconds"_a = c.seconds, "error"_a = c.error));
  return py::dict("choices"_a = choices, "samples"_a = advice.samples, "unexplained"_a = advice.unexplained,
                  "resolved"_a = advice.resolved(), "seconds_per_evaluation"_a = advice.seconds_per_evaluation);
}

}  // namespace quoin::python
