// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/aico.hpp"
#include "testing/robots/dense_map.hpp"

#include <cmath>

namespace quoin::planning::test {

inline AicoProblem problem_of(const LinearChain& chain) {
  AicoProblem problem{.state_size = chain.mean.size(),
                      .horizon = chain.horizon(),
                      .control_cost = chain.H,
                      .initial_state = chain.mean,
                      .dynamics = linear_dynamics(chain.steps),
                      .task = [chain](int t, const Vector& x, LocalTask& task) {
                        task = chain.tasks[t];
                        task.cost = 0.5 * x.dot(task.R * x) - task.r.dot(x);
                        return true;
                      }};
  if (chain.start_root.size() != 0) problem.initial_covariance = chain.covariance();
  return problem;
}

/// A planar arm of links of 1/d m with joints q_1..q_d: the positions of its joints, the tip last.
struct PlanarArm {
  int d;
  void evaluate(const Vector& q, Matrix& points, Matrix& J) const {  // 2 x d, 2 d x d
    points.resize(2, d);
    J.setZero(2 * d, d);
    double angle = 0;
    Eigen::Vector2d at(0, 0);
    for (int k = 0; k < d; ++k) {
      angle += q[k];
      const Eigen::Vector2d link(std::cos(angle) / d, std::sin(angle) / d);
      at += link;
      points.col(k) = at;
      if (k > 0) J.middleRows(2 * k, 2) = J.middleRows(2 * k - 2, 2);
      for (int j = 0; j <= k; ++j) J.block(2 * k, j, 2, 1) += Eigen::Vector2d(-link.y(), link.x());
    }
  }
};

/// Where an arm begins, what is in its way, and where its tip should go.
struct DiscScene {
  Vector start;  ///< d angles
  Eigen::Vector2d disc = {0.75, 0.35};
  double radius = 0.1;
  Eigen::Vector2d goal = {0.85, 0.05};
};

/// The arm's tip goes to a point and rests there, while its joints keep out of a disc: residuals are one-sided, and
/// smooth except for their second derivative.
inline AicoProblem arm_around_disc(const DiscScene& scene, int horizon) {
  const int d = static_cast<int>(scene.start.size());
  Vector start = Vector::Zero(2 * d);
  start.head(d) = scene.start;
  return {.state_size = 2 * d,
          .horizon = horizon,
          .control_cost = 0.5 * Matrix::Identity(d, d),
          .initial_state = start,
          .dynamics = linear_dynamics(second_order_step(d, 0.1)),
          .task = [d, horizon, scene](int t, const Vector& x, LocalTask& task) {
            Matrix points, J;
            PlanarArm{d}.evaluate(x.head(d), points, J);
            for (int k = 0; k < d; ++k) {
              const Eigen::Vector2d away = points.col(k) - scene.disc;
              const double depth = scene.radius - away.norm();
              if (depth > 0) {
                const Matrix of_joint = J.middleRows(2 * k, 2);
                task.add(30 * Vector::Constant(1, depth), -30 * away.normalized().transpose() * of_joint, x);
              }
            }
            if (t == horizon) {
              task.add(30 * (points.col(d - 1) - scene.goal), 30 * J.bottomRows(2), x);
              Matrix velocity = Matrix::Zero(d, 2 * d);
              velocity.rightCols(d).setIdentity();
              task.add(x.tail(d), velocity, x);
            }
            return true;
          }};
}

/// At first the disc is out of the way.
inline AicoProblem arm_around_disc(int d = 3, int horizon = 30, double radius = 0.1) {
  return arm_around_disc({.start = Vector::Constant(d, 1.2 / d), .radius = radius}, horizon);
}

/// x' = (place + dt velocity', velocity + dt (u - sin place - 0.1 velocity^3)): a pendulum.
struct Pendulum {
  double dt = 0.1;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    if (std::abs(x[1]) > 20) return StepStatus::outside_domain;
    const double velocity = x[1] + dt * (u[0] - std::sin(x[0]) - 0.1 * x[1] * x[1] * x[1]);
    next.resize(2);
    next << x[0] + dt * velocity, velocity;
    return StepStatus::ok;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    const double by_place = -dt * std::cos(x[0]), by_velocity = 1 - 0.3 * dt * x[1] * x[1];
    dx.resize(2, 2);
    dx << 1 + dt * by_place, dt * by_velocity, by_place, by_velocity;
    du.resize(2, 1);
    du << dt * dt, dt;
    return step(x, u, next);
  }
};

inline AicoProblem pendulum_swings_up(int horizon = 40) {
  return {.state_size = 2,
          .horizon = horizon,
          .control_cost = 0.1 * Matrix::Identity(1, 1),
          .initial_state = Vector::Zero(2),
          .dynamics = discrete_dynamics(Pendulum{}),
          .task = [horizon](int t, const Vector& x, LocalTask& task) {
            if (t == horizon)
              task.add(10 * (Vector(2) << x[0] - 3.14159, x[1]).finished(), 10 * Matrix::Identity(2, 2), x);
            return true;
          }};
}

/// The true cost of controls, computed from the problem's functions alone.
inline double cost_of(const AicoProblem& problem, const Matrix& controls) {
  double cost = 0;
  Vector x = problem.initial_state, next;
  for (int t = 0; t <= problem.horizon; ++t) {
    LocalTask task;
    task.set_zero(problem.state_size);
    if (!problem.task(t, x, task)) return INFINITY;
    cost += task.cost;
    if (t == problem.horizon) break;
    const Vector u = controls.col(t);
    cost += 0.5 * u.dot(problem.control_cost * u);
    if (problem.dynamics(t, x, u, next, nullptr) != StepStatus::ok) return INFINITY;
    x = next;
  }
  return cost;
}

/// By central differences.
inline Matrix gradient_of(const AicoProblem& problem, const Matrix& controls, double h = 1e-5) {
  Matrix gradient(controls.rows(), controls.cols());
  for (Eigen::Index i = 0; i < controls.size(); ++i) {
    Matrix shifted = controls;
    shifted(i) += h;
    gradient(i) = cost_of(problem, shifted);
    shifted(i) -= 2 * h;
    gradient(i) = (gradient(i) - cost_of(problem, shifted)) / (2 * h);
  }
  return gradient;
}

}  // namespace quoin::planning::test
