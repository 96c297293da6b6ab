// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/hierarchical_aico.hpp"
#include "testing/robots/aico_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace quoin::planning::test {

inline Matrix block_diagonal(const Matrix& a, const Matrix& b) {
  Matrix both = Matrix::Zero(a.rows() + b.rows(), a.cols() + b.cols());
  both.topLeftCorner(a.rows(), a.cols()) = a;
  both.bottomRightCorner(b.rows(), b.cols()) = b;
  return both;
}

inline Vector stacked(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

/// Both levels as one: AICO's problem for (x, z), with controls (u, v), whose solution is the joint maximum at any rho.
/// The rows of its controls are u, then v; of its states x, then z.
inline AicoProblem joint_problem(const AicoProblem& problem, const UpperLevel& level) {
  const Eigen::Index n = problem.state_size, m = problem.control_size(),
                     d = level.coordinates > 0 ? level.coordinates : n / 2;
  const Eigen::Index k = level.prior.step.A.rows();
  Vector z0 = Vector::Zero(k), y;
  Matrix J;
  REQUIRE(level.map(0, problem.initial_state.head(d), y, J));
  z0.head(level.size) = y;

  AicoProblem joint = problem;
  joint.state_size = n + k;
  joint.control_cost = block_diagonal(problem.control_cost, level.prior.control_cost);
  joint.initial_state = stacked(problem.initial_state, z0);
  if (problem.initial_covariance.size() != 0)
    joint.initial_covariance = block_diagonal(problem.initial_covariance, Matrix::Zero(k, k));
  joint.dynamics = [g = problem.dynamics, n, m, prior = level.prior.step](int t, const Vector& x, const Vector& u,
                                                                          Vector& next, LinearStep* step) {
    const Vector lower = x.head(n), controls = u.head(m);
    Vector lower_next;
    const StepStatus status = g(t, lower, controls, lower_next, step);
    if (status != StepStatus::ok) return status;
    next = stacked(lower_next, prior.A * x.tail(x.size() - n) + prior.a + prior.B * u.tail(u.size() - m));
    if (step) *step = {block_diagonal(step->A, prior.A), stacked(step->a, prior.a), block_diagonal(step->B, prior.B)};
    return status;
  };
  joint.task = [of = problem.task, map = level.map, rho = level.precision, n, d, size = level.size](
                   int t, const Vector& x, LocalTask& task) {
    LocalTask lower;
    lower.set_zero(n);
    const Vector state = x.head(n);
    if (!of(t, state, lower)) return false;
    task.R.topLeftCorner(n, n) += lower.R;
    task.r.head(n) += lower.r;
    task.cost += lower.cost;
    if (rho[t] == 0) return true;
    Vector e;
    Matrix J_q;
    if (!map(t, state.head(d), e, J_q)) return false;
    e -= x.segment(n, size);
    Matrix J_x = Matrix::Zero(size, n + size);
    J_x.leftCols(d) = J_q;
    J_x.rightCols(size) = -Matrix::Identity(size, size);
    task.add(std::sqrt(rho[t]) * e, std::sqrt(rho[t]) * J_x, x);
    return true;
  };
  return joint;
}

}  // namespace quoin::planning::test
