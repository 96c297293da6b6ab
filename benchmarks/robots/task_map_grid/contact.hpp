// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "examples/studies/figures/json_results.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace benchmarks {

/// The results of a grid over joints that sweep the arm across a pole.
struct ContactRow {
  std::string form = {};  ///< of the writhe
  int joints = 0;
  std::string grid = {};                                   ///< what the grid knows of contact
  std::size_t evaluations = 0, calls = 0;                  ///< of the map: to make the grid, and at queries
  double interpolated = 0, nearest_branch = 0, exact = 0;  ///< shares of the answers
  double worst = 0, worst_interpolated = 0;                ///< errors, turns
  double wrong = 0;       ///< share of the answers that are off by more than 0.01 turns in any output
  double other_side = 0;  ///< share of the answers that pass the pole on another side than the arm does
  bool labelled = false, calls_map = false, to_tolerance = false, away = false;
};

/// The writhe of the arm across the pole on grids without labels, with labels, and kept away from contact.
///
/// Where a segment of the arm crosses the pole, its writhe jumps by one, and so does the sum T
/// of all; the label is floor(T).
std::vector<ContactRow> contact_rows(bool quick);

std::string contact_table(const std::vector<ContactRow>& rows);
studies::figures::ResultRow to_result(const ContactRow& row);

}  // namespace benchmarks
