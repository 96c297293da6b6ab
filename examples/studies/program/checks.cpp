// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/checks.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <iterator>

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

std::string in_short(const std::vector<Check>& checks) {
  std::vector<Check> others;
  std::copy_if(checks.begin(), checks.end(), std::back_inserter(others),
               [](const Check& check) { return !check.holds; });
  std::string text = quoin::to_text(checks.size() - others.size()) + " of " + quoin::to_text(checks.size()) +
                     " checks hold; --checks lists all.\n";
  return text + to_markdown(others);
}

bool passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.holds || check.open || !check.binding; });
}

}  // namespace studies
