// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

namespace quoin::rigid_body::detail {

/// Where links are at any q: parents, types, axes and placements of the moving joints. No names and no limits.
void add_kinematics(const RigidBodyTree& tree, Fingerprint& fingerprint);

/// Masses and first moments, all that gravity acts on.
void add_masses(const RigidBodyTree& tree, Fingerprint& fingerprint);

/// All nine entries of each inertia about the origin of its link.
void add_inertias(const RigidBodyTree& tree, Fingerprint& fingerprint);

}  // namespace quoin::rigid_body::detail
