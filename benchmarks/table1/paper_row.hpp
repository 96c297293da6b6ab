// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "examples/studies/figures/json_results.hpp"

#include <string>

namespace benchmarks {

/// A row of Table I of Jia, Pan, Manocha 2019, its times in seconds.
struct PaperRow {
  std::string example;
  int size, dim;
  double f, g, g_surrogate;
  long corners;
  double iteration_with, iteration_without, speed_up, error;

  studies::figures::ResultRow row() const {
    return studies::figures::ResultRow()
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

inline const PaperRow paper_soft_arm{.example = "soft arm",
                                     .size = 1575,
                                     .dim = 4,
                                     .f = 1.5,
                                     .g = 1.51,
                                     .g_surrogate = 0.01,
                                     .corners = 216,
                                     .iteration_with = 5.5,
                                     .iteration_without = 305,
                                     .speed_up = 20,
                                     .error = 7e-6};
inline const PaperRow paper_swimmer{.example = "swimmer",
                                    .size = 1415,
                                    .dim = 3,
                                    .f = 0.9,
                                    .g = 0.902,
                                    .g_surrogate = 0.02,
                                    .corners = 732,
                                    .iteration_with = 3.1,
                                    .iteration_without = 183,
                                    .speed_up = 190,
                                    .error = 2e-5};
/// The same swimmer, learning.
inline const PaperRow paper_policy = [] {
  PaperRow paper = paper_swimmer;
  paper.example = "policy";
  paper.corners = 1973;
  paper.iteration_with = 42;
  paper.iteration_without = 16424;
  paper.speed_up = 1590;
  paper.error = 5e-5;
  return paper;
}();

}  // namespace benchmarks
