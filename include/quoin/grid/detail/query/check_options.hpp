// SPDX-License-Identifier: BSD-3-Clause
// Checks those options of a grid that the lattice does not check itself.
#pragma once

#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace quoin::grid_detail {

/// Throws std::invalid_argument, with the numbers, for options that do not go together with f or with each other.
template <int Dim>
void check_options(const GridOptions<Dim>& options, const CornerFunction<Dim>& f, const Evaluator<Dim>& evaluator) {
  if (!evaluator) throw std::invalid_argument("AdaptiveGrid<" + to_text(Dim) + ">: the evaluator is empty");
  if (options.on_failure == FailurePolicy::call_function && f.order() == 0)
    throw std::invalid_argument("GridOptions::on_failure: call_function needs a function with derivatives");
  if (options.fourth_derivatives && f.order() != 1)
    throw std::invalid_argument(
        "GridOptions::fourth_derivatives: certificates are those of values and Jacobians, K = 1; f gives " +
        (f.differenced() ? std::string("values alone") : "jets of order " + to_text(f.order())));
  constexpr int most_generations = 1 + 12 / std::max(Dim, 4);  // at most 4096 points per cell
  if (options.surplus_generations < 1 || options.surplus_generations > most_generations)
    throw std::invalid_argument("GridOptions::surplus_generations = " + to_text(options.surplus_generations) +
                                " is not in 1.." + to_text(most_generations));
  if (options.fourth_derivatives && f.traits().repeatable_to > 0)
    throw std::invalid_argument(
        "GridOptions::fourth_derivatives: nothing can be certified of an f that repeats only to " +
        to_text(f.traits().repeatable_to) + " (FunctionTraits::repeatable_to)");
  if (options.memory_budget && (!options.storage || !options.storage->keeps()))
    throw std::invalid_argument("GridOptions::memory_budget = " + to_text(*options.memory_budget) +
                                " bytes needs a storage that keeps what leaves memory" +
                                (options.storage ? "; this one is only read" : ", GridOptions::storage"));
  if (options.fourth_derivatives && options.precision && options.precision->rounding > 0)
    throw std::invalid_argument(
        "GridOptions::fourth_derivatives: nothing is certified of jets that are rounded by up to " +
        to_text(options.precision->rounding) + " of themselves (GridOptions::precision)");
  if (options.failure_splits < 0)
    throw std::invalid_argument("GridOptions::failure_splits = " + to_text(options.failure_splits) + " is negative");
  if (options.branch_splits < 0)
    throw std::invalid_argument("GridOptions::branch_splits = " + to_text(options.branch_splits) + " is negative");
  if (options.on_branches == BranchPolicy::call_function && f.order() == 0)
    throw std::invalid_argument("GridOptions::on_branches: call_function needs a function with derivatives");
  if (f.differenced() && options.deepest_level < 2)
    throw std::invalid_argument("GridOptions::deepest_level = " + to_text(options.deepest_level) +
                                ": differences of values need at least 2");
}

}  // namespace quoin::grid_detail
