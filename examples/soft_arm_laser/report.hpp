// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/soft_arm_laser/laser_run.hpp"
#include "quoin/io/json_results.hpp"

#include <string>
#include <vector>

namespace quoin::laser {

/// What the program says: tables for people, rows for programs, checks, and plain words on what falls short.
class Report {
 public:
  template <int SpaceDim>
  void add(const ArmResult<SpaceDim>& result, bool pinned);

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

  template <int SpaceDim>
  void add_plan(const ArmResult<SpaceDim>& result, const PlannerResult& planner);
  template <int SpaceDim>
  void add_notes(const ArmResult<SpaceDim>& result);
  template <int SpaceDim>
  void add_checks(const ArmResult<SpaceDim>& result, bool pinned);

  io::JsonResults rows_;
  std::vector<std::string> notes_;
  std::vector<Check> checks_;
};

}  // namespace quoin::laser
