// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/inference.hpp"

#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/geometry/margin_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/planning/aico/remapping.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace studies::unwrap {
namespace {

using namespace planning;

class Inference {
 public:
  Inference(const Scene& scene, const InferenceOptions& options)
      : scene_(scene),
        options_(options),
        checker_(scene.arm.collision_model()),
        writhe_(scene.arm.chain_points()),
        d_(scene.joints()),
        step_(second_order_step(d_, options.dt)) {}

  InferredPlan run() {
    InferredPlan plan;
    AicoProblem problem{.state_size = 2 * d_,
                        .horizon = options_.horizon,
                        .control_cost = options_.control_cost * Eigen::MatrixXd::Identity(d_, d_),
                        .initial_state = Eigen::VectorXd::Zero(2 * d_),
                        .dynamics = linear_dynamics(step_)};
    problem.initial_state.head(d_) = scene_.start;
    plan.end_state = end_state(problem);
    plan.end_checks = checker_.counts().checks;
    const Eigen::VectorXd end = plan.end_state.posterior.mean;

    plan.first_path = first_path(end.head(d_));
    Eigen::MatrixXd controls = second_order_controls(plan.first_path, Eigen::VectorXd::Zero(d_), options_.dt);
    HierarchyOptions hierarchy{.aico = options_.aico, .end_state = {.max_iterations = 1, .start = end}};
    const auto stage = [&](bool on_the_way) {
      problem.task = task(on_the_way);
      if (options_.writhe > 0) {
        HierarchyResult levels = hierarchical_aico(problem, upper_level(), controls, hierarchy);
        if (levels.plan.controls.size() == 0)
          throw std::runtime_error(std::string("unwrap: hierarchical AICO ended with ") + to_string(levels.stop));
        plan.y = levels.first_y;
        plan.plan = std::move(levels.plan);
      } else {
        plan.plan = aico(problem, controls, options_.aico);
      }
      controls = plan.plan.controls;
      plan.iterations += plan.plan.iterations;
    };
    if (options_.two_stages) stage(false);
    stage(true);
    plan.q = plan.plan.states.topRows(d_);
    plan.checks = checker_.counts().checks;
    return plan;
  }

 private:
  /// The tasks of the arm; margins are kept at all times, or at the end alone.
  TaskSum task(bool on_the_way) const {
    const int T = options_.horizon;
    const auto clear = [this](int) -> const Obstacles& { return scene_.obstacles; };
    const auto still = [](const Eigen::Matrix3Xd& goals) {
      return [&goals](int) -> const Eigen::Matrix3Xd& { return goals; };
    };
    return TaskSum(
        {{"palm", map_residual(PointOffsets(scene_.palm()), still(scene_.palm_goals)), at_end(T, options_.palm)},
         {"tips", map_residual(PointOffsets(scene_.tips()), still(scene_.tip_goals)), at_end(T, options_.tips)},
         {"rest", rest_residual(), at_end(T, options_.rest)},
         {"margins", map_residual(MarginMap(scene_.arm.points(), checker_, options_.margin), clear),
          on_the_way ? throughout(T, options_.margins) : at_end(T, options_.margins)},
         {"limits", limit_residual(scene_.arm.lower(), scene_.arm.upper(), 0.02), throughout(T, options_.limits)}});
  }

  EndStateResult end_state(const AicoProblem& problem) const {
    EndStateOptions search{.max_iterations = 100, .tolerance = 1e-2, .initial_damping = 1e4};
    if (options_.end_start == EndStart::straight)
      search.start = (Eigen::VectorXd(2 * d_) << straight_pose(), Eigen::VectorXd::Zero(d_)).finished();
    return end_state_posterior(
        propagate({problem.initial_state}, step_, options_.horizon, problem.control_cost),
        [task = task(false), T = options_.horizon](const Eigen::VectorXd& x, LocalTask& local) {
          return task(T, x, local);
        },
        search);
  }

  UpperLevel upper_level() const {
    const Eigen::Index m = writhe_.output_size(scene_.pole);
    return {.prior = brownian_prior(1e-2 * Eigen::MatrixXd::Identity(m, m)),
            .size = m,
            .precision = Eigen::VectorXd::Constant(options_.horizon + 1, options_.writhe),
            .map = [this](int, const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
              writhe_.evaluate(q, scene_.pole, y, J);
              return true;
            }};
  }

  Eigen::MatrixXd first_path(const Eigen::VectorXd& end) const {
    const int T = options_.horizon;
    Eigen::MatrixXd path = scene_.start.replicate(1, T + 1);
    if (options_.first_path == FirstPath::at_rest) return path;
    if (options_.first_path == FirstPath::line) {
      for (int t = 0; t <= T; ++t) path.col(t) += (end - scene_.start) * t / T;
      return path;
    }
    Eigen::VectorXd first, last;
    writhe_.evaluate(scene_.start, scene_.pole, first);
    writhe_.evaluate(end, scene_.pole, last);
    const Eigen::Index m = first.size();
    Remapper remapper(d_, options_.remap_metric * Eigen::MatrixXd::Identity(m, m),
                      {.max_iterations = 10, .tolerance = 1e-4});
    for (int t = 0; t < T; ++t)
      path.col(t + 1) = remapper
                            .remap(path.col(t), (end - path.col(t)) / (T - t), first + (last - first) * (t + 1) / T,
                                   [&](const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd* J) {
                                     J ? writhe_.evaluate(q, scene_.pole, y, *J) : writhe_.evaluate(q, scene_.pole, y);
                                     return true;
                                   })
                            .q;
    return path;
  }

  const Scene& scene_;
  const InferenceOptions& options_;
  CollisionChecker checker_;
  topology::WritheMap<rigid_body::TreePoints> writhe_;
  Eigen::Index d_;
  LinearStep step_;
};

}  // namespace

InferredPlan infer_plan(const Scene& scene, const InferenceOptions& options) {
  const studies::Stopwatch clock;
  InferredPlan plan = Inference(scene, options).run();
  plan.seconds = clock.seconds();
  return plan;
}

double control_cost(const Eigen::MatrixXd& q, const InferenceOptions& options) {
  return 0.5 * options.control_cost *
         second_order_controls(q, Eigen::VectorXd::Zero(q.rows()), options.dt).squaredNorm();
}

}  // namespace studies::unwrap
