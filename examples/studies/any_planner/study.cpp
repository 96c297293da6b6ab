// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/study.hpp"

#include "examples/studies/any_planner/path_integral.hpp"
#include "examples/studies/any_planner/random_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace studies::any_planner {
namespace {

constexpr stroke::GridChoice grid_choice{.spacing = 0.3};

Plan planned(const std::string& planner, const Task& task, const Model& model, std::uint64_t seed,
             const Budget& budget) {
  if (planner == "mppi") return control_by_path_integrals(task, model, seed, budget);
  return grow_tree(task, model, planner == "rrt" ? Tree::rrt : Tree::sst, static_cast<std::uint32_t>(seed), budget);
}

}  // namespace

Task make_task(int mesh) {
  stroke::Setup setup;
  setup.chain.mesh = mesh;
  setup.largest_torque = 0.2;
  return Task(setup);
}

Results run_study(const StudyChoice& choice, const std::function<void(const Run&)>& observer) {
  Task task = make_task(choice.mesh);
  task.goal = choice.goal;
  const auto grid = stroke::make_grid(task.fish, grid_choice);
  const Model through_grid = model_through(task, grid, 0), exact = exact_model(task);
  const double cells = 2 * std::ceil(task.fish.setup.domain / grid_choice.spacing - 1e-9);
  Results results{.runs = {}, .corners = std::lround(std::pow(cells + 1, joints))};
  const auto add = [&](Run run) {
    if (run.plan.found) run.replay = replay(task, exact, run.plan);
    observer(run);
    results.runs.push_back(std::move(run));
  };
  for (const std::string& planner : choice.planners) {
    if (planner != "mppi" && !can_grow_trees()) continue;
    for (int s = 0; s < choice.seeds; ++s) {
      const std::uint64_t seed = choice.first_seed + static_cast<std::uint64_t>(s);
      const Budget budget{choice.propagations, std::numeric_limits<double>::infinity()};
      add({planner, true, seed, planned(planner, task, through_grid, seed, budget)});
    }
    for (int s = 0; s < std::min(choice.exact_seeds, choice.seeds); ++s) {
      const std::uint64_t seed = choice.first_seed + static_cast<std::uint64_t>(s);
      add({planner, false, seed, planned(planner, task, exact, seed, {choice.propagations, choice.exact_seconds})});
    }
  }
  return results;
}

}  // namespace studies::any_planner
