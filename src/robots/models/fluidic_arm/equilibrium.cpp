// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
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
  const auto move_to = [&](const VectorXd& q) {
    found.q = q;
    arm.static_forces(q, forces, stiffness);
    found.residual = largest(forces);
  };
  // Along the direction of a negative stiffness, to either side, as far as energies can tell.
  const auto leave_along = [&](const VectorXd& direction) {
    for (double angle = 0.3; angle > 1e-5; angle /= 4)
      for (const double to : {angle, -angle}) {
        const VectorXd aside = found.q + to * direction;
        if (!(energy(aside) < energy(found.q))) continue;
        move_to(aside);
        return true;
      }
    return false;
  };
  // Newton's step, in which negative stiffnesses count as positive; shorter until the energy falls. Near the minimum
  // its change is below rounding: the forces decide there.
  const auto step_down = [&](const linear_algebra::SymmetricEigen& modes) {
    const VectorXd& k = modes.eigenvalues();
    const VectorXd sizes = k.cwiseAbs().cwiseMax(1e-10 * k.cwiseAbs().maxCoeff());
    const VectorXd missing = held - forces, from = found.q;
    VectorXd step = modes.eigenvectors() * (modes.eigenvectors().transpose() * missing).cwiseQuotient(sizes);
    if (const double most = step.lpNorm<Eigen::Infinity>(); most > 1) step /= most;
    for (double part = 1; part > 1e-10; part /= 2) {
      const VectorXd next = from + part * step;
      VectorXd next_forces;
      MatrixXd next_stiffness;
      arm.static_forces(next, next_forces, next_stiffness);
      const bool downhill = energy(next) <= energy(from) - 1e-4 * part * step.dot(missing);
      if (!downhill && !(part == 1 && k[0] > 0 && largest(next_forces) < 0.5 * found.residual)) continue;
      found.q = next;
      found.residual = largest(next_forces);
      forces.swap(next_forces);
      stiffness.swap(next_stiffness);
      return true;
    }
    return false;
  };
  for (move_to(guess);; ++found.iterations) {
    if (!std::isfinite(found.residual)) break;
    const bool at_rest = found.residual <= options.tolerance;
    const linear_algebra::SymmetricEigen modes(stiffness);
    const bool stays = modes.eigenvalues()[0] >= -1e-10 * modes.eigenvalues().cwiseAbs().maxCoeff();
    found.converged = at_rest && stays;
    if (found.converged || found.iterations >= options.max_iterations) break;
    // So near a rest that does not stay rounding hides that a step goes down.
    if (!(!at_rest && step_down(modes)) && !(!stays && leave_along(modes.eigenvectors().col(0)))) break;
  }
  return found;
}

}  // namespace quoin::fluidic_arm
