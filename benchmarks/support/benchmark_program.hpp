// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/program/checks.hpp"
#include "examples/studies/program/statistics.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The common parts of all benchmarks: options, results, own checks, exit status.
namespace benchmarks {

using studies::Check;

struct Report {
  studies::figures::JsonResults results;
  std::vector<studies::figures::MarkdownColumn> columns;
  std::string notes;  ///< Markdown: how to read the table
  std::vector<Check> checks;
  /// Rows for the JSON file that the table does not show, such as those of tables in the notes.
  std::vector<studies::figures::ResultRow> further_rows = {};

  /// A further table under the first: the words and the columns that its rows show in the notes, all in the JSON file.
  void add_table(const std::string& words, const studies::figures::JsonResults& table);
};

/// Parses --quick, --json FILE, --markdown FILE (an unknown option: a message and status 2), runs the benchmark, writes
/// and prints what it reports. Returns the exit status: 1 if a binding check does not hold or the benchmark throws.
int run_benchmark(int argc, char** argv, const std::string& name, const std::string& description,
                  const std::function<Report(bool quick)>& benchmark);

using studies::median;

/// Seconds that a call takes.
template <class Call>
double seconds_of(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace benchmarks
