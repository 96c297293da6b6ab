// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"

namespace benchmarks {

/// iLQR and transcription from the same starts, over drawn goals of a cart-pole and a car: what each takes, and how
/// often both find the same minimum.
void known_problems(Report& report, bool quick);

}  // namespace benchmarks
