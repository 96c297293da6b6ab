// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/rate.hpp"

#include <string>
#include <vector>

namespace studies {

/// A claim that an example or a benchmark checks, with the measured value.
struct Check {
  std::string claim;
  bool holds;
  bool binding = true;  ///< the program fails if it does not hold; otherwise it is a target that is only reported
  bool open = false;    ///< too few draws to say; neither holds nor fails
};

/// The claim that something happens in at least that share (0 to 1) of all draws, judged by those seen: it holds if the
/// whole interval of the rate is there, fails if none of it is, and is open otherwise: more draws would tell. So a seed
/// that nobody chose fails a true claim in less than 2.5 % of runs, and few draws never make a claim look proved.
Check at_least(const std::string& claim, const Rate& seen, double share);

/// The same for at most that share.
Check at_most(const std::string& claim, const Rate& seen, double share);

/// A Markdown list: each claim holds, fails, is open, or, if it is not binding, is missed.
std::string to_markdown(const std::vector<Check>& checks);

/// How many hold, and a list of the others.
std::string in_short(const std::vector<Check>& checks);

/// Whether no binding check fails.
bool passed(const std::vector<Check>& checks);

}  // namespace studies
