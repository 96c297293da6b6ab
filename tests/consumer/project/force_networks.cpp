// SPDX-License-Identifier: BSD-3-Clause
// Networks learn a pendulum's forces, and predict, in a program that may be compiled for another processor.
#include <quoin/robots/identification/force_networks/fit_networks.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using namespace quoin::identification;
  const Eigen::RowVectorXd t = Eigen::RowVectorXd::LinSpaced(200, 0, 6.2);
  const RobotMotion motion{.q = t.array().sin(),
                           .qd = t.array().cos(),
                           .qdd = -t.array().sin(),
                           .tau = 9.81 * t.array().sin().sin() - t.array().sin()};
  ForceMlp mlp = ForceMlp::random(motion, 1);
  LagrangianNetwork delan = LagrangianNetwork::random(1, 1);
#ifdef QUOIN_HAS_TORCH
  const FitOptions options{.epochs = 300, .batch = 50, .target = 0.01};
  const quoin::Stop stops[] = {fit_forces(mlp, motion, options).stop, fit_forces(delan, motion, options).stop};
  for (const quoin::Stop stop : stops) {
    std::printf("%s\n", to_string(stop));
    if (stop != quoin::Stop::target_reached) return 1;
  }
#endif
  Eigen::MatrixXd tau(1, 200);
  mlp.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau);
  if (!tau.allFinite()) return 1;
  delan.inverse_dynamics(motion.q, motion.qd, motion.qdd, tau);
  return tau.allFinite() && delan.mass_matrix(Eigen::VectorXd::Ones(1))(0, 0) > 0 ? 0 : 1;
}
