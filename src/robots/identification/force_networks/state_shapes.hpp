// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/force_networks/dense_network.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace quoin::identification {

/// Throws std::invalid_argument with the shapes unless all are joints x instants.
inline void require_states(Eigen::Index joints, const DenseNetwork::In& q, const DenseNetwork::In& qd,
                           const DenseNetwork::In& qdd, const DenseNetwork::In& tau, const char* who) {
  for (const DenseNetwork::In* m : {&q, &qd, &qdd, &tau})
    if (m->rows() != joints || m->cols() != q.cols())
      throw std::invalid_argument(std::string(who) + ": q is " + shape_text(q) + ", qd " + shape_text(qd) + ", qdd " +
                                  shape_text(qdd) + ", tau " + shape_text(tau) + "; wanted " + to_text(joints) +
                                  " joints and as many columns in each");
}

/// Calls block(first, count) over all states, in blocks that stay in the cache.
template <class Block>
void in_blocks(Eigen::Index states, Block block) {
  constexpr Eigen::Index most = 256;
  for (Eigen::Index first = 0; first < states; first += most) block(first, std::min(most, states - first));
}

}  // namespace quoin::identification
