// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/control_memory.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"
#include "testing/robots/random_matrix.hpp"

#include <Eigen/Core>

#include <cmath>
#include <complex>
#include <random>
#include <stdexcept>
#include <vector>

namespace quoin::planning::test {

/// x' = A x + B u.
struct LinearDynamics {
  Matrix A, B;
  Eigen::Index state_size() const { return A.rows(); }
  Eigen::Index control_size() const { return B.cols(); }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    next = A * x + B * u;
    return StepStatus::ok;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    dx = A;
    du = B;
    return step(x, u, next);
  }
};

/// r_i = C x - c + D u; r_K = C x - c.
struct LinearResiduals {
  Matrix C, D;
  Vector c;
  bool residual(int, const Vector& x, const Vector& u, Vector& r) const {
    r = C * x - c;
    if (u.size() > 0) r += D * u;
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    dx = C;
    if (u.size() > 0) {
      du = D;
    } else {
      du.resize(C.rows(), 0);
    }
    return residual(i, x, u, r);
  }
};

inline TrajectoryProblem<LinearDynamics, LinearResiduals> random_linear_problem(unsigned seed, int n, int m,
                                                                                int horizon) {
  std::mt19937 generator(seed);
  LinearDynamics dynamics{Matrix::Identity(n, n) + 0.1 * random_matrix(generator, n, n),
                          random_matrix(generator, n, m)};
  LinearResiduals residuals{Matrix::Zero(n + m, n), Matrix::Zero(n + m, m), random_matrix(generator, n + m, 1)};
  residuals.C.topRows(n) = random_matrix(generator, n, n);
  residuals.D = random_matrix(generator, n + m, m);
  residuals.D.bottomRows(m) += 2 * Matrix::Identity(m, m);
  return {.dynamics = dynamics,
          .residuals = residuals,
          .horizon = horizon,
          .initial_state = random_matrix(generator, n, 1)};
}

/// The stacked least squares problem |J U + r0|^2 / 2 of a linear problem, U = (u_0; u_1; ...).
struct DenseProblem {
  Matrix J;
  Vector r0;
};

template <class Problem>
DenseProblem dense(const Problem& problem) {
  const auto residuals = [&](const Vector& stacked) {
    Vector all, x = problem.initial_state, next, r;
    const Eigen::Index m = problem.dynamics.control_size();
    for (int i = 0; i <= problem.horizon; ++i) {
      const Vector u = i < problem.horizon ? Vector(stacked.segment(i * m, m)) : Vector();
      problem.residuals.residual(i, x, u, r);
      all.conservativeResize(all.size() + r.size());
      all.tail(r.size()) = r;
      if (i < problem.horizon) {
        problem.dynamics.step(x, u, next);
        x = next;
      }
    }
    return all;
  };
  const Eigen::Index size = problem.dynamics.control_size() * problem.horizon;
  DenseProblem result;
  result.r0 = residuals(Vector::Zero(size));
  result.J.resize(result.r0.size(), size);
  for (Eigen::Index j = 0; j < size; ++j) result.J.col(j) = residuals(Vector::Unit(size, j)) - result.r0;
  return result;
}

/// A car on the plane: state (px, py, heading, speed), control (turn rate, acceleration), explicit midpoint, 0.1 s.
struct CarDynamics {
  double h = 0.1;
  double max_speed = 1e9;  ///< beyond it the step fails, as a surrogate fails outside of its domain
  Eigen::Index state_size() const { return 4; }
  Eigen::Index control_size() const { return 2; }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    if (std::abs(x[3] + h * u[1]) > max_speed) return StepStatus::outside_domain;
    const double heading = x[2] + 0.5 * h * u[0], speed = x[3] + 0.5 * h * u[1];
    next.resize(4);
    next << x[0] + h * speed * std::cos(heading), x[1] + h * speed * std::sin(heading), x[2] + h * u[0],
        x[3] + h * u[1];
    return StepStatus::ok;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    const double heading = x[2] + 0.5 * h * u[0], speed = x[3] + 0.5 * h * u[1];
    const double c = std::cos(heading), s = std::sin(heading);
    dx.setIdentity(4, 4);
    dx(0, 2) = -h * speed * s;
    dx(0, 3) = h * c;
    dx(1, 2) = h * speed * c;
    dx(1, 3) = h * s;
    du.resize(4, 2);
    du << -0.5 * h * h * speed * s, 0.5 * h * h * c, 0.5 * h * h * speed * c, 0.5 * h * h * s, h, 0, 0, h;
    return step(x, u, next);
  }
};

/// Small controls everywhere, and the goal state at the end.
struct ReachGoal {
  Vector goal;
  double effort = 0.1;
  double precision = 10;
  bool residual(int, const Vector& x, const Vector& u, Vector& r) const {
    if (u.size() > 0) {
      r = effort * u;
    } else {
      r = precision * (x - goal);
    }
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    if (u.size() > 0) {
      dx.setZero(u.size(), x.size());
      du = effort * Matrix::Identity(u.size(), u.size());
    } else {
      dx = precision * Matrix::Identity(x.size(), x.size());
      du.resize(x.size(), 0);
    }
    return residual(i, x, u, r);
  }
};

