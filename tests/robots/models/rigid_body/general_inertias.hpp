// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "testing/robots/random_tree.hpp"

namespace quoin::rigid_body {

/// Every entry of every 3 x 3 inertia is independent: nothing is symmetric.
inline RigidBodyTree with_general_inertias(const RigidBodyTree& tree, unsigned seed) {
  RandomNumbers random(seed);
  Parameters parameters = tree.parameters();
  for (int i = 0; i < tree.joints(); ++i) parameters.col(i).tail<9>() += random.vector(9, 0.3);
  return tree.with_parameters(parameters);
}

}  // namespace quoin::rigid_body
