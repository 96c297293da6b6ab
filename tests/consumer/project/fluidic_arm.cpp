// SPDX-License-Identifier: BSD-3-Clause
// The compiled fluidic arm hangs straight, keeps its energy as it swings, and inverts its own dynamics, called from a
// program that may be compiled for another processor.
#include <quoin/robots/models/fluidic_arm/equilibrium.hpp>
#include <quoin/robots/models/fluidic_arm/fluidic_arm.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  using namespace quoin::fluidic_arm;
  const FluidicArm arm(
      {.segments = std::vector<Segment>(4, {.length = 0.13, .mass = 0.1, .stiffness = 0.1}), .passive_segments = 0});
  const Equilibrium rest =
      find_equilibrium(arm, Eigen::VectorXd::Zero(arm.control_size()), Eigen::Vector4d::Constant(0.3));
  const double below = (arm.tip(rest.q) - Eigen::Vector2d(0, -0.52)).norm();

  Eigen::VectorXd x(8), rate, torques;
  x << 0.3, -0.2, 0.5, 0.1, 1, 0, -1, 2;
  const Eigen::VectorXd u = Eigen::Vector4d(0.01, 0, -0.02, 0.03);
  const bool moved = arm.rate(x, u, rate) == quoin::StepStatus::ok;
  arm.inverse_dynamics(x.head(4), x.tail(4), rate.tail(4), torques);
  const double off = (torques - u).norm();
  const bool ok = rest.converged && below < 1e-8 && moved && off < 1e-12;
  if (!ok) std::printf("FAILED: the tip hangs %g m off, torques are %g N m off\n", below, off);
  return !ok;
}
