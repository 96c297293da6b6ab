// SPDX-License-Identifier: BSD-3-Clause
#include "examples/unwrap/inference.hpp"

#include "examples/support/stopwatch.hpp"
#include "quoin/core/point_offsets.hpp"
#include "quoin/geometry/margin_map.hpp"
#include "quoin/models/topology/writhe_map.hpp"
#include "quoin/planning/aico/task_sum.hpp"

#include <utility>

namespace quoin::unwrap {
namespace {

using namespace planning;

/// What is asked of the arm; what it must keep clear of, at all times or at the end alone.
TaskSum task_of(const Scene& scene, const CollisionChecker& checker, const InferenceOptions& options, bool on_the_way) {
  const int T = options.horizon;
  const PointOffsets grasp(scene.grasp_points());
  const Eigen::VectorXd weights = (Eigen::VectorXd(12) << Eigen::Vector3d::Constant(std::sqrt(options.palm)),
                                   Eigen::VectorXd::Constant(9, std::sqrt(options.tips)))
                                      .finished();
  const TaskResidual offsets =
      map_residual(grasp, [goals = scene.goals](int) -> const Eigen::Matrix3Xd& { return goals; });
  const TaskResidual weighted = [=](int t, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    if (!offsets(t, x, e, J)) return false;
    e.array() *= weights.array();
    J = weights.asDiagonal() * J;
    return true;
  };
  const auto world = [&scene](int) -> const Obstacles& { return scene.obstacles; };
  return TaskSum(
      {{"grasp", weighted, at_end(T, 1)},
       {"rest", rest_residual(), at_end(T, options.rest)},
       {"margins", map_residual(MarginMap(scene.arm.points(), checker, options.margin), world),
        on_the_way ? throughout(T, options.margins) : at_end(T, options.margins)},
       {"limits", limit_residual(scene.arm.lower(), scene.arm.upper(), 0.02), throughout(T, options.limits)}});
}

}  // namespace

InferredPlan infer_plan(const Scene& scene, const InferenceOptions& options) {
  const study::Stopwatch clock;
  const Eigen::Index d = scene.joints();
  const int T = options.horizon;
  const CollisionChecker checker(scene.model);
  AicoProblem problem{.state_size = 2 * d,
                      .horizon = T,
                      .control_cost = options.control_cost * Eigen::MatrixXd::Identity(d, d),
                      .initial_state = Eigen::VectorXd::Zero(2 * d),
                      .dynamics = linear_dynamics(second_order_step(d, options.dt)),
                      .task = task_of(scene, checker, options, false)};
  problem.initial_state.head(d) = scene.start;

  const topology::WritheMap writhe(scene.arm.chain_points());
  const Eigen::Index m = writhe.output_size(scene.pole);
  UpperLevel level{.prior = brownian_prior(1e-2 * Eigen::MatrixXd::Identity(m, m)),
                   .size = m,
                   .precision = Eigen::VectorXd::Constant(T + 1, options.writhe),
                   .map = [&](int, const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
                     writhe.evaluate(q, scene.pole, y, J);
                     return true;
                   }};
  HierarchyOptions hierarchy{.aico = {.max_iterations = options.max_iterations,
                                      .relative_tolerance = options.relative_tolerance,
                                      .covariances = false},
                             .end_state = {.max_iterations = 100, .tolerance = 1e-3}};
  if (options.end_start == EndStart::straight) hierarchy.end_state.start = Eigen::VectorXd::Zero(2 * d);

  InferredPlan plan;
  plan.first = hierarchical_aico(problem, level, Eigen::MatrixXd::Zero(d, T), hierarchy);
  plan.end_state = plan.first.end_state;
  problem.task = task_of(scene, checker, options, true);
  hierarchy.end_state.start = plan.end_state.posterior.mean;
  plan.second = hierarchical_aico(problem, level, plan.first.plan.controls, hierarchy);
  plan.q = plan.second.plan.states.topRows(d);
  plan.iterations = plan.first.plan.iterations + plan.second.plan.iterations;
  plan.checks = checker.counts().checks;
  plan.seconds = clock.seconds();
  return plan;
}

double control_cost(const Eigen::MatrixXd& q, const InferenceOptions& options) {
  return 0.5 * options.control_cost *
         second_order_controls(q, Eigen::VectorXd::Zero(q.rows()), options.dt).squaredNorm();
}

}  // namespace quoin::unwrap
