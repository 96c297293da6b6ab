// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/checks.hpp"

#include <algorithm>

#include "quoin/core/to_text.hpp"

namespace studies {
namespace {

Check judged(const std::string& claim, const std::string& bound, const Rate& seen, double share, bool holds,
             bool fails) {
  return {.claim = claim + ": " + bound + " " + quoin::to_text(100 * share) + " % of all; seen " + in_words(seen),
          .holds = holds,
          .open = !holds && !fails};
}

std::string verdict(const Check& check) {
  if (check.holds) return "holds";
  if (check.open) return "open";
  return check.binding ? "FAILS" : "missed";
}

}  // namespace

Check at_least(const std::string& claim, const Rate& seen, double share) {
  const RateInterval possible = interval(seen);
  return judged(claim, "at least", seen, share, possible.least >= share, possible.most < share);
}

Check at_most(const std::string& claim, const Rate& seen, double share) {
  const RateInterval possible = interval(seen);
  return judged(claim, "at most", seen, share, possible.most <= share, possible.least > share);
}

std::string to_markdown(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks) text += "- " + verdict(check) + ": " + check.claim + "\n";
  return text;
}

bool passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.holds || check.open || !check.binding; });
}

}  // namespace studies
