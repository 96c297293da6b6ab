// SPDX-License-Identifier: BSD-3-Clause
// Swing-ups and reaches whose obvious guesses are saddles: robots drawn from families, smooth, with exact derivatives.
#pragma once

#include "quoin/robots/planning/trajectory_problem.hpp"
#include "testing/robots/random_matrix.hpp"

#include <Eigen/Core>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>

namespace quoin::planning::test {

/// Four robots by their rates of change; positions come first in the state.
struct Rates {
  enum class Robot { pendulum, cart_pole, acrobot, arm } robot = Robot::pendulum;
  double mass = 1, length = 1, damping = 0.1;
  double control_unit = 1;  ///< of a control, in N or N m

  Eigen::Index state_size() const { return robot == Robot::pendulum ? 2 : 4; }
  Eigen::Index control_size() const { return robot == Robot::arm ? 2 : 1; }

  template <class T>
  void rate(const T* x, const T* control, T* out) const {
    using std::cos;
    using std::sin;
    constexpr double g = 9.81;
    const T u = control[0] * control_unit;
    if (robot == Robot::pendulum) {
      out[0] = x[1];
      out[1] = (u - damping * x[1] - mass * g * length * sin(x[0])) / (mass * length * length);
      return;
    }
    out[0] = x[2];
    out[1] = x[3];
    const T s = sin(x[1]), c = cos(x[1]);
    if (robot == Robot::cart_pole) {
      const double pole = 0.3 * mass;
      const T d = 1.0 + pole * s * s;
      out[2] = (u + pole * s * (length * x[3] * x[3] + g * c)) / d;
      out[3] = -(u * c + pole * length * c * s * x[3] * x[3] + (1.0 + pole) * g * s) / (d * length) - damping * x[3];
      return;
    }
    // Two links, each a rod of the same mass: by angle from hanging, and by the angle between them.
    const double l = length, m = mass, inertia = m * l * l / 3;
    const bool hangs = robot == Robot::acrobot;
    const T m11 = 2 * inertia + m * l * l + m * l * l * c, m12 = inertia + 0.5 * m * l * l * c;
    const double m22 = inertia;
    const T turn = 0.5 * m * l * l * s;
    const double weight = hangs ? m * g * l : 0;  // the arm lies on a table
    const T pull = 0.5 * weight * sin(x[0] + x[1]);
    const T first = (hangs ? T(0) : u) - damping * x[2] + turn * (2.0 * x[2] * x[3] + x[3] * x[3]) -
                    1.5 * weight * sin(x[0]) - pull;
    const T second =
        (hangs ? u : T(control[control_size() - 1] * control_unit)) - damping * x[3] - turn * x[2] * x[2] - pull;
    const T determinant = m11 * m22 - m12 * m12;
    out[2] = (m22 * first - m12 * second) / determinant;
    out[3] = (m11 * second - m12 * first) / determinant;
  }
};

/// The robot by one step of Runge and Kutta, with derivatives by the complex step.
struct SwingDynamics {
  Rates rates;
  double h = 0.05;

  Eigen::Index state_size() const { return rates.state_size(); }
  Eigen::Index control_size() const { return rates.control_size(); }

  template <class T>
  void next(const T* x, const T* u, T* out) const {
    const int n = static_cast<int>(state_size());
    constexpr double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    T slope[4] = {}, point[4];
    for (int i = 0; i < n; ++i) out[i] = x[i];
    for (int stage = 0; stage < 4; ++stage) {
      for (int i = 0; i < n; ++i) point[i] = x[i] + h * at[stage] * slope[i];
      rates.rate(point, u, slope);
      for (int i = 0; i < n; ++i) out[i] += h * weight[stage] * slope[i];
    }
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& out) const {
    out.resize(x.size());
    next(x.data(), u.data(), out.data());
    return out.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& out, Matrix& dx, Matrix& du) const {
    const Eigen::Index n = x.size(), m = u.size();
    dx.resize(n, n);
    du.resize(n, m);
    Eigen::VectorXcd z = x.cast<std::complex<double>>(), w = u.cast<std::complex<double>>(), moved(n);
    for (Eigen::Index j = 0; j < n + m; ++j) {
      std::complex<double>& coordinate = j < n ? z[j] : w[j - n];
      coordinate += std::complex<double>(0, 1e-30);
      next(z.data(), w.data(), moved.data());
      coordinate = coordinate.real();
      (j < n ? dx.col(j) : du.col(j - n)) = moved.imag() / 1e-30;
    }
    return step(x, u, out);
  }
};

/// Effort all along, and slow links of the acrobot, which is the most easily upset; at the end rest, and the tips of
/// the links as if they stood at `goal`: heights and widths, for angles that may turn round. The cart ends at 0.
struct StandThere {
  Rates rates;
  Vector goal;  ///< angles (the cart's entry is its place)
  double effort, precision;

