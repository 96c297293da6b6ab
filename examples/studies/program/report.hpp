// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/program/checks.hpp"
#include "examples/studies/program/library.hpp"

#include <string>
#include <vector>

namespace studies {

/// What a study found.
struct Report {
  figures::JsonResults rows = {};       ///< for programs
  std::string tables = {};              ///< for people, Markdown, with explanations
  std::vector<std::string> notes = {};  ///< plain words, also on shortcomings
  std::vector<Check> checks = {};
  std::string files = {};     ///< data and pictures written, a line each
  std::string pictures = {};  ///< those that the study's figures.py makes of the data, a line each; empty: it has none

  /// Adds the table's rows to those for programs, and shows them to people.
  void add_table(const std::string& words, const figures::JsonResults& table,
                 const std::vector<figures::MarkdownColumn>& columns = {});
  /// Shows people the words, then the columns of the table.
  void show_table(const std::string& words, const figures::JsonResults& table,
                  const std::vector<figures::MarkdownColumn>& columns = {});
};

}  // namespace studies
