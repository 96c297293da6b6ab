// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/planning/collocation/problem.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace quoin::planning::test {

/// q'' = u.
struct DoubleIntegrator {
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& f) const {
    f.resize(2);
    f << x[1], u[0];
    return StepStatus::ok;
  }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& f, Eigen::MatrixXd& f_x,
                  Eigen::MatrixXd& f_u) const {
    f_x.setZero(2, 2);
    f_x(0, 1) = 1;
    f_u.setZero(2, 1);
    f_u(1, 0) = 1;
    return rate(x, u, f);
  }
};

/// A hanging chain of links with inertias and a point mass at each end, angles q from the vertical, springs and
/// dampers in its joints, torques in all joints but the first: like the fluidic arm of Marchese, Tedrake, Rus
/// 2015, with rigid links.
struct Chain {
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  int links = 3;
  double length = 0.2, mass = 0.05, inertia = 2e-3, stiffness = 0.1, damping = 1e-2, gravity = 9.81;

  double above(int i) const { return mass * (links - i); }
  Matrix differences() const {
    Matrix D = Matrix::Identity(links, links);
    for (int i = 1; i < links; ++i) D(i, i - 1) = -1;
    return D;
  }
  Eigen::Index coordinates() const { return links; }
  Matrix actuation() const { return differences().transpose().rightCols(links > 1 ? links - 1 : 1); }

  StepStatus inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, Vector& forces) const {
    const Matrix D = differences();
    forces = inertia * a + D.transpose() * (stiffness * (D * q) + damping * (D * v));
    for (int i = 0; i < links; ++i) {
      forces[i] += gravity * length * above(i) * std::sin(q[i]);
      for (int j = 0; j < links; ++j) {
        const double d = q[i] - q[j], m = above(std::max(i, j)) * length * length;
        forces[i] += m * (std::cos(d) * a[j] + std::sin(d) * v[j] * v[j]);
      }
    }
    return StepStatus::ok;
  }
  StepStatus inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, Vector& forces, Matrix& dq, Matrix& dv,
                              Matrix& da) const {
    const Matrix D = differences();
    dq = stiffness * D.transpose() * D;
    dv = damping * D.transpose() * D;
    da = inertia * Matrix::Identity(links, links);
    for (int i = 0; i < links; ++i) {
      dq(i, i) += gravity * length * above(i) * std::cos(q[i]);
      for (int j = 0; j < links; ++j) {
        const double d = q[i] - q[j], m = above(std::max(i, j)) * length * length;
        const double slope = m * (-std::sin(d) * a[j] + std::cos(d) * v[j] * v[j]);
        dq(i, i) += slope;
        dq(i, j) -= slope;
        dv(i, j) += 2 * m * std::sin(d) * v[j];
        da(i, j) += m * std::cos(d);
      }
    }
    return inverse_dynamics(q, v, a, forces);
  }

  /// The tip and its velocity, with derivatives by (q, v).
  void tip(const Vector& x, Eigen::Vector2d& place, Eigen::Vector2d& velocity, Matrix& place_x,
           Matrix& velocity_x) const {
    place.setZero();
    velocity.setZero();
    place_x.setZero(2, 2 * links);
    velocity_x.setZero(2, 2 * links);
    for (int i = 0; i < links; ++i) {
      const double s = length * std::sin(x[i]), c = length * std::cos(x[i]), v = x[links + i];
      place += Eigen::Vector2d(s, -c);
      velocity += v * Eigen::Vector2d(c, s);
      place_x.col(i) << c, s;
      velocity_x.col(i) << -v * s, v * c;
      velocity_x.col(links + i) << c, s;
    }
  }
};

/// Inverse dynamics solved for the acceleration: the same system in its explicit form.
struct Solved {
  Chain chain;
  Eigen::Index state_size() const { return 2 * chain.links; }
  Eigen::Index control_size() const { return chain.actuation().cols(); }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& f) const {
    Eigen::MatrixXd f_x, f_u;
    return rate(x, u, f, f_x, f_u);
  }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& f, Eigen::MatrixXd& f_x,
                  Eigen::MatrixXd& f_u) const {
    const int k = chain.links;
    const Eigen::VectorXd q = x.head(k), v = x.tail(k);
    Eigen::VectorXd forces, a = Eigen::VectorXd::Zero(k);
    Eigen::MatrixXd dq, dv, da;
    chain.inverse_dynamics(q, v, a, forces, dq, dv, da);
    a = da.lu().solve(chain.actuation() * u - forces);
    chain.inverse_dynamics(q, v, a, forces, dq, dv, da);
    f.resize(2 * k);
    f << v, a;
    f_x.setZero(2 * k, 2 * k);
    f_x.topRightCorner(k, k).setIdentity();
    f_x.bottomLeftCorner(k, k) = -da.lu().solve(dq);
    f_x.bottomRightCorner(k, k) = -da.lu().solve(dv);
    f_u.setZero(2 * k, u.size());
    f_u.bottomRows(k) = da.lu().solve(chain.actuation());
    return StepStatus::ok;
  }
};

