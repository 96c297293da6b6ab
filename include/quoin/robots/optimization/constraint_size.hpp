// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

namespace quoin::optimization {

/// In parts of what a violation counts, so that a constraint in a unit in which it is tiny is not taken for met.
/// variation: how far it varies as the variables change by their sizes. From 0.01 on the constraint's own unit counts;
/// so it does below 1e-10, which may be rounding.
constexpr double constraint_size(double variation) { return variation > 1e-10 && variation < 0.01 ? variation : 1; }

}  // namespace quoin::optimization
