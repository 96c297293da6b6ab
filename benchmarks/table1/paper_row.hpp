// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/io/json_results.hpp"

#include <string>

namespace quoin::benchmarks {

/// A row of the paper's Table I, its times in seconds.
struct PaperRow {
  std::string example;
  int size, dim;
  double f, g, g_surrogate;
  long corners;
  double iteration_with, iteration_without, speed_up, error;

  io::ResultRow row() const {
    return io::ResultRow()
        .set("example", example + ", the paper's Table I (wall times per iteration)")
        .set("N", size)
        .set("dim", dim)
        .set("f_seconds", f)
        .set("g_seconds", g)
        .set("g_surrogate_seconds", g_surrogate)
        .set("exact_evaluations_with", corners)
        .set("wall_seconds_with", iteration_with)
        .set("wall_seconds_without", iteration_without)
        .set("exact_side", "estimated")
        .set("speed_up", speed_up)
        .set("relative_error", error);
  }
};

}  // namespace quoin::benchmarks
