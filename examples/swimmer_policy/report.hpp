// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/swimmer_policy/policy_run.hpp"
#include "quoin/io/json_results.hpp"

#include <string>
#include <vector>

namespace quoin::stroke {

/// What the program says: a table for people, rows for programs, notes and checks.
class Report {
 public:
  /// learned: false if a policy of a file was only replayed; pinned: the problem for which promises are made.
  Report(const PolicyResult& result, bool learned, bool pinned);

  /// Table, notes and checks, Markdown.
  std::string text() const;
  /// One row per seed, one of the planned stroke, one of the cross-entropy method.
  const io::JsonResults& rows() const { return rows_; }
  bool passed() const;

 private:
  struct Check {
    std::string claim;
    bool holds;
    bool binding;  ///< the program fails if it does not hold
  };

  void add_swim(const std::string& who, const Swim& swim, io::ResultRow row);
  void add_seed(const PolicyResult& result, const SeedResult& seed);
  void add_notes(const PolicyResult& result, bool learned);
  void add_checks(const PolicyResult& result, bool learned, bool pinned);

  io::JsonResults rows_;
  std::vector<std::string> notes_;
  std::vector<Check> checks_;
};

}  // namespace quoin::stroke
