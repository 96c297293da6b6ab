// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/scene.hpp"

#include <Eigen/Core>

namespace studies::unwrap {

/// The outcome of a path, by a checker of its own.
struct Verdict {
  double clearance = 0;      ///< m, least on the path, in steps of 0.01 rad (Euclidean)
  double limits_passed = 0;  ///< rad, most that a joint is beyond its limits
  double offset = 0;         ///< m, at the end: of wrist, palm or a tip, whichever is furthest off

  bool possible() const { return clearance > 0 && limits_passed <= 0; }
  bool success() const { return possible() && offset < 0.01; }
};

/// Judges a path, 29 x any number (at least 2), interpolated linearly.
Verdict judge(const Scene& scene, const Eigen::MatrixXd& q);

}  // namespace studies::unwrap
