// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/swimmer_stroke/stroke_run.hpp"
#include "quoin/io/json_results.hpp"

#include <string>
#include <vector>

namespace quoin::stroke {

/// What the program says: tables for people, rows for programs, checks, and plain words on what falls short.
class Report {
 public:
  Report(const StrokeResult& result, bool pinned);

  /// Both tables, notes and checks, Markdown.
  std::string text() const;
  /// One row per plan.
  const io::JsonResults& rows() const { return rows_; }
  bool passed() const;

 private:
  struct Check {
    std::string claim;
    bool holds;
    bool binding;  ///< the program fails if it does not hold
  };

  void add_plan(const StrokeResult& result, const PlannerResult& planner);
  void add_estimate(const StrokeResult& result, const PlannerResult& exact);
  void add_notes(const StrokeResult& result);
  void add_checks(const StrokeResult& result, bool pinned);

  io::JsonResults rows_;
  std::vector<std::string> notes_;
  std::vector<Check> checks_;
};

}  // namespace quoin::stroke
