// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"

#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

/// What the same work takes here and in another library, each round one after the other.
struct SideBySide {
  std::vector<double> ours, theirs, ratios;  ///< seconds of each round, and theirs / ours

  /// The medians of another's rounds as one round of this.
  void add_medians(const SideBySide& rounds);
};

/// Both in turns, now this one first, now that; the first two rounds do not count. A machine that is busy with other
/// things slows both, and the ratios hold.
SideBySide side_by_side(const std::function<void()>& ours, const std::function<void()>& theirs, int rounds);

/// What a table of times says of a task: both times, in units of `unit` seconds, for each of that many answers, and the
/// ratio with its spread.
void show_times(studies::figures::ResultRow& row, const SideBySide& seen, double answers, double unit,
                const std::string& unit_name);

/// A binding check that both give the same answer: the difference is at most the bound.
void check_same(Report& report, const std::string& what, double difference, double bound);

/// A claim that does not bind: what is done here takes no longer than in the other library.
void claim_faster(Report& report, const std::string& what, const std::string& peer, const SideBySide& seen);

}  // namespace benchmarks
