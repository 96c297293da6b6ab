// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/checks.hpp"

#include <algorithm>

namespace studies {

std::string to_markdown(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks)
    text += std::string(check.holds ? "- holds: " : check.binding ? "- FAILS: " : "- missed: ") + check.claim + "\n";
  return text;
}

bool passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.holds || !check.binding; });
}

}  // namespace studies
