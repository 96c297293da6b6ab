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
  int swept;  ///< numbers of f: x of the arm, P x |x| of the swimmer (Eq. 10)
  double f, g, g_surrogate;
  long corners;
  double iteration_with, iteration_without, speed_up, error;

  studies::figures::ResultRow row() const {
    return studies::figures::ResultRow()
        .set("example", example + ", the paper's Table I (wall times per iteration)")
        .set("N", size)
        .set("swept", swept)
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

inline const PaperRow paper_soft_arm{"soft arm", 1575, 4, 1575, 1.5, 1.51, 0.01, 216, 5.5, 305, 20, 7e-6};
inline const PaperRow paper_swimmer{"swimmer", 1415, 3, 3 * 1412, 0.9, 0.902, 0.02, 732, 3.1, 183, 190, 2e-5};
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
