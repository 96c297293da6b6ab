// SPDX-License-Identifier: BSD-3-Clause
// suggest_surrogate, and the making of a Surrogate, for one Dim.
#pragma once

#include "arrays.hpp"
#include "gil.hpp"
#include "grid_of_dim.hpp"
#include "kernel_of_dim.hpp"
#include "python_error.hpp"
#include "quoin/choosing/detail/surrogate_making.hpp"
#include "surrogate_advice.hpp"

#include <memory>
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
const AdaptiveGrid<Dim>& grid_of_dim(const AnyGrid& any, const char* who) {
  if (const auto* grid = dynamic_cast<const Grid<Dim>*>(&any)) return grid->grid();
  throw std::invalid_argument(std::string(who) + ": points of " + to_text(Dim) + " variables, the grid has others");
}

template <int Dim>
py::dict surrogate_advice(const AnyGrid& any, const Eigen::MatrixXd& points, const SurrogateTask& task) {
  const AdaptiveGrid<Dim>& grid = grid_of_dim<Dim>(any, "suggest_surrogate");
  const SurrogateAdvice<Dim> advice = [&] {
    const WithoutGil release;
    return suggest_surrogate(grid, points, task);
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

template <int Dim>
py::dict make_surrogate(const AnyGrid& any, const SurrogateOptions& options, bool itself) {
  const AdaptiveGrid<Dim>& grid = grid_of_dim<Dim>(any, "Surrogate");
  const auto made = [&] {
    const std::shared_ptr<AnyView> view = any.view();
    const Query running(*view);
    return std::make_unique<choosing_detail::SurrogateMaking<Dim>>(grid, options, itself);
  }();
  const SurrogateReport& report = made->report();
  std::shared_ptr<AnyKernel> kernel;
  if (made->kernel()) kernel = std::make_shared<Interpolant<Dim>>(*made->kernel());
  py::list rounds;
  for (const SurrogateRound& round : report.rounds) rounds.append(py::make_tuple(round.samples, round.error));
  using namespace py::literals;
  return py::dict("kernel"_a = kernel, "itself"_a = report.kind == SurrogateKind::function, "error"_a = report.error,
                  "held_out"_a = report.held_out, "seconds"_a = report.seconds, "rounds"_a = rounds,
                  "failed"_a = report.failed, "reason"_a = text_of(report.reason),
                  "message"_a = text_of(report.message));
}

template <int Dim>
void check_surrogate(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const SurrogateOptions& options) {
  choosing_detail::check_surrogate<Dim>(lower, upper, options);
}

}  // namespace quoin::python
