// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/side_by_side.hpp"

namespace benchmarks {

void SideBySide::add_medians(const SideBySide& rounds) {
  ours.push_back(median(rounds.ours));
  theirs.push_back(median(rounds.theirs));
  ratios.push_back(median(rounds.ratios));
}

SideBySide side_by_side(const std::function<void()>& ours, const std::function<void()>& theirs, int rounds) {
  SideBySide seen;
  for (int round = -2; round < rounds; ++round) {
    double here = 0, there = 0;
    if (round % 2 == 0) here = seconds_of(ours);
    there = seconds_of(theirs);
    if (round % 2 != 0) here = seconds_of(ours);
    if (round < 0) continue;
    seen.ours.push_back(here);
    seen.theirs.push_back(there);
    seen.ratios.push_back(there / here);
  }
  return seen;
}

void show_times(studies::figures::ResultRow& row, const SideBySide& seen, double answers, double unit,
                const std::string& unit_name) {
  row.show("ours", median(seen.ours) / answers / unit, "Quoin [" + unit_name + "]")
      .show("theirs", median(seen.theirs) / answers / unit, "peer [" + unit_name + "]")
      .show("ratio", median(seen.ratios), "peer / Quoin")
      .show("ratio_10", studies::quantile(seen.ratios, 0.1), "10 %")
      .show("ratio_90", studies::quantile(seen.ratios, 0.9), "90 %");
}

void check_same(Report& report, const std::string& what, double difference, double bound) {
  report.checks.push_back({what + ": the same to " + studies::figures::format_number(difference) + ", at most " +
                               studies::figures::format_number(bound),
                           difference <= bound});
}

void claim_faster(Report& report, const std::string& what, const std::string& peer, const SideBySide& seen) {
  report.checks.push_back({what + ": takes no longer than " + peer, median(seen.ratios) >= 1, false});
}

}  // namespace benchmarks
