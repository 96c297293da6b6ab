// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstdint>

namespace quoin::planning {

/// y = W2 softplus(W1 x + b1) + b2: fully connected, one hidden layer of SmoothReLU units, log(1 + e^z) (Jia, Pan,
/// Manocha 2019, section V). A plain value: a point in a space of `size()` weights.
///
///   auto network = SoftplusNetwork::random(8, 64, 3, 0.01, seed);
///   Eigen::MatrixXd Y;
///   network.evaluate(X, Y);  // X: 8 x M, Y: 3 x M
///
/// O(hidden (inputs + outputs)) a column. Const and safe from many threads.
struct SoftplusNetwork {
  Eigen::Index inputs = 0;       ///< numbers of a column of X
  Eigen::Index hidden = 0;       ///< units
  Eigen::Index outputs = 0;      ///< numbers of a column of Y
  Eigen::VectorXd weights = {};  ///< W1 (hidden x inputs), b1, W2 (outputs x hidden), b2, matrices column by column

  /// Weights of the layers drawn from normal distributions of standard deviation 1 / sqrt(columns), those of the last
  /// layer times `output_scale`; biases zero. Throws std::invalid_argument for sizes below 1.
  static SoftplusNetwork random(Eigen::Index inputs, Eigen::Index hidden, Eigen::Index outputs, double output_scale,
                                std::uint64_t seed);

  /// How many weights such a network has.
  static constexpr Eigen::Index size(Eigen::Index inputs, Eigen::Index hidden, Eigen::Index outputs) {
    return hidden * (inputs + 1) + outputs * (hidden + 1);
  }
  /// Of this one's weights.
  Eigen::Index size() const { return size(inputs, hidden, outputs); }

  /// X: inputs x M, Y: outputs x M. Throws std::invalid_argument if X or the weights do not fit.
  void evaluate(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const;
};

}  // namespace quoin::planning
