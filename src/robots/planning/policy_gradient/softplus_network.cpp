// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/softplus_network.hpp"

#include "quoin/util/to_text.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

namespace quoin::planning {

SoftplusNetwork SoftplusNetwork::random(Eigen::Index inputs, Eigen::Index hidden, Eigen::Index outputs,
                                        double output_scale, std::uint64_t seed) {
  if (inputs < 1 || hidden < 1 || outputs < 1)
    throw std::invalid_argument("SoftplusNetwork::random: " + to_text(inputs) + " inputs, " + to_text(hidden) +
                                " hidden units, " + to_text(outputs) + " outputs: must all be positive");
  SoftplusNetwork network{inputs, hidden, outputs, Eigen::VectorXd::Zero(size(inputs, hidden, outputs))};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&](Eigen::Index first, Eigen::Index count, double deviation) {
    for (double& weight : network.weights.segment(first, count)) weight = deviation * normal(random);
  };
  draw(0, hidden * inputs, 1 / std::sqrt(static_cast<double>(inputs)));
  draw(hidden * (inputs + 1), outputs * hidden, output_scale / std::sqrt(static_cast<double>(hidden)));
  return network;
}

void SoftplusNetwork::evaluate(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const {
  if (X.rows() != inputs || weights.size() != size())
    throw std::invalid_argument("SoftplusNetwork::evaluate: inputs of size " + to_text(X.rows()) + " and " +
                                to_text(weights.size()) + " weights, wanted " + to_text(inputs) + " and " +
                                to_text(size()));
  using Matrix = Eigen::Map<const Eigen::MatrixXd>;
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const double* w = weights.data();
  const Matrix W1(w, hidden, inputs);
  const Vector b1(w += hidden * inputs, hidden);
  const Matrix W2(w += hidden, outputs, hidden);
  const Vector b2(w += outputs * hidden, outputs);
  Eigen::MatrixXd Z = W1 * X;
  Z.colwise() += b1;
  // log(1 + e^z) = max(z, 0) + log(1 + e^-|z|)
  Z = Z.array().max(0) + (1 + (-Z.array().abs()).exp()).log();
  Y.noalias() = W2 * Z;
  Y.colwise() += b2;
}

}  // namespace quoin::planning
