// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/snap_through/history.hpp"
#include "examples/snap_through/study.hpp"
#include "quoin/io/json_results.hpp"
#include "quoin/io/output_folder.hpp"

#include <string>
#include <vector>

namespace quoin::branches {

/// What the program says: rows of results, notes and checks.
class Report {
 public:
  void add(const Result& result);
  void add(const History& history);

  const io::JsonResults& rows() const { return rows_; }
  std::string text() const;
  bool passed() const;

 private:
  struct Check {
    std::string claim;
    bool holds;
  };
  void check(const std::string& claim, bool holds) { checks_.push_back({claim, holds}); }

  io::JsonResults rows_;
  std::vector<std::string> notes_;
  std::vector<Check> checks_;
};

/// <key>_line.csv, <key>_queries.csv, <key>_curves.csv.
void write_csv(const Result& result, const io::OutputFolder& out);
/// <key>_history.csv.
void write_csv(const History& history, const io::OutputFolder& out);

}  // namespace quoin::branches