/// Stay out of discs of the (x_0, x_1) plane: radius^2 - distance^2 <= 0.
struct AvoidDiscs {
  struct Disc {
    double x, y, radius;
  };
  std::vector<Disc> discs;
  bool constraint(int, const Vector& x, const Vector&, Vector& h) const {
    h.resize(static_cast<Eigen::Index>(discs.size()));
    for (Eigen::Index j = 0; j < h.size(); ++j) {
      const Disc& d = discs[j];
      h[j] = d.radius * d.radius - (x[0] - d.x) * (x[0] - d.x) - (x[1] - d.y) * (x[1] - d.y);
    }
    return true;
  }
  bool constraint(int i, const Vector& x, const Vector& u, Vector& h, Matrix& dx, Matrix& du) const {
    dx.setZero(static_cast<Eigen::Index>(discs.size()), x.size());
    du.setZero(static_cast<Eigen::Index>(discs.size()), u.size());
    for (Eigen::Index j = 0; j < dx.rows(); ++j) {
      dx(j, 0) = -2 * (x[0] - discs[j].x);
      dx(j, 1) = -2 * (x[1] - discs[j].y);
    }
    return constraint(i, x, u, h);
  }
};

inline TrajectoryProblem<CarDynamics, ReachGoal, AvoidDiscs> car_among_discs() {
  return {.dynamics = {},
          .residuals = {.goal = (Vector(4) << 4, 3, 0, 0).finished()},
          .constraints = {{{1.5, 1.4, 0.6}, {3.0, 1.8, 0.5}}},
          .horizon = 50,
          .initial_state = Vector::Zero(4),
          .lower_control = Vector::Constant(2, -2),
          .upper_control = Vector::Constant(2, 2)};
}

/// A car whose step throws when asked for derivatives.
struct BrokenCar : CarDynamics {
  using CarDynamics::step;
  StepStatus step(const Vector&, const Vector&, Vector&, Matrix&, Matrix&) const {
    throw std::runtime_error("the dynamics broke");
  }
};

inline TrajectoryProblem<BrokenCar, ReachGoal> broken_car() {
  return {.dynamics = {}, .residuals = {.goal = Vector::Ones(4)}, .horizon = 10, .initial_state = Vector::Zero(4)};
}

/// Controls under which the car drives on, slightly bent: no saddle between two ways around a disc.
inline Matrix gentle_start(const TrajectoryProblem<CarDynamics, ReachGoal, AvoidDiscs>& problem) {
  Matrix controls = Matrix::Zero(2, problem.horizon);
  controls.row(1).head(10).setConstant(0.5);
  controls.row(0).head(10).setConstant(0.2);
  return controls;
}

/// A pole on a cart, without friction: state (position, angle from upright, velocities), control force; semi-implicit
/// Euler at 0.02 s, derivatives by the complex step of the explicit formula.
struct CartPoleDynamics {
  double h = 0.02, cart = 1.0, pole = 0.3, length = 0.5, gravity = 9.81;
  Eigen::Index state_size() const { return 4; }
  Eigen::Index control_size() const { return 1; }
  template <class Scalar>
  Eigen::Matrix<Scalar, 4, 1> next_state(const Eigen::Matrix<Scalar, 4, 1>& x, Scalar force) const {
    using std::cos;
    using std::sin;
    const Scalar s = sin(x[1]), c = cos(x[1]);
    const Scalar push = (force + pole * length * x[3] * x[3] * s) / (cart + pole);
    const Scalar spin = (gravity * s - c * push) / (length * (4.0 / 3.0 - pole * c * c / (cart + pole)));
    const Scalar acceleration = push - pole * length * spin * c / (cart + pole);
    const Scalar v = x[2] + h * acceleration, w = x[3] + h * spin;
    return {x[0] + h * v, x[1] + h * w, v, w};
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    next = next_state<double>(Eigen::Vector4d(x), u[0]);
    return StepStatus::ok;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    using Complex = std::complex<double>;
    constexpr double eps = 1e-30;
    dx.resize(4, 4);
    for (int j = 0; j < 4; ++j) {
      Eigen::Matrix<Complex, 4, 1> z = x.cast<Complex>();
      z[j] += Complex(0, eps);
      dx.col(j) = next_state<Complex>(z, Complex(u[0])).imag() / eps;
    }
    du = next_state<Complex>(Eigen::Vector4cd(x.cast<Complex>()), Complex(u[0], eps)).imag() / eps;
    return step(x, u, next);
  }
};

inline TrajectoryProblem<CartPoleDynamics, ReachGoal> cart_pole_swing_up() {
  return {.dynamics = {},
          .residuals = {.goal = Vector::Zero(4), .effort = 0.02, .precision = 10},
          .horizon = 100,
          .initial_state = (Vector(4) << 0, 3.141592653589793, 0, 0).finished(),
          .lower_control = Vector::Constant(1, -20),
          .upper_control = Vector::Constant(1, 20)};
}

}  // namespace quoin::planning::test
