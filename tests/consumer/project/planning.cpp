// SPDX-License-Identifier: BSD-3-Clause
// The compiled planner brings a point mass to rest at 1, called from a program that may be compiled
// for another processor.
#include <quoin/robots/planning/ilqr.hpp>

#include <cmath>
#include <cstdio>

namespace {

struct PointMass {
  static constexpr double dt = 0.1;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  quoin::StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = Eigen::Vector2d(x[0] + dt * x[1], x[1] + dt * u[0]);
    return quoin::StepStatus::ok;
  }
  quoin::StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                         Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) const {
    dnext_dx = (Eigen::Matrix2d() << 1, dt, 0, 1).finished();
    dnext_du = Eigen::Vector2d(0, dt);
    return step(x, u, next);
  }
};

struct RestAtOne {
  bool residual(int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    if (u.size() == 0) {
      r = 100 * (x - Eigen::Vector2d(1, 0));
    } else {
      r = 0.01 * u;
    }
    return true;
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    dr_dx = u.size() == 0 ? Eigen::MatrixXd(100 * Eigen::Matrix2d::Identity()) : Eigen::MatrixXd::Zero(1, 2);
    dr_du = Eigen::MatrixXd::Constant(u.size() == 0 ? 2 : 1, u.size(), 0.01);
    return residual(i, x, u, r);
  }
};

}  // namespace

int main() {
  using namespace quoin::planning;
  const TrajectoryProblem<PointMass, RestAtOne> problem{.dynamics = {},
                                                        .residuals = {},
                                                        .horizon = 30,
                                                        .initial_state = Eigen::Vector2d::Zero(),
                                                        .lower_control = Eigen::VectorXd::Constant(1, -1),
                                                        .upper_control = Eigen::VectorXd::Constant(1, 1)};
  const auto result = ilqr(problem, Eigen::MatrixXd::Zero(1, 30));
  const Eigen::VectorXd end = result.trajectory.states.col(30);
  const bool ok = result.stop == quoin::Stop::converged && std::abs(end[0] - 1) < 1e-3 && std::abs(end[1]) < 1e-3 &&
                  result.trajectory.controls.cwiseAbs().maxCoeff() <= 1;
  if (!ok) std::printf("FAILED: the mass ends at %g with velocity %g\n", end[0], end[1]);
  return !ok;
}
