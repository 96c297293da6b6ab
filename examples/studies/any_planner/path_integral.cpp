// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/path_integral.hpp"

#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/planning/mppi.hpp"

#include <algorithm>
#include <limits>

namespace studies::any_planner {

Plan control_by_path_integrals(const Task& task, const Model& model, std::uint64_t seed, const Budget& budget,
                               const PathIntegralOptions& options) {
  const stroke::Setup& setup = task.fish.setup;
  const WayAhead ahead(task);
  Plan plan;
  plan.torques.resize(joints, 0);
  const long evaluations = model.evaluations();
  const studies::Stopwatch clock;
  const auto out_of_budget = [&] {
    return plan.propagations >= budget.propagations || clock.seconds() >= budget.seconds;
  };

  // The motion while one posture is wanted; false where the dynamics have no answer.
  const auto swim = [&](Eigen::VectorXd& x, const Eigen::VectorXd& wanted, auto&& after_step) {
    Eigen::VectorXd torque, next;
    for (int i = 0; i < options.hold; ++i) {
      torque = (options.stiffness * (wanted - x.head<joints>()) - options.damping * x.segment<joints>(joints))
                   .cwiseMax(-setup.largest_torque)
                   .cwiseMin(setup.largest_torque);
      ++plan.propagations;
      if (model.step(x, torque, next) != StepStatus::ok) return false;
      x = next;
      after_step(torque);
    }
    return true;
  };

  Eigen::VectorXd x = task.start();
  const auto cost = [&](const Eigen::MatrixXd& postures) {
    Eigen::VectorXd at = x;
    double sum = 0;
    for (const auto wanted : postures.colwise()) {
      const bool ok = !out_of_budget() && swim(at, wanted, [&](const Eigen::VectorXd&) {
        const auto over = (at.head<joints>().array().abs() - (setup.joint_limit - 0.05)).max(0);
        sum += options.limit_weight * over.square().sum();
      });
      if (!ok) return std::numeric_limits<double>::infinity();
    }
    return sum - options.way_weight * ahead(at);
  };

  const Eigen::VectorXd limit = Eigen::VectorXd::Constant(joints, setup.joint_limit);
  planning::MppiOptions update{.samples = options.samples,
                               .deviation = Eigen::VectorXd::Constant(joints, options.deviation),
                               .temperature = options.temperature,
                               .lower = -limit,
                               .upper = limit};
  Eigen::MatrixXd postures = setup.start.replicate(1, options.horizon);
  bool ok = true;
  while (ok && !plan.found && !out_of_budget() && plan.torques.cols() + options.hold <= task.most_steps()) {
    update.seed = seed * 100000 + static_cast<std::uint64_t>(plan.torques.cols());
    postures = planning::mppi(cost, postures, update).controls;
    ok = swim(x, postures.col(0), [&](const Eigen::VectorXd& torque) {
      plan.torques.conservativeResize(Eigen::NoChange, plan.torques.cols() + 1);
      plan.torques.rightCols<1>() = torque;
    });
    postures.leftCols(options.horizon - 1) = postures.rightCols(options.horizon - 1).eval();
    plan.way = ahead(x);
    plan.found = ok && plan.way >= task.goal + task.margin;
  }
  plan.seconds = clock.seconds();
  plan.evaluations = model.evaluations() - evaluations;
  return plan;
}

}  // namespace studies::any_planner
