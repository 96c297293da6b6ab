// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace studies {

/// How often something happened in independent draws.
struct Rate {
  int successes = 0;
  int draws = 0;

  void count(bool success) {
    ++draws;
    successes += success ? 1 : 0;
  }
  double share() const { return static_cast<double>(successes) / draws; }  ///< NaN without draws
};

/// The shares (0 to 1) that the draws leave possible.
struct RateInterval {
  double least;
  double most;
};

/// The 95 % interval of Wilson (1927): also of use at 0 or all successes. All of [0, 1] without draws.
RateInterval interval(const Rate& rate);

/// "37 of 40 (92.5 %, 80 to 97)": the rate, and the interval in per cent.
std::string in_words(const Rate& rate);

}  // namespace studies
