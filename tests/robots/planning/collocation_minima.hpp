// SPDX-License-Identifier: BSD-3-Clause
// Problems of collocation whose obvious guesses lie on a symmetry, where there is a stationary point that is no
// minimum, and a judge of minima that shares nothing with the planner but its program.
#pragma once

#include "quoin/robots/planning/collocation/collocation.hpp"
#include "testing/robots/swing_ups.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace quoin::planning::test {

/// The robots of `swing_ups.hpp` in continuous time.
struct ContinuousRobot {
  Rates rates;
  Eigen::Index state_size() const { return rates.state_size(); }
  Eigen::Index control_size() const { return rates.control_size(); }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f) const {
    f.resize(x.size());
    rates.rate(x.data(), u.data(), f.data());
    return f.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f, Matrix& dx, Matrix& du) const {
    const Eigen::Index n = x.size(), m = u.size();
    dx.resize(n, n);
    du.resize(n, m);
    Eigen::VectorXcd z = x.cast<std::complex<double>>(), w = u.cast<std::complex<double>>(), moved(n);
    for (Eigen::Index j = 0; j < n + m; ++j) {
      std::complex<double>& coordinate = j < n ? z[j] : w[j - n];
      coordinate += std::complex<double>(0, 1e-30);
      rates.rate(z.data(), w.data(), moved.data());
      coordinate = coordinate.real();
      (j < n ? dx.col(j) : du.col(j - n)) = moved.imag() / 1e-30;
    }
    return rate(x, u, f);
  }
};

/// A problem and where to begin.
struct Begun {
  CollocationProblem problem = {};
  CollocationPlan guess = {};
};

/// A swing-up or reach with the end as a cost, at rest for a guess, or at random, or at rest but for rounding.
inline Begun drawn_collocation_swing_up(unsigned seed) {
  const SwingUp swing = drawn_swing_up(seed);
  const int intervals = swing.horizon / 2;
  const double h = swing.dynamics.h;
  const Eigen::Index m = swing.dynamics.control_size();
  Begun begun{.problem = {.dynamics = node_dynamics(ContinuousRobot{swing.dynamics.rates}),
                          .times = Vector::LinSpaced(intervals + 1, 0, swing.horizon * h),
                          .initial_state = swing.initial_state,
                          .lower_control = swing.lower_control,
                          .upper_control = swing.upper_control}};
  const auto half_square = [](const Vector& r, double weight, const Matrix& by, Vector& slope) {
    slope = weight * by.transpose() * r;
    return 0.5 * weight * r.squaredNorm();
  };
  begun.problem.running_cost = [residuals = swing.residuals, h, half_square](double, const Vector& x, const Vector& u,
                                                                             double& cost, Vector& dx, Vector& du) {
    Vector r;
    Matrix r_x, r_u;
    residuals.residual(0, x, u, r, r_x, r_u);
    cost = half_square(r, 1 / h, r_x, dx);
    half_square(r, 1 / h, r_u, du);
    return true;
  };
  begun.problem.terminal_cost = [residuals = swing.residuals, half_square](const Vector& x, double& cost, Vector& dx) {
    Vector r;
    Matrix r_x, r_u;
    residuals.residual(0, x, Vector(), r, r_x, r_u);
    cost = half_square(r, 1, r_x, dx);
    return true;
  };
  begun.guess = straight_guess(begun.problem, swing.initial_state);
  const Matrix controls = drawn_guess(swing, seed);
  begun.guess.controls.resize(m, begun.guess.times.size());
  for (Eigen::Index i = 0; i < begun.guess.times.size(); ++i)
    begun.guess.controls.col(i) = controls.col(std::min<Eigen::Index>(controls.cols() - 1, 2 * i));
  return begun;
}

/// A mass that pushes itself through space, q'' = u.
struct FreeMass {
  Eigen::Index state_size() const { return 6; }
  Eigen::Index control_size() const { return 3; }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f) const {
    f.resize(6);
    f << x.tail(3), u;
    return StepStatus::ok;
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f, Matrix& dx, Matrix& du) const {
    dx.setZero(6, 6);
    dx.topRightCorner(3, 3).setIdentity();
    du.setZero(6, 3);
    du.bottomRows(3).setIdentity();
    return rate(x, u, f);
  }
};

