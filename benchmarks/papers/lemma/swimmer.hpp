// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/papers/lemma/refinement.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

/// The swimmer's stroke (examples/studies/swimming/stroke_problem.hpp) in 40 steps of 0.04 s, on the mesh n = 2 and
/// with soft limits of the joints instead of hard ones.
Refinement refine_swimmer(bool quick);

/// A swimmer in no water, with all its mass in the last link: six velocities move a body that has three, and the
/// generalized mass is singular everywhere.
SingularCase singular_swimmer();

}  // namespace benchmarks
