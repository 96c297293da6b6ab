// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/method.hpp"
#include "benchmarks/alternatives/sampled_models.hpp"
#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

// Surrogates of a whole box. All keep a reference to the workload.

Method chebyshev(const Workload& w);
Method sparse_grid(const Workload& w);
Method polynomial(const Workload& w);

/// Candidates in the box, or on the path itself, which is then known in advance. Each size is put on record.
Method kriging(const Workload& w, bool gradients, bool on_path, const SampleRecord& record = {});

}  // namespace benchmarks
