// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/lagrangian_network.hpp"

#include "quoin/util/to_text.hpp"

#include "lower_triangle.hpp"
#include "state_shapes.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::identification {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// log(1 + e^z) = max(z, 0) + log(1 + e^-|z|), in place.
template <class Rows>
void take_softplus(Rows rows) {
  rows = rows.max(0) + (1 + (-rows.abs()).exp()).log();
}

std::vector<Index> layers(Index inputs, const std::vector<Index>& hidden, Index outputs) {
  std::vector<Index> sizes{inputs};
  sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  sizes.push_back(outputs);
  return sizes;
}

MatrixXd mass_of(const LagrangianNetwork& delan, const VectorXd& q) {
  const LowerTriangle triangle{delan.joints()};
  MatrixXd entries;
  delan.inertia.evaluate(q, entries);
  take_softplus(entries.topRows(triangle.n).array());
  MatrixXd L = MatrixXd::Zero(triangle.n, triangle.n);
  triangle.for_each([&](Index e, Index i, Index j) { L(i, j) = delan.inertia_scale[i] * entries(e, 0); });
  MatrixXd H = L * L.transpose();
  H.diagonal().array() += delan.floor;
  return H;
}

}  // namespace

LagrangianNetwork LagrangianNetwork::random(Index joints, std::uint64_t seed, const std::vector<Index>& hidden,
                                            bool with_damping) {
  if (joints < 1)
    throw std::invalid_argument("LagrangianNetwork::random: " + to_text(joints) + " joints, wanted at least 1");
  constexpr std::uint64_t another = 0x9e3779b97f4a7c15;  // the networks must not begin alike
  LagrangianNetwork delan;
  delan.inertia = DenseNetwork::random(layers(joints, hidden, LowerTriangle{joints}.entries()), seed);
  delan.potential = DenseNetwork::random(layers(joints, hidden, 1), seed ^ another);
  delan.inertia_scale = VectorXd::Ones(joints);
  if (with_damping) delan.damping_root = VectorXd::Constant(joints, 0.31622776601683794);  // of 0.1
  return delan;
}

LagrangianNetwork LagrangianNetwork::random(const RobotMotion& motion, std::uint64_t seed,
                                            const std::vector<Index>& hidden, bool with_damping) {
  require(motion, "LagrangianNetwork::random");
  LagrangianNetwork delan = random(motion.joints(), seed, hidden, with_damping);
  const auto deviations = [](const MatrixXd& X) {
    const VectorXd mean = X.rowwise().mean();
    return VectorXd(((X.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(X.cols())).cwiseSqrt());
  };
  const VectorXd forces = deviations(motion.tau), accelerations = deviations(motion.qdd);
  for (Index i = 0; i < motion.joints(); ++i)
    if (forces[i] > 0 && forces[i] < accelerations[i]) delan.inertia_scale[i] = std::sqrt(forces[i] / accelerations[i]);
  return delan;
}

VectorXd LagrangianNetwork::damping() const {
  return damping_root.size() > 0 ? VectorXd(damping_root.cwiseAbs2()) : VectorXd::Zero(joints());
}

MatrixXd LagrangianNetwork::mass_matrix(const VectorXd& q) const {
  require(*this, q.size(), "LagrangianNetwork::mass_matrix");
  return mass_of(*this, q);
}

double LagrangianNetwork::energy(const VectorXd& q, const VectorXd& qd) const {
  require(*this, q.size(), "LagrangianNetwork::energy");
  require(*this, qd.size(), "LagrangianNetwork::energy");
  MatrixXd V;
  potential.evaluate(q, V);
  return 0.5 * qd.dot(mass_of(*this, q) * qd) + V(0, 0);
}

void LagrangianNetwork::inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau) const {
  require(*this, joints(), "LagrangianNetwork::inverse_dynamics");
  require_states(joints(), q, qd, qdd, tau, "LagrangianNetwork::inverse_dynamics");
  const LowerTriangle triangle{joints()};
  const Index n = joints();
  const VectorXd friction = damping();
  VectorXd scale(triangle.entries());
  triangle.for_each([&](Index e, Index i, Index) { scale[e] = inertia_scale[i]; });
  DensePass pass;
  MatrixXd entries, rates, slope, by_q, V;
  // of one state: L^T qd, and L^T qdd + (dL/dt)^T qd
  VectorXd u(n), w(n);
  in_blocks(q.cols(), [&](Index first, Index count) {
    const auto Q = q.middleCols(first, count);
    inertia.evaluate(Q, pass, entries);
    inertia.push(pass, qd.middleCols(first, count), rates);
    slope = 1 / (1 + (-entries.topRows(n).array()).exp());  // of softplus
    take_softplus(entries.topRows(n).array());
    rates.topRows(n).array() *= slope.array();
    entries.array().colwise() *= scale.array();
    rates.array().colwise() *= scale.array();
    for (Index c = 0; c < count; ++c) {
      const auto velocity = qd.col(first + c), acceleration = qdd.col(first + c);
      auto force = tau.col(first + c);
      const double* L = entries.col(c).data();
      double* dL = rates.col(c).data();
      u.setZero();
      w.setZero();
      triangle.for_each([&](Index e, Index i, Index j) {
        u[j] += L[e] * velocity[i];
        w[j] += L[e] * acceleration[i] + dL[e] * velocity[i];
      });
      force = floor * acceleration + friction.cwiseProduct(velocity);
      // From here on rates holds gradients: d/dL of u^T L^T qd, half of qd^T H qd's.
      triangle.for_each([&](Index e, Index i, Index j) {
        force[i] += L[e] * w[j] + dL[e] * u[j];
        dL[e] = velocity[i] * u[j];
      });
    }
    rates.topRows(n).array() *= slope.array();
    rates.array().colwise() *= scale.array();
    inertia.pull(pass, rates, by_q);
    tau.middleCols(first, count) -= by_q;
    potential.evaluate(Q, pass, V);
    V.setOnes();
    potential.pull(pass, V, by_q);
    tau.middleCols(first, count) += by_q;
  });
}

void require(const LagrangianNetwork& delan, Index joints, const char* who) {
  require(delan.inertia, joints, LowerTriangle{joints}.entries(), who);
  require(delan.potential, joints, 1, who);
  if (delan.inertia_scale.size() != joints || !(delan.inertia_scale.array() > 0).all())
    throw std::invalid_argument(std::string(who) + ": " + to_text(delan.inertia_scale.size()) +
                                " scales of inertia, wanted " + to_text(joints) + ", all more than 0");
  if ((delan.damping_root.size() != 0 && delan.damping_root.size() != joints) || !(delan.floor > 0))
    throw std::invalid_argument(std::string(who) + ": damping of " + to_text(delan.damping_root.size()) +
                                " joints, wanted 0 or " + to_text(joints) + "; floor " + to_text(delan.floor) +
                                ", wanted more than 0");
}

}  // namespace quoin::identification
