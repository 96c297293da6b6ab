// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/fluidic_arm/equilibrium.hpp"

#include "quoin/core/options_of.hpp"
#include "quoin/core/to_text.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace quoin::fluidic_arm {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Equilibrium find_equilibrium(const FluidicArm& arm, const VectorXd& torques, const VectorXd& guess,
                             const EquilibriumOptions& options) {
  if (torques.size() != arm.control_size() || guess.size() != arm.coordinates())
    throw std::invalid_argument("find_equilibrium: " + to_text(torques.size()) + " torques and " +
                                to_text(guess.size()) + " angles for an arm with " + to_text(arm.control_size()) +
                                " and " + to_text(arm.coordinates()));
  if (!torques.allFinite() || !guess.allFinite())
    throw std::invalid_argument("find_equilibrium: torques or guess are not finite");
  const OptionsOf of{"find_equilibrium"};
  of.not_negative("tolerance", options.tolerance);
  of.not_negative("max_iterations", options.max_iterations);
  const VectorXd held = arm.actuation() * torques;
  // NaN, if there is one: it is within no tolerance.
  const auto largest = [&](const VectorXd& forces) {
    return (forces - held).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  };
  const auto energy = [&](const VectorXd& q) { return arm.potential_energy(q) - held.dot(q); };
  Equilibrium found{.q = guess};
  VectorXd forces;
  MatrixXd stiffness;
  double damping = 0;
  arm.static_forces(found.q, forces, stiffness);
  for (found.residual = largest(forces); found.iterations < options.max_iterations; ++found.iterations) {
    found.converged = found.residual <= options.tolerance;
    if (found.converged) break;
    const double scale = stiffness.diagonal().cwiseAbs().maxCoeff();
    Eigen::LLT<MatrixXd> factor(stiffness + damping * scale * MatrixXd::Identity(held.size(), held.size()));
    if (factor.info() != Eigen::Success) {
      damping = std::max(10 * damping, 1e-3);
      continue;
    }
    const VectorXd step = factor.solve(held - forces), next = found.q + step;
    // Near the minimum the change of energy is below rounding: the forces decide there.
    VectorXd next_forces;
    MatrixXd next_stiffness;
    arm.static_forces(next, next_forces, next_stiffness);
    const double residual = largest(next_forces);
    const bool downhill = energy(next) <= energy(found.q) - 1e-4 * step.dot(held - forces);
    if (!downhill && !(residual < 0.5 * found.residual && damping == 0)) {
      damping = std::max(10 * damping, 1e-3);
      continue;
    }
    damping = damping > 1e-3 ? damping / 10 : 0;
    found.q = next;
    forces = next_forces;
    stiffness = next_stiffness;
    found.residual = residual;
  }
  found.converged = found.residual <= options.tolerance;
  return found;
}

}  // namespace quoin::fluidic_arm
