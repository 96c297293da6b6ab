// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/convergence/curve.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

#include <string>
#include <vector>

namespace benchmarks {

/// Adds the errors at one spacing, which all methods on a function share.
void add_rows(Report& report, const std::string& function, int dim, const std::vector<Curve>& curves, double spacing);

/// The fitted order furthest from the expected one.
struct Furthest {
  double deviation = 0;
  std::string name;

  void look_at(const std::vector<Curve>& curves, int dim);
};

}  // namespace benchmarks