/// Past an ellipsoid that lies in the way, to rest behind it: over its longer axis, where the guess leads, by symmetry
/// with equations of motion, a prescribed end and an active path constraint; the shorter way is beside it.
inline Begun drawn_way_past_ellipsoid(unsigned seed) {
  std::mt19937 generator(seed * 7919 + 5);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
  const double width = between(0.3, 0.6);
  const Eigen::Vector3d axes(between(0.3, 0.6), width * between(1.1, 1.6), width);
  const double duration = between(1, 3);
  Vector start = Vector::Zero(6), goal = Vector::Zero(6);
  start[0] = -1;
  goal[0] = between(0.9, 1.5);
  const Vector zero = Vector::Zero(6);
  Begun begun{.problem = {.dynamics = node_dynamics(FreeMass{}),
                          .times = Vector::LinSpaced(16, 0, duration),
                          .initial_state = start,
                          .running_cost = effort(between(0.1, 10) * Matrix::Identity(3, 3)),
                          .path =
                              [axes](double, const Vector& x, const Vector& u, Vector& g, Matrix& dx, Matrix& du) {
                                const Vector scaled = x.head(3).cwiseQuotient(axes);
                                g = Vector::Constant(1, scaled.squaredNorm());
                                dx.setZero(1, 6);
                                dx.leftCols(3) = 2 * scaled.cwiseQuotient(axes).transpose();
                                du.setZero(1, u.size());
                                return true;
                              },
                          .lower_path = Vector::Ones(1),
                          .upper_path = Vector::Constant(1, std::numeric_limits<double>::infinity()),
                          .boundary =
                              [goal](const Vector& x, Vector& h, Matrix& dx) {
                                h = x - goal;
                                dx.setIdentity(6, 6);
                                return true;
                              },
                          .lower_boundary = zero,
                          .upper_boundary = zero}};
  begun.guess = straight_guess(begun.problem, goal);
  const Eigen::Index count = begun.problem.times.size();
  CollocationPlan arch{.scheme = CollocationScheme::trapezoid,
                       .times = begun.problem.times,
                       .states = Matrix::Zero(6, count),
                       .controls = Matrix::Zero(3, count)};
  const bool beside = seed % 4 == 3;  // every fourth begins off the symmetry
  for (Eigen::Index i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(count - 1);
    arch.states.col(i) = (1 - s) * start + s * goal;
    arch.states(1, i) = 1.2 * axes[1] * std::sin(EIGEN_PI * s);
    if (beside) arch.states(2, i) = 0.4 * axes[2] * std::sin(EIGEN_PI * s);
  }
  begun.guess = arch;
  return begun;
}

/// The least curvature of the Lagrangian on the directions that equations and pressed bounds leave, over its greatest,
/// by dense matrices in natural units.
inline double least_curvature(const CollocationProblem& problem, const CollocationPlan& plan) {
  const Eigen::Index n = plan.states.rows(), k = plan.rates.rows(), m = plan.controls.rows();
  const CollocationOptions natural{.scheme = plan.scheme,
                                   .state_scale = Vector::Ones(n),
                                   .control_scale = Vector::Ones(m),
                                   .rate_scale = Vector::Ones(k),
                                   .dynamics_scale = Vector::Ones(k),
                                   .cost_scale = 1};
  const optimization::NonlinearProgram program = collocation_program(problem, plan, natural);
  const Vector& z = program.start;
  const Eigen::Index size = z.size(), rows = program.constraint_lower.size();
  Vector c(rows), first(program.jacobian.rows.size()), second(program.hessian.rows.size());
  if (!program.constraints(z, c) || !program.constraint_jacobian(z, first) ||
      !program.lagrangian_hessian(z, 1, plan.multipliers.constraints, second)) {
    return -std::numeric_limits<double>::infinity();
  }
  Matrix jacobian = Matrix::Zero(rows, size), hessian = Matrix::Zero(size, size);
  for (std::size_t e = 0; e < program.jacobian.rows.size(); ++e)
    jacobian(program.jacobian.rows[e], program.jacobian.columns[e]) += first[static_cast<Eigen::Index>(e)];
  for (std::size_t e = 0; e < program.hessian.rows.size(); ++e) {
    const int i = program.hessian.rows[e], j = program.hessian.columns[e];
    hessian(i, j) += second[static_cast<Eigen::Index>(e)];
    if (i != j) hessian(j, i) += second[static_cast<Eigen::Index>(e)];
  }
  std::vector<Eigen::Index> held, free;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double gap = std::min(c[i] - program.constraint_lower[i], program.constraint_upper[i] - c[i]);
    if (gap < 1e-4 && (program.constraint_lower[i] == program.constraint_upper[i] ||
                       std::abs(plan.multipliers.constraints[i]) > 1e-4)) {
      held.push_back(i);
    }
  }
  for (Eigen::Index j = 0; j < size; ++j) {
    const double gap = std::min(z[j] - program.lower[j], program.upper[j] - z[j]);
    const double force = std::max(plan.multipliers.lower[j], plan.multipliers.upper[j]);
    if (!(program.lower[j] == program.upper[j] || (gap < 1e-4 && force > 1e-4))) free.push_back(j);
  }
  const Matrix active = jacobian(held, free);
  const Eigen::ColPivHouseholderQR<Matrix> qr(active.transpose());
  const Eigen::Index rank = qr.rank(), left = static_cast<Eigen::Index>(free.size()) - rank;
  if (left == 0) return 0;
  Matrix basis = Matrix::Zero(static_cast<Eigen::Index>(free.size()), left);
  basis.bottomRows(left).setIdentity();
  basis.applyOnTheLeft(qr.householderQ());
  const Matrix reduced = basis.transpose() * hessian(free, free) * basis;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(reduced, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues()[0] / eigen.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace quoin::planning::test
