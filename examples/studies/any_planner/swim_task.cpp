// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/swim_task.hpp"

#include "examples/studies/swimming/counted_water.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"

#include <algorithm>
#include <utility>

namespace studies::any_planner {
namespace {

template <class Water>
auto dynamics_over(const stroke::Fish& fish, const Water& water) {
  swimmer::GeneralizedMass<joints, Water> mass(fish.body, swimmer::Motion::planar, water);
  return swimmer::SwimmerDynamics<joints, decltype(mass)>(std::move(mass), swimmer::Motion::planar,
                                                          {.time_step = fish.setup.time_step});
}

template <class Water>
Model model_over(const stroke::Fish& fish, const Water& water, std::function<long()> evaluations) {
  return {.step = [swim = dynamics_over(fish, water)](const auto& x, const auto& torques,
                                                      auto& next) { return swim.step(x, torques, next); },
          .evaluations = std::move(evaluations)};
}

}  // namespace

Eigen::VectorXd Task::start() const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * joints + 3);
  x.head<joints>() = fish.setup.start;
  return x;
}

Model model_through(const Task& task, const AdaptiveGrid<joints>& grid, int level) {
  return model_over(task.fish, grid.at_level(level),
                    [&grid] { return static_cast<long>(grid.statistics().exact_evaluations); });
}

Model exact_model(const Task& task) {
  const stroke::CountedWater water(task.fish.water);
  return model_over(task.fish, water, [water] { return water.count(); });
}

Replay replay(const Task& task, const Model& exact, const Plan& plan) {
  Eigen::VectorXd x = task.start(), next;
  double largest_angle = 0;
  bool ok = true;
  const long evaluations = exact.evaluations();
  for (Eigen::Index i = 0; ok && i < plan.torques.cols(); ++i) {
    ok = exact.step(x, plan.torques.col(i), next) == StepStatus::ok;
    if (!ok) break;
    x = next;
    largest_angle = std::max(largest_angle, x.head<joints>().cwiseAbs().maxCoeff());
  }
  const double way = WayAhead(task)(x);
  return {ok && way >= task.goal && largest_angle <= task.fish.setup.joint_limit, way,
          exact.evaluations() - evaluations};
}

}  // namespace studies::any_planner
