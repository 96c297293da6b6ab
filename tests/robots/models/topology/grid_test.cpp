// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/restrict_to.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/task_maps/task_map_in.hpp"
#include "robots/models/topology/rod_chain.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"
#include "testing/level_errors.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <vector>

namespace quoin::topology {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rods and the writhe have no workspace; the mesh's map has one.
constexpr FunctionTraits any_thread{.concurrent = true};

Point<6> bent() { return (Point<6>() << 0.3, -0.4, 0.5, 0.2, -0.7, 0.4).finished(); }
auto writhe_in_world() { return task_map_in<6>(WritheMap<RodChain>({}), pole(), any_thread); }
auto mesh_in_world() {
  return task_map_in<6>(InteractionMeshMap<RodChain>({}, InteractionMesh(7, 4, full_graph(7, 4))), pole());
}

static_assert(DifferentiableMap<decltype(writhe_in_world()), 6>);
static_assert(DifferentiableMap<decltype(mesh_in_world()), 6>);

std::vector<Point<6>> postures_near(const Point<6>& q, double reach, int count) {
  return test::random_points<6>(count, q.array() - reach, q.array() + reach, 3);
}

/// On a grid over two joints.
template <class Map>
void slices_have_the_orders_of_cubic_cells(const Map& map) {
  const std::array joints{1, 3};
  const auto slice = restrict_to(map, joints, bent());
  const AdaptiveGrid<2> grid(slice, {.origin = {0.137, 0.137}, .spacing = {0.08, 0.09}});
  const Point<2> middle(bent()[1], bent()[3]);
  const auto anchors = test::random_points<2>(8, middle.array() - 0.1, middle.array() + 0.1, 5);
  const auto errors = test::level_errors(grid, slice, anchors);
  CHECK(errors.values.back() > 1e-13);  // at the rounding floor there is no order to see
  CHECK(errors.value_order() == Approx(4).margin(0.25));
  CHECK(errors.jacobian_order() == Approx(3).margin(0.25));
}

TEST_CASE("task maps in a world obey the laws of maps, whole and in slices", "[topology]") {
  const auto postures = postures_near(bent(), 0.1, 5);
  // With and without the Jacobian, the writhe is compiled twice and rounded differently.
  const test::MapLaws laws{.repeatable_to = 1e-14, .derivatives = {.largest_step = 1e-3}};
  test::obeys_the_laws_of_maps<6>(writhe_in_world(), postures, laws);
  test::obeys_the_laws_of_maps<6>(mesh_in_world(), postures, laws);
  const auto slice = restrict_to(writhe_in_world(), std::array{3, 0}, bent());
  test::obeys_the_laws_of_maps<2>(slice, {Point<2>(0.2, 0.3), Point<2>(0.1, 0.35)}, laws);
}

TEST_CASE("a task map in a world is the task map, to the bit", "[topology]") {
  const WritheMap<RodChain> map({});
  const auto in_world = task_map_in<6>(map, pole());
  CHECK(in_world.output_size() == map.output_size(pole()));
  CHECK(in_world.environment() == pole());
  VectorXd y, f;
  MatrixXd J, df;
  for (const Point<6>& q : postures_near(bent(), 0.5, 10)) {
    CHECK(in_world.evaluate(q, y, J).trust == Trust::exact);
    map.evaluate(q, pole(), f, df);
    CHECK(y == f);
    CHECK(J == df);
    CHECK(in_world.evaluate(q, y).error == 0);
    map.evaluate(q, pole(), f);
    CHECK(y == f);
  }
}

TEST_CASE("a task map in a world is one thread's unless its maker says otherwise, and so are its slices",
          "[topology]") {
  CHECK_FALSE(task_map_in<6>(WritheMap<RodChain>({}), pole()).traits().concurrent);
  CHECK(writhe_in_world().traits().concurrent);
  CHECK(restrict_to(writhe_in_world(), std::array{0}, bent()).traits().concurrent);
  CHECK_FALSE(restrict_to(task_map_in<6>(WritheMap<RodChain>({}), pole()), std::array{0}, bent()).traits().concurrent);
}

TEST_CASE("joints and environments that do not fit the task map are refused with the numbers", "[topology]") {
  VectorXd y;
  MatrixXd J;
  const auto of_seven = task_map_in<7>(WritheMap<RodChain>({}), pole());
  CHECK_THROWS_AS(of_seven.evaluate(Point<7>::Zero(), y, J), std::invalid_argument);
  CHECK_THROWS_WITH(of_seven.evaluate(Point<7>::Zero(), y, J),
                    "task_map_in<7>: the task map has a derivative by 6 joint coordinates");
  const auto of_a_point = task_map_in<6>(WritheMap<RodChain>({}), Eigen::Matrix3Xd(pole().leftCols(1)));
  CHECK_THROWS_WITH(of_a_point.evaluate(bent(), y, J), Catch::Contains("chains of 7 and 1 points"));
  const InteractionMeshMap<RodChain> mesh({}, InteractionMesh(7, 3, full_graph(7, 3)));
  CHECK_THROWS_AS(task_map_in<6>(mesh, pole()).evaluate(bent(), y, J), std::invalid_argument);
}

TEST_CASE("on a grid over two joints, writhe and mesh coordinates are of order 4, their Jacobians of order 3",
          "[topology]") {
  slices_have_the_orders_of_cubic_cells(writhe_in_world());
  slices_have_the_orders_of_cubic_cells(mesh_in_world());
}

}  // namespace
}  // namespace quoin::topology
