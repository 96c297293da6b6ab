// SPDX-License-Identifier: BSD-3-Clause
// Ipopt's options from Python, and what it answers.
#pragma once

#include "../matrices.hpp"
#include "../read_option.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"

namespace quoin::python {

inline optimization::NlpMultipliers multipliers_of(const py::dict& dict) {
  return {any_vector(dict["constraints"], "multipliers.constraints"), any_vector(dict["lower"], "multipliers.lower"),
          any_vector(dict["upper"], "multipliers.upper")};
}

inline py::dict dict_of_multipliers(const optimization::NlpMultipliers& multipliers) {
  using namespace py::literals;
  return py::dict("constraints"_a = array_of(multipliers.constraints), "lower"_a = array_of(multipliers.lower),
                  "upper"_a = array_of(multipliers.upper));
}

/// Without an observer.
inline optimization::IpoptOptions ipopt_of(const py::dict& dict) {
  optimization::IpoptOptions options;
  read(dict, "tolerance", options.tolerance);
  read(dict, "constraint_tolerance", options.constraint_tolerance);
  read(dict, "max_iterations", options.max_iterations);
  read(dict, "limited_memory", options.limited_memory);
  read(dict, "max_seconds", options.max_seconds);
  return options;
}

inline py::tuple tuple_of(const optimization::NlpIteration& seen) {
  return py::make_tuple(seen.iteration, seen.objective, seen.primal_infeasibility, seen.dual_infeasibility,
                        seen.barrier, seen.step, seen.restoration);
}

}  // namespace quoin::python
