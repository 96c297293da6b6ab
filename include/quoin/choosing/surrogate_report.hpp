// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/choosing/surrogate_kind.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace quoin {

/// What a Surrogate is to be, and may cost.
struct SurrogateOptions {
  double error = 0;                     ///< of the value, absolute, in the norm of output_weights: to be given
  Eigen::VectorXd output_weights = {};  ///< N of them; empty: 1/sqrt(N), the root mean square, or those of the grid
  int most_samples = 800;               ///< of a kernel, at least 8; beyond it a grid is taken
  int held_out = 8;                     ///< points that nothing is learnt from, at least 1
};

/// One round of a Surrogate's kernel.
struct SurrogateRound {
  int samples = 0;   ///< that the kernel had
  double error = 0;  ///< the largest at the samples that came next: where least was known
};

/// What came of the choice.
struct SurrogateReport {
  SurrogateKind kind = SurrogateKind::kernel;  ///< what answers: kernel, grid_tolerance or function
  double error = 0;                            ///< the largest at the held-out points; 0 for f itself
  int held_out = 0;                            ///< how many there were
  double seconds = 0;                          ///< that it took to make
  std::vector<SurrogateRound> rounds = {};     ///< of the kernel
  int failed = 0;  ///< points, of those that were sampled for the choice, at which f failed; then a grid is taken
  std::string reason = {};   ///< of the first of them
  std::string message = {};  ///< "3 -> 45, kernel of 64 values, held-out error 0.00018 at 8 points, 11 s"
};

}  // namespace quoin
