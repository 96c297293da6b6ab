// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/papers/lemma/refinement.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

/// The plane soft arm's laser problem (examples/studies/soft_arm_laser/laser_problem.hpp) with a wider stroke and a
/// longer time step: 80 steps of two controls.
Refinement refine_arm(bool quick);

/// The same arm with all its mass in one coordinate of its tip: two controls move one coordinate, and the reduced
/// mass is singular everywhere.
SingularCase singular_arm();

}  // namespace benchmarks
