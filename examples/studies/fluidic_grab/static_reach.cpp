// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/static_reach.hpp"

#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/robots/optimization/dense_program.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>

#include <stdexcept>
#include <string>
#include <utility>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using namespace optimization;

StaticReach::StaticReach(fluidic_arm::FluidicArm arm, const VectorXd& limits, double largest_angle)
    : arm_(std::move(arm)), largest_angle_(largest_angle) {
  if (limits.size() != arm_.control_size() || !(limits.array() >= 0).all())
    throw std::invalid_argument("StaticReach: " + to_text(limits.size()) + " limits for " +
                                to_text(arm_.control_size()) + " actuated segments, or a negative one");
  limits_ = arm_.actuation() * limits;
}

RestingPose StaticReach::pose(const VectorXd& q, const Vector2d& goal) const {
  VectorXd forces;
  MatrixXd stiffness;
  arm_.static_forces(q, forces, stiffness);
  RestingPose found{.q = q, .torques = forces.tail(arm_.control_size()), .tip = arm_.tip(q)};
  found.stable = Eigen::LLT<MatrixXd>(stiffness).info() == Eigen::Success;
  if (((forces.cwiseAbs() - limits_).array() <= 1e-6).all()) found.distance = (found.tip - goal).norm();
  return found;
}

RestingPose StaticReach::closest(const Vector2d& goal, const VectorXd& start) const {
  const Index n = arm_.coordinates();
  DenseProgram program{.start = start,
                       .lower = VectorXd::Constant(n, -largest_angle_),
                       .upper = VectorXd::Constant(n, largest_angle_),
                       .objective =
                           [this, goal](const VectorXd& q, double& f, VectorXd& gradient) {
                             constexpr double per_square = 50;  // half the square, in units of 10 cm
                             Vector2d tip;
                             Eigen::Matrix2Xd J;
                             arm_.point(q, static_cast<int>(arm_.coordinates()) - 1, 1, tip, J);
                             f = per_square * (tip - goal).squaredNorm();
                             gradient = 2 * per_square * J.transpose() * (tip - goal);
                             return true;
                           },
                       .constraints =
                           [this](const VectorXd& q, VectorXd& forces, MatrixXd& jacobian) {
                             arm_.static_forces(q, forces, jacobian);
                             return true;
                           },
                       .constraint_lower = -limits_,
                       .constraint_upper = limits_};
  const NlpResult solved = solve_with_ipopt(nonlinear_program(program),
                                            {.tolerance = 1e-5, .constraint_tolerance = 1e-7, .max_iterations = 100});
  return pose(solved.z, goal);
}

RestingPose StaticReach::closest(const Vector2d& goal, const std::vector<VectorXd>& starts, double enough) const {
  RestingPose best;
  for (const VectorXd& start : starts) {
    const RestingPose found = closest(goal, start);
    if (found.distance < best.distance) best = found;
    if (best.distance <= enough) break;
  }
  return best;
}

std::vector<RestingPose> StaticReach::forward_image(int levels) const {
  std::vector<RestingPose> found;
  const VectorXd limits = limits_.tail(arm_.control_size());
  VectorXd q = VectorXd::Zero(arm_.coordinates()), torques = -limits;
  // The lattice is traversed back and forth, so that each equilibrium starts from a neighbour's.
  Eigen::VectorXi level = Eigen::VectorXi::Zero(limits.size()), direction = Eigen::VectorXi::Ones(limits.size());
  for (;;) {
    for (Index i = 0; i < limits.size(); ++i) torques[i] = limits[i] * (2. * level[i] / (levels - 1) - 1);
    fluidic_arm::Equilibrium rest = find_equilibrium(arm_, torques, q);
    if (!rest.converged) rest = find_equilibrium(arm_, torques, VectorXd::Zero(q.size()));
    if (rest.converged && rest.q.cwiseAbs().maxCoeff() <= largest_angle_) {
      q = rest.q;
      found.push_back({.q = q, .torques = torques, .tip = arm_.tip(q), .distance = 0, .stable = true});
    }
    Index turn = 0;
    while (turn < limits.size() && (level[turn] + direction[turn] < 0 || level[turn] + direction[turn] >= levels)) {
      direction[turn] = -direction[turn];
      ++turn;
    }
    if (turn == limits.size()) return found;
    level[turn] += direction[turn];
  }
}

}  // namespace studies::grab
