// SPDX-License-Identifier: BSD-3-Clause
#include "upper_chain.hpp"

#include "quoin/core/to_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

Matrix block_diagonal(const Matrix& a, const Matrix& b) {
  Matrix both = Matrix::Zero(a.rows() + b.rows(), a.cols() + b.cols());
  both.topLeftCorner(a.rows(), a.cols()) = a;
  both.bottomRightCorner(b.rows(), b.cols()) = b;
  return both;
}

Vector stacked(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

}  // namespace

AicoProblem joint_problem(const AicoProblem& problem, const UpperLevel& level) {
  check(problem, level, "joint_problem");
  const Index n = problem.state_size, m = problem.control_size(), d = coordinates_of(problem, level);
  const Index k = level.prior.step.A.rows();
  Vector z0 = Vector::Zero(k), y;
  Matrix J;
  if (!level.map(0, problem.initial_state.head(d), y, J) || y.size() != level.size || !y.allFinite()) {
    throw std::invalid_argument("joint_problem: phi cannot be computed at the initial state, or gives " +
                                to_text(y.size()) + " numbers for " + to_text(level.size));
  }
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

}  // namespace quoin::planning
