// SPDX-License-Identifier: BSD-3-Clause
// Python's options of a grid as GridOptions.
#pragma once

#include "arrays.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/grid/single_precision.hpp"
#include "read_option.hpp"
#include "store.hpp"

#include <cstddef>
#include <memory>

namespace quoin::python {

template <int Dim>
void read_point(const py::dict& dict, const char* name, Point<Dim>& point) {
  if (!dict[name].is_none()) point = vector_of(dict[name], Dim, name);
}

/// None in the dictionary leaves the library's own default. Policies are numbers.
template <int Dim>
GridOptions<Dim> grid_options_of(const py::dict& dict) {
  GridOptions<Dim> options;
  read_point<Dim>(dict, "origin", options.origin);
  read_point<Dim>(dict, "spacing", options.spacing);
  read_point<Dim>(dict, "lower", options.lower);
  read_point<Dim>(dict, "upper", options.upper);
  if (!dict["periodic"].is_none()) {
    const auto periodic = vector_of(dict["periodic"], Dim, "periodic");
    for (unsigned i = 0; i < Dim; ++i) options.periodic[i] = periodic[i] != 0;
  }
  read(dict, "deepest_level", options.deepest_level);
  options.on_failure = static_cast<FailurePolicy>(option<int>(dict, "on_failure"));
  read(dict, "failure_splits", options.failure_splits);
  options.outside = static_cast<OutsidePolicy>(option<int>(dict, "outside"));
  if (!dict["tolerance"].is_none()) options.tolerance = option<double>(dict, "tolerance");
  if (!dict["output_weights"].is_none()) {
    const auto weights = as_doubles(dict["output_weights"], "output_weights");
    options.output_weights = Eigen::Map<const Eigen::VectorXd>(weights.data(), weights.size());
  }
  read(dict, "surplus_generations", options.surplus_generations);
  read(dict, "accept_by_ancestors", options.accept_by_ancestors);
  read(dict, "branch_splits", options.branch_splits);
  options.on_branches = static_cast<BranchPolicy>(option<int>(dict, "on_branches"));
  read(dict, "evaluate_ahead", options.evaluate_ahead);
  if (!dict["store"].is_none())
    options.storage = dynamic_cast<const Store<Dim>&>(*dict["store"].cast<std::shared_ptr<AnyStore>>()).storage();
  if (!dict["memory_budget"].is_none()) options.memory_budget = option<std::size_t>(dict, "memory_budget");
  if (!dict["single_precision"].is_none() && option<bool>(dict, "single_precision"))
    options.precision = single_precision();
  return options;
}

}  // namespace quoin::python
