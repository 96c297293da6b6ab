// SPDX-License-Identifier: BSD-3-Clause
// The compiled inference brings a joint to a goal, and passes messages as a dense solution has them, called from a
// program that may be compiled for another processor.
#include <quoin/robots/planning/aico/aico.hpp>
#include <quoin/robots/planning/aico/linear_step.hpp>
#include <quoin/robots/planning/aico/task_sum.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using namespace quoin::planning;
  const int horizon = 20;
  AicoProblem problem{.state_size = 2,
                      .horizon = horizon,
                      .control_cost = Eigen::MatrixXd::Constant(1, 1, 0.1),
                      .initial_state = Eigen::Vector2d::Zero(),
                      .dynamics = linear_dynamics(second_order_step(1, 0.1))};
  const TaskResidual at_one = [](int, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    e = x.head(1).array() - 1;
    J = Eigen::MatrixXd::Ones(1, 1);
    return true;
  };
  problem.task = TaskSum({{"goal", at_one, at_end(horizon, 1e6)}, {"rest", rest_residual(), at_end(horizon, 1e6)}});
  const AicoResult plan = aico(problem, Eigen::MatrixXd::Zero(1, horizon));

  // The controls of least norm that end in (1, 0): linear in time, to the goals' precision
  Eigen::MatrixXd effect(2, horizon);
  for (int t = 0; t < horizon; ++t) effect.col(t) << 0.01 * (horizon - t), 0.1;
  const Eigen::VectorXd least =
      effect.transpose() * (effect * effect.transpose()).ldlt().solve(Eigen::Vector2d(1, 0)).eval();
  const double off = (plan.controls.transpose() - least).cwiseAbs().maxCoeff();
  const bool ok = plan.converged() && off < 1e-3 && std::abs(plan.states(0, horizon) - 1) < 1e-4;
  if (!ok) std::printf("FAILED: ends at %g, controls off by %g\n", plan.states(0, horizon), off);
  return !ok;
}
