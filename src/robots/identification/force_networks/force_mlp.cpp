// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/force_mlp.hpp"

#include "quoin/util/to_text.hpp"

#include "state_shapes.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void standardize(const DenseNetwork::In& X, Eigen::Ref<VectorXd> mean, Eigen::Ref<VectorXd> deviation) {
  mean = X.rowwise().mean();
  deviation = ((X.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(X.cols())).cwiseSqrt();
  constexpr double rounding = 1e-12;  // of a constant number
  for (Index i = 0; i < X.rows(); ++i)
    if (!(deviation[i] > rounding * (1 + std::abs(mean[i])))) deviation[i] = 1;
}

}  // namespace

ForceMlp ForceMlp::random(Index joints, std::uint64_t seed, const std::vector<Index>& hidden) {
  if (joints < 1) throw std::invalid_argument("ForceMlp::random: " + to_text(joints) + " joints, wanted at least 1");
  std::vector<Index> sizes{3 * joints};
  sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  sizes.push_back(joints);
  return {.network = DenseNetwork::random(sizes, seed),
          .input_mean = VectorXd::Zero(3 * joints),
          .input_deviation = VectorXd::Ones(3 * joints),
          .force_mean = VectorXd::Zero(joints),
          .force_deviation = VectorXd::Ones(joints)};
}

ForceMlp ForceMlp::random(const RobotMotion& motion, std::uint64_t seed, const std::vector<Index>& hidden) {
  require(motion, "ForceMlp::random");
  const Index n = motion.joints();
  ForceMlp mlp = random(n, seed, hidden);
  Index first = 0;
  for (const MatrixXd* X : {&motion.q, &motion.qd, &motion.qdd}) {
    standardize(*X, mlp.input_mean.segment(first, n), mlp.input_deviation.segment(first, n));
    first += n;
  }
  standardize(motion.tau, mlp.force_mean, mlp.force_deviation);
  return mlp;
}

MatrixXd ForceMlp::standardized_inputs(const In& q, const In& qd, const In& qdd) const {
  MatrixXd X(3 * joints(), q.cols());
  X << q, qd, qdd;
  X.colwise() -= input_mean;
  X.array().colwise() /= input_deviation.array();
  return X;
}

MatrixXd ForceMlp::standardized_forces(const In& tau) const {
  return ((tau.colwise() - force_mean).array().colwise() / force_deviation.array()).matrix();
}

void ForceMlp::inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) const {
  require(*this, joints(), "ForceMlp::inverse_dynamics");
  require_states(joints(), q, qd, qdd, tau, "ForceMlp::inverse_dynamics");
  DensePass pass;
  MatrixXd Y;
  in_blocks(q.cols(), [&](Index first, Index count) {
    network.evaluate(
        standardized_inputs(q.middleCols(first, count), qd.middleCols(first, count), qdd.middleCols(first, count)),
        pass, Y);
    tau.middleCols(first, count) = (Y.array().colwise() * force_deviation.array()).matrix().colwise() + force_mean;
  });
}

void require(const ForceMlp& mlp, Index joints, const char* who) {
  require(mlp.network, 3 * joints, joints, who);
  if (mlp.input_mean.size() != 3 * joints || mlp.input_deviation.size() != 3 * joints ||
      mlp.force_mean.size() != joints || mlp.force_deviation.size() != joints)
    throw std::invalid_argument(std::string(who) + ": means and deviations of " + to_text(mlp.input_mean.size()) +
                                " and " + to_text(mlp.input_deviation.size()) + " inputs, " +
                                to_text(mlp.force_mean.size()) + " and " + to_text(mlp.force_deviation.size()) +
                                " forces, wanted " + to_text(3 * joints) + " and " + to_text(joints));
}

}  // namespace quoin::identification
