// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace quoin::identification {

/// Intermediate results of one pass, for derivatives at its inputs, and memory that the next pass reuses.
struct DensePass {
  std::vector<Eigen::MatrixXd> hidden;  ///< tanh of every hidden layer, units x M
  Eigen::MatrixXd from, to;             ///< room for derivatives on their way
};

/// y = W_k tanh(... tanh(W_1 x + b_1) ...) + b_k: fully connected. A plain value: a point in a space of weights.
///
///     auto network = DenseNetwork::random({21, 32, 64, 32, 7}, seed);
///     Eigen::MatrixXd Y;
///     network.evaluate(X, Y);                 // X: 21 x M, Y: 7 x M
///     DensePass pass;
///     network.evaluate(X, pass, Y);           // the same, and then, at these inputs:
///     network.push(pass, dX, dY);             // dY = dy/dx dX, column by column
///     network.pull(pass, G, GX);              // GX = (dy/dx)^T G, column by column
///     network.evaluate(x, pass, Y, J);        // one input: J = dy/dx, 7 x 21
///
/// O(weights) a column for each, O(weights inputs) for J. Const; threads each need a pass of their own. Throws
/// std::invalid_argument for shapes that do not fit.
struct DenseNetwork {
  /// a matrix, or columns of one.
  using In = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  std::vector<Eigen::Index> sizes = {};  ///< inputs, units of each hidden layer, outputs
  Eigen::VectorXd weights = {};          ///< W_1 (sizes[1] x sizes[0]) column by column, b_1, W_2, b_2, ...

  /// Weights and biases uniform within 1 / sqrt(inputs of their layer), with either sign. Throws std::invalid_argument
  /// for fewer than two sizes, or sizes below 1.
  static DenseNetwork random(std::vector<Eigen::Index> sizes, std::uint64_t seed);

  static Eigen::Index size(const std::vector<Eigen::Index>& sizes);  ///< how many weights these layers have
  /// Numbers of a column of X.
  Eigen::Index inputs() const { return sizes.front(); }
  /// Numbers of a column of Y.
  Eigen::Index outputs() const { return sizes.back(); }

  /// X: inputs x M, Y: outputs x M.
  void evaluate(const In& X, Eigen::MatrixXd& Y) const;
  /// The same; `pass` keeps what push and pull need.
  void evaluate(const In& X, DensePass& pass, Eigen::MatrixXd& Y) const;
  /// One input x, with J: outputs x inputs.
  void evaluate(const In& x, DensePass& pass, Eigen::MatrixXd& y, Eigen::MatrixXd& J) const;
  /// dX: inputs x M, dY: outputs x M, at the inputs of the last evaluate with this pass.
  void push(DensePass& pass, const In& dX, Eigen::MatrixXd& dY) const;
  /// G: outputs x M, GX: inputs x M, at the inputs of the last evaluate with this pass.
  void pull(DensePass& pass, const In& G, Eigen::MatrixXd& GX) const;
};

/// Throws std::invalid_argument, `who` before the numbers, unless the network is complete, with these numbers
/// of inputs and outputs.
void require(const DenseNetwork& network, Eigen::Index inputs, Eigen::Index outputs, const char* who);

}  // namespace quoin::identification
