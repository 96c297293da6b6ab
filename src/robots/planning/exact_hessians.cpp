// SPDX-License-Identifier: BSD-3-Clause
#include "exact_hessians.hpp"

#include "coordinate_sizes.hpp"
#include "parallel_stages.hpp"
#include "stage_lagrangian.hpp"

#include <atomic>

namespace quoin::planning {
namespace {

/// The derivative of the merit by the state after each step: K, by the adjoint recursion.
std::vector<Eigen::VectorXd> costates(const AnyTrajectoryProblem& problem, const StagedTrajectory& motion,
                                      const std::vector<StageDerivatives>& stages,
                                      const AugmentedLagrangian& lagrangian) {
  const Eigen::Index n = problem.dynamics.state_size(), m = problem.dynamics.control_size();
  StageModel model{.q_x = Eigen::VectorXd::Zero(n),
                   .q_u = Eigen::VectorXd::Zero(m),
                   .q_xx = Eigen::MatrixXd::Zero(n, n),
                   .q_ux = Eigen::MatrixXd::Zero(m, n),
                   .q_uu = Eigen::MatrixXd::Zero(m, m)};
  std::vector<Eigen::VectorXd> after(problem.horizon);
  for (int i = problem.horizon; i > 0; --i) {
    model.q_x = stages[i].r_x.transpose() * stages[i].r;
    lagrangian.add_to(model, i, motion.x[i], stages[i]);
    after[i - 1] = model.q_x;
    if (i < problem.horizon) after[i - 1] += stages[i].g_x.transpose() * after[i];
  }
  return after;
}

Eigen::VectorXd min_sizes(const AnyTrajectoryProblem& problem, const StagedTrajectory& motion,
                          const std::vector<StageDerivatives>& stages) {
  double cost = 0;
  for (const StageDerivatives& stage : stages) cost += 0.5 * stage.r.squaredNorm();
  CoordinateSizes sizes(problem.dynamics.state_size(), problem.dynamics.control_size(), cost);
  for (int i = 0; i < problem.horizon; ++i)
    sizes.add_controls(motion.u[i], stages[i].r_u.colwise().squaredNorm().transpose());
  for (int i = 0; i < problem.horizon; ++i) sizes.add_state(motion.x[i + 1], stages[i].g_u);
  for (const StageDerivatives& stage : stages) sizes.add_state_cost(stage.r_x.colwise().squaredNorm().transpose());
  return sizes.least();
}

}  // namespace

bool exact_hessians(const AnyTrajectoryProblem& problem, const StagedTrajectory& motion,
                    const std::vector<StageDerivatives>& stages, const AugmentedLagrangian& lagrangian, int threads,
                    std::vector<Eigen::MatrixXd>& hessians, long& derivative_calls, double relative_step) {
  const std::vector<Eigen::VectorXd> after = costates(problem, motion, stages, lagrangian);
  const Eigen::VectorXd sizes = min_sizes(problem, motion, stages);
  const int count = problem.horizon + 1;
  hessians.resize(count);
  std::atomic<long> calls{0};
  const int failed = for_each_stage(threads, count, [&](int i) {
    return StageLagrangian{.problem = problem,
                           .stage = i,
                           .weight = 1,
                           .constraint_multipliers = lagrangian.forces(i, stages[i].h),
                           .defect_multipliers = i < problem.horizon ? Eigen::VectorXd(-after[i]) : Eigen::VectorXd(),
                           .derivative_calls = calls,
                           .relative_step = relative_step,
                           .sizes = sizes}
        .curvature(motion.x[i], motion.u[i], hessians[i]);
  });
  derivative_calls += calls;
  return failed == count;
}

}  // namespace quoin::planning
