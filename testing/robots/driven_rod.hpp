// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/output_error.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>
#include <vector>

namespace quoin::identification::test {

/// A rod that swings about one end with a spring, viscous friction and a delayed torque, its middle and its tip filmed:
/// m l^2 a = -b v - m g l sin q - k q + c u(t - delay). Parameters m, b, k, c, delay, q(0), v(0): the first four have a
/// common scale that no motion shows.
struct DrivenRod {
  static constexpr int parameters = 7;
  static constexpr double length = 0.3, gravity = 9.81;
  double frame_time = 0.02;
  int steps = 5, frames = 100;
  double phase = 0;

  static Eigen::VectorXd truth() { return Eigen::VectorXd{{0.15, 0.012, 0.11, 0.08, 0.05, 0.3, -0.2}}; }

  double torque(double t) const { return std::sin(5 * t + phase) + 0.7 * std::sin(8.3 * t + 1 - phase); }
  double torque_rate(double t) const { return 5 * std::cos(5 * t + phase) + 5.81 * std::cos(8.3 * t + 1 - phase); }

  using State = Eigen::Matrix<double, 2, 1 + parameters>;  // (q, v) and its derivatives by the parameters
  State rate(double t, const State& x, const Eigen::VectorXd& p) const {
    const double inertia = p[0] * length * length, late = t - p[4];
    const double q = x(0, 0), v = x(1, 0);
    const double forces = -p[1] * v - p[2] * q + p[3] * torque(late);
    State r;
    r.row(0) = x.row(1);
    const double da_dq = -p[2] / inertia - gravity / length * std::cos(q), da_dv = -p[1] / inertia;
    r.row(1) = da_dq * x.row(0) + da_dv * x.row(1);
    r(1, 0) = forces / inertia - gravity / length * std::sin(q);
    r(1, 1) -= forces / (inertia * p[0]);
    r(1, 2) -= v / inertia;
    r(1, 3) -= q / inertia;
    r(1, 4) += torque(late) / inertia;
    r(1, 5) -= p[3] * torque_rate(late) / inertia;
    return r;
  }

  /// Y 4 x frames from `column` on; dY_dp into rows 4 (column + frame) + ..., columns 0 to 6.
  void film(const Eigen::VectorXd& p, Eigen::Ref<Eigen::MatrixXd> Y, Eigen::Ref<Eigen::MatrixXd> dY_dp) const {
    State x = State::Zero();
    x.col(0) = p.segment(5, 2);
    x(0, 6) = x(1, 7) = 1;
    const double h = frame_time / steps;
    for (int i = 0; i < frames; ++i) {
      const double s = std::sin(x(0, 0)), c = std::cos(x(0, 0));
      const Eigen::Vector4d along(0.5 * s, -0.5 * c, s, -c), across(0.5 * c, 0.5 * s, c, s);
      Y.col(i) = length * along;
      dY_dp.middleRows(4 * i, 4) = length * across * x.row(0).tail(parameters);
      for (int j = 0; j < steps; ++j) {
        const double t = i * frame_time + j * h;
        const State k1 = rate(t, x, p), k2 = rate(t + h / 2, x + h / 2 * k1, p),
                    k3 = rate(t + h / 2, x + h / 2 * k2, p), k4 = rate(t + h, x + h * k3, p);
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      }
    }
  }

  bool operator()(const Eigen::VectorXd& p, Eigen::MatrixXd& Y, Eigen::MatrixXd* dY_dp) const {
    Y.resize(4, frames);
    Eigen::MatrixXd unused;
    Eigen::MatrixXd& J = dY_dp ? *dY_dp : unused;
    J.resize(4 * frames, parameters);
    film(p, Y, J);
    return true;
  }

  Eigen::MatrixXd measured(double noise, std::uint64_t seed) const {
    Eigen::MatrixXd Y;
    (*this)(truth(), Y, nullptr);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    return Y + Eigen::MatrixXd::NullaryExpr(4, frames, [&] { return noise * normal(random); });
  }
};

/// Guesses that are 20 to 40 % off; the mass is known or unknown.
inline std::vector<OutputErrorParameter> guesses(bool weighed) {
  std::vector<OutputErrorParameter> parameters = {
      {.name = "m", .initial = 0.15, .lower = weighed ? 0.15 : 0.05, .upper = weighed ? 0.15 : 0.5, .scale = 0.15},
      {.name = "b", .initial = 0.017, .lower = 1e-4, .upper = 0.1, .scale = 0.012},
      {.name = "k", .initial = 0.08, .lower = 0.01, .upper = 0.5, .scale = 0.11},
      {.name = "c", .initial = 0.1, .lower = 0.01, .upper = 0.5, .scale = 0.08},
      {.name = "delay", .initial = 0.02, .lower = 0, .upper = 0.2, .scale = 0.05},
      {.name = "q(0)", .initial = 0, .scale = 0.3},
      {.name = "v(0)", .initial = 0, .scale = 1}};
  return parameters;
}

/// Every twelfth frame's tip taken for a point 18 cm away: 8 or 9 of 200 points.
inline Eigen::MatrixXd with_outliers(Eigen::MatrixXd measured) {
  for (int i = 3; i < measured.cols(); i += 12) measured.block(2, i, 2, 1) += Eigen::Vector2d(0.15, 0.1);
  return measured;
}

}  // namespace quoin::identification::test
