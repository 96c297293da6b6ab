// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace studies {

/// A claim that an example or a benchmark checks, with the measured value.
struct Check {
  std::string claim;
  bool holds;
  bool binding = true;  ///< the program fails if it does not hold; otherwise it is a target that is only reported
};

/// A Markdown list: each claim holds, fails, or, if it is not binding, is missed.
std::string to_markdown(const std::vector<Check>& checks);

/// Whether all binding checks hold.
bool passed(const std::vector<Check>& checks);

}  // namespace studies
