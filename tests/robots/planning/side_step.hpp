// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/discrete.hpp"
#include "testing/robots/random_matrix.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>

namespace quoin::planning::test {

/// A unicycle that is to end beside where it stands, turned as it was: at zero controls neither of them moves it there,
/// and neither its speed nor its place shows a size. States (x, y, heading) and controls (speed, turning) are given in
/// units of `state` and `control`.
struct SideStep {
  double time_step = 0.1, aside = 1, effort = 0.1, goal = 1;
  Eigen::Vector3d state = Eigen::Vector3d::Ones();
  Eigen::Vector2d control = Eigen::Vector2d::Ones();

  /// For about two seconds.
  int horizon() const { return static_cast<int>(2 / time_step) + 4; }

  Eigen::Index state_size() const { return 3; }
  Eigen::Index control_size() const { return 2; }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    const double heading = x[2] * state[2], way = time_step * u[0] * control[0];
    next = x;
    next[0] += way * std::cos(heading) / state[0];
    next[1] += way * std::sin(heading) / state[1];
    next[2] += time_step * u[1] * control[1] / state[2];
    return StepStatus::ok;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    const double heading = x[2] * state[2], way = time_step * u[0] * control[0];
    dx = Matrix::Identity(3, 3);
    dx(0, 2) = -way * std::sin(heading) * state[2] / state[0];
    dx(1, 2) = way * std::cos(heading) * state[2] / state[1];
    du = Matrix::Zero(3, 2);
    du(0, 0) = time_step * control[0] * std::cos(heading) / state[0];
    du(1, 0) = time_step * control[0] * std::sin(heading) / state[1];
    du(2, 1) = time_step * control[1] / state[2];
    return step(x, u, next);
  }
  bool residual(int, const Vector& x, const Vector& u, Vector& r) const {
    if (u.size() > 0)
      r = effort * std::sqrt(time_step) * u.cwiseProduct(control);
    else
      r = goal * (x.cwiseProduct(state) - Vector(Eigen::Vector3d(0, aside, 0)));
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    if (u.size() > 0) {
      dx = Matrix::Zero(2, 3);
      du = effort * std::sqrt(time_step) * control.asDiagonal().toDenseMatrix();
    } else {
      dx = goal * state.asDiagonal().toDenseMatrix();
      du = Matrix::Zero(3, 0);
    }
    return residual(i, x, u, r);
  }
};

/// In units of 1.
inline SideStep drawn_side_step(std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return {.time_step = std::pow(10, -1 + 0.5 * uniform(generator)),
          .aside = 1.5 + uniform(generator),
          .effort = std::pow(10, -1.5 + uniform(generator)),
          .goal = std::pow(10, uniform(generator))};
}

}  // namespace quoin::planning::test