  template <class T>
  void end(const T* x, T* out) const {
    using std::cos;
    using std::sin;
    int k = 0;
    if (rates.robot == Rates::Robot::pendulum) {
      out[k++] = sin(x[0]) - std::sin(goal[0]);
      out[k++] = cos(x[0]) - std::cos(goal[0]);
      out[k++] = 0.3 * x[1];
      return;
    }
    const bool cart = rates.robot == Rates::Robot::cart_pole;
    const T second = cart ? x[1] : T(x[0] + x[1]);
    const double wanted = cart ? goal[1] : goal[0] + goal[1];
    if (rates.robot == Rates::Robot::arm) {  // the hand alone
      out[k++] = sin(x[0]) + sin(second) - std::sin(goal[0]) - std::sin(wanted);
      out[k++] = cos(x[0]) + cos(second) - std::cos(goal[0]) - std::cos(wanted);
    } else {
      out[k++] = sin(second) - std::sin(wanted);
      out[k++] = cos(second) - std::cos(wanted);
      out[k++] = cart ? x[0] - goal[0] : sin(x[0]) - std::sin(goal[0]);
      out[k++] = cart ? T(0) : cos(x[0]) - std::cos(goal[0]);
    }
    out[k++] = 0.3 * x[2];
    out[k++] = 0.3 * x[3];
  }
  double calm() const { return rates.robot == Rates::Robot::acrobot ? 0.05 : 0; }
  int end_size() const { return rates.robot == Rates::Robot::pendulum ? 3 : rates.robot == Rates::Robot::arm ? 4 : 6; }
  bool residual(int, const Vector& x, const Vector& u, Vector& r) const {
    if (u.size() > 0) {
      r.resize(u.size() + 2);
      r << effort * rates.control_unit * u, calm() * x.tail<2>();
      return true;
    }
    r.resize(end_size());
    end(x.data(), r.data());
    r *= precision;
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    residual(i, x, u, r);
    du.setZero(r.size(), u.size());
    dx.setZero(r.size(), x.size());
    if (u.size() > 0) {
      du.topRows(u.size()) = effort * rates.control_unit * Matrix::Identity(u.size(), u.size());
      dx.bottomRightCorner(2, 2) = calm() * Matrix::Identity(2, 2);
      return true;
    }
    Eigen::VectorXcd z = x.cast<std::complex<double>>(), moved(r.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      z[j] += std::complex<double>(0, 1e-30);
      end(z.data(), moved.data());
      z[j] = z[j].real();
      dx.col(j) = precision * moved.imag() / 1e-30;
    }
    return true;
  }
};

using SwingUp = TrajectoryProblem<SwingDynamics, StandThere>;

/// One of the family: which robot goes round, weights, bounds and times are drawn.
inline SwingUp drawn_swing_up(unsigned seed) {
  std::mt19937 generator(seed * 7919 + 17);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
  using Robot = Rates::Robot;
  const Robot robot = static_cast<Robot>(seed % 4);
  const Rates rates{.robot = robot,
                    .mass = between(0.7, 1.3),
                    .length = robot == Robot::cart_pole ? between(0.4, 0.7) : between(0.8, 1.1),
                    .damping = (robot == Robot::acrobot ? 5 : 1) * between(0.02, 0.2)};
  const Eigen::Index n = rates.state_size(), m = rates.control_size();
  Vector goal = Vector::Zero(n), start = Vector::Zero(n);
  if (robot == Robot::pendulum || robot == Robot::acrobot) goal[0] = EIGEN_PI;
  if (robot == Robot::cart_pole) goal[1] = EIGEN_PI;
  if (robot == Robot::arm) goal[1] = between(1.5, 2.2);  // nearer on the line that the stretched arm makes
  if (robot == Robot::arm) start[0] = 0.5 * goal[1];
  const double limit = robot == Robot::pendulum    ? between(9, 20)
                       : robot == Robot::cart_pole ? between(15, 40)
                       : robot == Robot::acrobot   ? between(20, 40)
                                                   : between(5, 20);
  const bool bounded = between(0, 1) < 0.5;
  const double bound = bounded ? limit : std::numeric_limits<double>::infinity();
  return {.dynamics = {.rates = rates},
          .residuals = {.rates = rates, .goal = goal, .effort = between(0.02, 0.06), .precision = between(5, 15)},
          .horizon = robot == Robot::arm       ? 30
                     : robot == Robot::acrobot ? 40
                                               : 60,
          .initial_state = start,
          .lower_control = Vector::Constant(m, -bound),
          .upper_control = Vector::Constant(m, bound)};
}

/// Controls to begin from: zero, random ones, or such as keep a symmetry of the robot, by turns.
inline Matrix drawn_guess(const SwingUp& problem, unsigned seed) {
  std::mt19937 generator(seed * 104729 + 3);
  const Eigen::Index m = problem.dynamics.control_size();
  Matrix controls = Matrix::Zero(m, problem.horizon);
  const unsigned kind = (seed / 4) % 3;
  if (kind == 1) controls = 0.5 * random_matrix(generator, m, problem.horizon);
  if (kind == 2) {  // the same force forth and back; 1e-9 of it may be lost to rounding
    for (Eigen::Index i = 0; i < controls.cols(); ++i)
      controls(0, i) = 1e-9 * std::sin(2 * EIGEN_PI * static_cast<double>(i) / static_cast<double>(controls.cols()));
  }
  return controls;
}

}  // namespace quoin::planning::test
