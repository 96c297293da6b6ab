// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Measurements of the library; no part of it.
namespace quoin {}
namespace benchmarks {
using namespace quoin;
}
