// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/path_integral.hpp"
#include "examples/studies/any_planner/random_trees.hpp"
#include "examples/studies/any_planner/study.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace studies::any_planner {
namespace {

using namespace quoin;

/// A short way of the swimmer, its grid and the two models. The grid is filled once for all tests.
struct Swim {
  Task task = make_task(2);
  AdaptiveGrid<joints> grid = stroke::make_grid(task.fish, {.spacing = 0.3});
  Model through_grid = model_through(task, grid, 0);
  Model exact = exact_model(task);

  Swim() { task.goal = 0.02; }
};

Swim& swim() {
  static Swim swim;
  return swim;
}

constexpr Budget budget{60000, std::numeric_limits<double>::infinity()};

void check_plan(const Plan& plan) {
  const Task& task = swim().task;
  REQUIRE(plan.found);
  CHECK(plan.way >= task.goal + task.margin);
  CHECK(plan.torques.cwiseAbs().maxCoeff() <= task.fish.setup.largest_torque);
  CHECK(plan.torques.cols() <= task.most_steps());
  const Replay on_grid = replay(task, swim().through_grid, plan);
  CHECK(on_grid.way == Approx(plan.way).margin(1e-9));
  const Replay exact = replay(task, swim().exact, plan);
  CHECK(exact.success);
  CHECK(exact.way == Approx(plan.way).margin(2e-3));
  CHECK(exact.evaluations == 4 * plan.torques.cols());
}

}  // namespace

TEST_CASE("path integral control through a grid swims on exact dynamics too, and is the same for the same seed") {
  const Plan plan = control_by_path_integrals(swim().task, swim().through_grid, 1, budget);
  check_plan(plan);
  const Plan again = control_by_path_integrals(swim().task, swim().through_grid, 1, budget);
  CHECK(again.torques == plan.torques);
  CHECK(again.evaluations == 0);  // the grid knows its corners
  CHECK(control_by_path_integrals(swim().task, swim().through_grid, 2, budget).way != plan.way);
}

TEST_CASE("random trees over controls through a grid swim on exact dynamics too, or are refused without OMPL") {
  const auto grown = [](Tree tree) { return grow_tree(swim().task, swim().through_grid, tree, 1, budget); };
  if (!can_grow_trees()) {
    CHECK_THROWS_WITH(grown(Tree::rrt), Catch::Contains("built without it"));
    return;
  }
  for (const Tree tree : {Tree::rrt, Tree::sst}) check_plan(grown(tree));
}

TEST_CASE("a swimmer that does not move its joints comes nowhere, and a budget ends planning") {
  const Plan still{.found = true, .torques = Eigen::MatrixXd::Zero(joints, 10)};
  const Replay replayed = replay(swim().task, swim().exact, still);
  CHECK_FALSE(replayed.success);
  CHECK(replayed.way == Approx(0).margin(1e-12));
  const Plan cut = control_by_path_integrals(swim().task, swim().through_grid, 1, {1000, 1e9});
  CHECK_FALSE(cut.found);
  CHECK(cut.propagations < 1100);
}

}  // namespace studies::any_planner
