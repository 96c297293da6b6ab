// SPDX-License-Identifier: BSD-3-Clause
// The swimmer of the compiled component, called from a program that may be compiled for another processor.
#include "central_difference.hpp"

#include <quoin/robots/models/swimmer/added_mass.hpp>
#include <quoin/robots/models/swimmer/ellipsoid_chain.hpp>
#include <quoin/robots/models/swimmer/generalized_mass.hpp>
#include <quoin/robots/models/swimmer/swimmer_dynamics.hpp>

#include <cstdio>

int main() {
  using namespace quoin::swimmer;
  using Mass = GeneralizedMass<3, AddedMass<3>>;
  const Swimmer fish = ellipsoid_chain({.mesh = 1});
  const Mass mass(fish, Motion::planar, AddedMass<3>(fish, Motion::planar));
  const quoin::Point<3> q(0.3, -0.2, 0.4);
  bool ok = agrees_with_central_difference<3>(mass, q, {0.01, -0.02, 0.01});

  const SwimmerDynamics<3, Mass> swim(mass, Motion::planar, {.derivative = quoin::StepDerivative::gauss_newton});
  Eigen::VectorXd next;
  Eigen::MatrixXd A, B;
  const Eigen::VectorXd torques = Eigen::Vector3d(0.02, 0.01, -0.02);
  const auto status = swim.step(swim.rest_state(q), torques, next, A, B);
  if (status != quoin::StepStatus::ok || !(swim.kinetic_energy(next) > 0) || !(swim.momentum(next).norm() < 1e-12)) {
    std::printf("FAILED: a step from rest, status %d\n", static_cast<int>(status));
    ok = false;
  }
  return !ok;
}
