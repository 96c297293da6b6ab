// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/dense_network.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

std::string shown(const std::vector<Index>& sizes) {
  std::string text;
  for (const Index size : sizes) text += (text.empty() ? "" : "-") + to_text(size);
  return text.empty() ? "no" : text;
}

/// Views of the layers in a network's weights.
class Layers {
 public:
  explicit Layers(const DenseNetwork& network) : network_(network) {}

  Index count() const { return std::ssize(network_.sizes) - 1; }
  bool is_last(Index layer) const { return layer + 1 == count(); }
  Eigen::Map<const MatrixXd> W(Index layer) const { return {at(layer), out(layer), in(layer)}; }
  Eigen::Map<const Eigen::VectorXd> b(Index layer) const { return {at(layer) + out(layer) * in(layer), out(layer)}; }

 private:
  Index in(Index layer) const { return network_.sizes[static_cast<std::size_t>(layer)]; }
  Index out(Index layer) const { return network_.sizes[static_cast<std::size_t>(layer) + 1]; }
  const double* at(Index layer) const {
    const double* first = network_.weights.data();
    for (Index k = 0; k < layer; ++k) first += out(k) * (in(k) + 1);
    return first;
  }

  const DenseNetwork& network_;
};

/// tanh by the exponential, which is vectorized; accurate to the rounding of 1.
void take_tanh(MatrixXd& Z) { Z = 1 - 2 / (1 + (2 * Z.array()).exp()); }

void require(const DenseNetwork& network, Index rows, Index wanted, Index columns, Index wanted_columns,
             const char* what) {
  require(network, network.sizes.empty() ? 0 : network.inputs(), network.sizes.empty() ? 0 : network.outputs(), what);
  if (rows != wanted || columns != wanted_columns)
    throw std::invalid_argument(std::string(what) + ": " + to_text(rows) + " x " + to_text(columns) + ", wanted " +
                                to_text(wanted) + " x " + to_text(wanted_columns));
}

void require(const DenseNetwork& network, const DensePass& pass, const char* what) {
  const Layers layers(network);
  bool fits = std::ssize(pass.hidden) + 1 == layers.count();
  for (std::size_t k = 0; fits && k < pass.hidden.size(); ++k) fits = pass.hidden[k].rows() == network.sizes[k + 1];
  if (!fits) throw std::invalid_argument(std::string(what) + ": the pass is not of a network of this shape");
}

}  // namespace

void require(const DenseNetwork& network, Index inputs, Index outputs, const char* who) {
  const bool whole = network.sizes.size() >= 2 && *std::min_element(network.sizes.begin(), network.sizes.end()) >= 1 &&
                     network.weights.size() == DenseNetwork::size(network.sizes);
  if (!whole || network.inputs() != inputs || network.outputs() != outputs)
    throw std::invalid_argument(std::string(who) + ": a network of " + shown(network.sizes) + " units with " +
                                to_text(network.weights.size()) + " weights; wanted " + to_text(inputs) + " inputs, " +
                                to_text(outputs) + " outputs and " + to_text(DenseNetwork::size(network.sizes)) +
                                " weights");
}

Index DenseNetwork::size(const std::vector<Index>& sizes) {
  Index total = 0;
  for (std::size_t k = 1; k < sizes.size(); ++k) total += sizes[k] * (sizes[k - 1] + 1);
  return total;
}

DenseNetwork DenseNetwork::random(std::vector<Index> sizes, std::uint64_t seed) {
  if (sizes.size() < 2 || *std::min_element(sizes.begin(), sizes.end()) < 1)
    throw std::invalid_argument("DenseNetwork::random: layers of " + shown(sizes) +
                                " units; wanted at least inputs and outputs, and 1 in each");
  DenseNetwork network{std::move(sizes), {}};
  network.weights.resize(size(network.sizes));
  std::mt19937_64 random(seed);
  Index first = 0;
  for (std::size_t k = 1; k < network.sizes.size(); ++k) {
    const Index count = network.sizes[k] * (network.sizes[k - 1] + 1);
    const double bound = 1 / std::sqrt(static_cast<double>(network.sizes[k - 1]));
    std::uniform_real_distribution<double> uniform(-bound, bound);
    for (double& weight : network.weights.segment(first, count)) weight = uniform(random);
    first += count;
  }
  return network;
}

void DenseNetwork::evaluate(const In& X, MatrixXd& Y) const {
  DensePass pass;
  evaluate(X, pass, Y);
}

void DenseNetwork::evaluate(const In& X, DensePass& pass, MatrixXd& Y) const {
  require(*this, X.rows(), sizes.empty() ? 0 : inputs(), X.cols(), X.cols(), "DenseNetwork::evaluate");
  const Layers layers(*this);
  pass.hidden.resize(static_cast<std::size_t>(layers.count() - 1));
  for (Index k = 0; k < layers.count(); ++k) {
    MatrixXd& out = layers.is_last(k) ? Y : pass.hidden[static_cast<std::size_t>(k)];
    if (k == 0)
      out.noalias() = layers.W(k) * X;
    else
      out.noalias() = layers.W(k) * pass.hidden[static_cast<std::size_t>(k - 1)];
    out.colwise() += layers.b(k);
    if (!layers.is_last(k)) take_tanh(out);
  }
}

void DenseNetwork::evaluate(const In& x, DensePass& pass, MatrixXd& y, MatrixXd& J) const {
  require(*this, x.rows(), sizes.empty() ? 0 : inputs(), x.cols(), 1, "DenseNetwork::evaluate");
  evaluate(x, pass, y);
  const Layers layers(*this);
  if (layers.count() == 1) {
    J = layers.W(0);
    return;
  }
  pass.to = layers.W(0);
  for (Index k = 1; k < layers.count(); ++k) {
    const auto h = pass.hidden[static_cast<std::size_t>(k - 1)].col(0).array();
    pass.from = pass.to.array().colwise() * (1 - h.square());
    (layers.is_last(k) ? J : pass.to).noalias() = layers.W(k) * pass.from;
  }
}

void DenseNetwork::push(DensePass& pass, const In& dX, MatrixXd& dY) const {
  const Layers layers(*this);
  require(*this, pass, "DenseNetwork::push");
  require(*this, dX.rows(), inputs(), dX.cols(), pass.hidden.empty() ? dX.cols() : pass.hidden[0].cols(),
          "DenseNetwork::push");
  for (Index k = 0; k < layers.count(); ++k) {
    MatrixXd& out = layers.is_last(k) ? dY : pass.to;
    if (k == 0) {
      out.noalias() = layers.W(k) * dX;
    } else {
      pass.from = pass.to.array() * (1 - pass.hidden[static_cast<std::size_t>(k - 1)].array().square());
      out.noalias() = layers.W(k) * pass.from;
    }
  }
}

void DenseNetwork::pull(DensePass& pass, const In& G, MatrixXd& GX) const {
  const Layers layers(*this);
  require(*this, pass, "DenseNetwork::pull");
  require(*this, G.rows(), outputs(), G.cols(), pass.hidden.empty() ? G.cols() : pass.hidden[0].cols(),
          "DenseNetwork::pull");
  for (Index k = layers.count() - 1; k >= 0; --k) {
    MatrixXd& out = k == 0 ? GX : pass.to;
    if (layers.is_last(k)) {
      out.noalias() = layers.W(k).transpose() * G;
    } else {
      pass.from = pass.to.array() * (1 - pass.hidden[static_cast<std::size_t>(k)].array().square());
      out.noalias() = layers.W(k).transpose() * pass.from;
    }
  }
}

}  // namespace quoin::identification