/// A pendulum of unit period scale with a torque, q'' = -sin q - 0.1 q' + u, as a chain of one link.
inline Chain pendulum() {
  return {.links = 1, .length = 1, .mass = 1, .inertia = 0, .stiffness = 0, .damping = 0.1, .gravity = 1};
}

inline Eigen::MatrixXd one() { return Eigen::MatrixXd::Identity(1, 1); }

/// h = x - goal: the final state is given.
inline BoundaryConstraint final_state(Eigen::VectorXd goal) {
  return [goal](const Eigen::VectorXd& x, Eigen::VectorXd& h, Eigen::MatrixXd& h_x) {
    h = x - goal;
    h_x.setIdentity(x.size(), x.size());
    return true;
  };
}

/// From rest to rest, one unit in unit time, by least effort.
inline CollocationProblem unit_move(int intervals) {
  return {.dynamics = node_dynamics(DoubleIntegrator{}),
          .times = Eigen::VectorXd::LinSpaced(intervals + 1, 0, 1),
          .initial_state = Eigen::VectorXd::Zero(2),
          .running_cost = effort(one()),
          .boundary = final_state(Eigen::VectorXd::Unit(2, 0)),
          .lower_boundary = Eigen::VectorXd::Zero(2),
          .upper_boundary = Eigen::VectorXd::Zero(2)};
}

/// q'' = u - 4 exp(-40 q^2): a narrow field of force.
struct NarrowField {
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& f) const {
    f.resize(2);
    f << x[1], u[0] - 4 * std::exp(-40 * x[0] * x[0]);
    return StepStatus::ok;
  }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& f, Eigen::MatrixXd& f_x,
                  Eigen::MatrixXd& f_u) const {
    f_x = (Eigen::MatrixXd(2, 2) << 0, 1, 320 * x[0] * std::exp(-40 * x[0] * x[0]), 0).finished();
    f_u = Eigen::VectorXd::Unit(2, 1);
    return rate(x, u, f);
  }
};

/// From rest at -2 to rest at 2 in 3 time units, through the field: fine intervals are needed there alone.
inline CollocationProblem through_narrow_field(int intervals) {
  CollocationProblem problem = unit_move(intervals);
  problem.dynamics = node_dynamics(NarrowField{});
  problem.times *= 3;
  problem.initial_state = (Eigen::VectorXd(2) << -2, 0).finished();
  problem.boundary = final_state((Eigen::VectorXd(2) << 2, 0).finished());
  return problem;
}

/// The pendulum from hanging to standing still upright within 4 time units, by least effort.
inline CollocationProblem swing_up(const NodeDynamics& dynamics, int intervals) {
  Eigen::VectorXd upright = Eigen::VectorXd::Zero(2);
  upright[0] = EIGEN_PI;
  return {.dynamics = dynamics,
          .times = Eigen::VectorXd::LinSpaced(intervals + 1, 0, 4),
          .initial_state = Eigen::VectorXd::Zero(2),
          .running_cost = effort(one()),
          .boundary = final_state(upright),
          .lower_boundary = Eigen::VectorXd::Zero(2),
          .upper_boundary = Eigen::VectorXd::Zero(2)};
}

/// A grab with the chain: the tip within 1 cm of the goal, slower than 2 cm/s, by least effort (Eqs. 25-27), as
/// squares in units of 1 cm^2 and (1/sqrt(10) dm/s)^2.
inline CollocationProblem grab(const Chain& chain, const NodeDynamics& dynamics, int intervals, double limit = 0.15,
                               const Eigen::Vector2d& goal = {0.15, -0.52}) {
  const int n = 2 * chain.links;
  const auto m = dynamics.control_size;
  return {.dynamics = dynamics,
          .times = Eigen::VectorXd::LinSpaced(intervals + 1, 0, 1.2),
          .initial_state = Eigen::VectorXd::Zero(n),
          .initial_control = Eigen::VectorXd::Zero(m),
          .lower_control = Eigen::VectorXd::Constant(m, -limit),
          .upper_control = Eigen::VectorXd::Constant(m, limit),
          .running_cost = effort(0.1 * Eigen::MatrixXd::Identity(m, m)),
          .boundary =
              [chain, goal](const Eigen::VectorXd& x, Eigen::VectorXd& h, Eigen::MatrixXd& h_x) {
                Eigen::Vector2d place, velocity;
                Eigen::MatrixXd place_x, velocity_x;
                chain.tip(x, place, velocity, place_x, velocity_x);
                h.resize(2);
                h << 1e4 * (place - goal).squaredNorm(), 1e3 * velocity.squaredNorm();
                h_x.resize(2, x.size());
                h_x.row(0) = 2e4 * (place - goal).transpose() * place_x;
                h_x.row(1) = 2e3 * velocity.transpose() * velocity_x;
                return true;
              },
          .lower_boundary = Eigen::VectorXd::Zero(2),
          .upper_boundary = (Eigen::VectorXd(2) << 1, 0.4).finished()};
}

inline Eigen::VectorXd leaning(const Chain& chain, double angle) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * chain.links);
  x.head(chain.links).setConstant(angle);
  return x;
}

}  // namespace quoin::planning::test
