// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"

namespace quoin::swimmer::detail {

/// Parents, axes and points of the hinges.
void add_hinges(const Swimmer& swimmer, Fingerprint& fingerprint);

/// Mass, centre and inertia of each link.
void add_masses(const Swimmer& swimmer, Fingerprint& fingerprint);

}  // namespace quoin::swimmer::detail
