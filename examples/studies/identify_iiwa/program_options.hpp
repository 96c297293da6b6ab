// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/program/common_options.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace studies::iiwa {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  StudyChoice study;
  double seconds = 240;                                     ///< of the recorded motion
  double feedback = soft_feedback;                          ///< of the joints, rad/s
  std::vector<double> frequencies = {20, 40, 60, 80, 100};  ///< in its place in the part feedback
  int payloads = 20;
  std::vector<std::string> parts = {"epochs", "simulation", "feedback", "online", "harder", "payload"};

  bool has(const std::string& part) const { return std::ranges::find(parts, part) != parts.end(); }
  /// Whether motion, loss and feedback are those that the claims are about, which hold for any seeds and counts.
  bool as_in_paper() const {
    const ProgramOptions standard;
    return study.learning.weighted && seconds == standard.seconds && feedback == standard.feedback;
  }
};

}  // namespace studies::iiwa
