// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/restrict_to.hpp"
#include "quoin/robots/models/rigid_body/gravity_map.hpp"
#include "quoin/robots/models/rigid_body/mass_matrix_map.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/models/rigid_body/urdf.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"
#include "testing/level_errors.hpp"
#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace quoin::rigid_body {
namespace {

static_assert(DifferentiableMap<GravityMap<7>, 7> && DifferentiableMap<MassMatrixMap<7>, 7>);

/// A branching tree of Dim moving joints, every third of them with inertias that are not symmetric.
template <int Dim>
RigidBodyTree tree_of(unsigned seed) {
  int links = Dim;
  while (RigidBodyTree(random_links(links, seed)).joints() < Dim) ++links;
  RigidBodyTree tree(random_links(links, seed));
  if (seed % 3 != 0) return tree;
  RandomNumbers random(seed);
  Parameters parameters = tree.parameters();
  for (int i = 0; i < Dim; ++i) parameters.col(i).tail<9>() += random.vector(9, 0.3);
  return tree.with_parameters(parameters);
}

template <int Dim>
std::vector<Point<Dim>> postures(int count, unsigned seed) {
  return test::random_points<Dim>(count, Point<Dim>::Constant(-2), Point<Dim>::Constant(2), seed);
}

template <int Dim>
Eigen::VectorXd lower_triangle(const Eigen::MatrixXd& M) {
  Eigen::VectorXd rows(Dim * (Dim + 1) / 2);
  for (int i = 0; i < Dim; ++i)
    for (int j = 0; j <= i; ++j) rows[MassMatrixMap<Dim>::index(i, j)] = M(i, j);
  return rows;
}

template <int Dim>
void agrees_with_inverse_dynamics(const RigidBodyTree& tree, unsigned seed) {
  const Eigen::Vector3d down(1, -2, -9);
  const GravityMap<Dim> gravity(tree, down);
  const MassMatrixMap<Dim> mass(tree);
  REQUIRE(gravity.output_size() == Dim);
  REQUIRE(mass.output_size() == Dim * (Dim + 1) / 2);
  NewtonEuler<> dynamics(tree, {.gravity = down});
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(Dim);
  InverseDynamicsDerivatives<double> at_rest, pushed;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (const Point<Dim>& q : postures<Dim>(5, seed)) {
    dynamics.inverse_dynamics_derivatives(q, still, still, at_rest);
    CHECK(gravity.evaluate(q, y, J).trust == Trust::exact);
    CHECK((y - at_rest.tau()).norm() <= 1e-13 * at_rest.tau().norm());
    CHECK((J - at_rest.dtau_dq()).norm() <= 1e-13 * at_rest.dtau_dq().norm());
    CHECK((J.array() == J.transpose().array()).all());

    // d (M e_j) / d q = d tau / d q (q, 0, e_j) - d tau / d q (q, 0, 0)
    Eigen::MatrixXd expected(mass.output_size(), Dim);
    for (int j = 0; j < Dim; ++j) {
      dynamics.inverse_dynamics_derivatives(q, still, Eigen::VectorXd::Unit(Dim, j), pushed);
      for (int i = j; i < Dim; ++i)
        expected.row(MassMatrixMap<Dim>::index(i, j)) = pushed.dtau_dq().row(i) - at_rest.dtau_dq().row(i);
    }
    CHECK(mass.evaluate(q, y, J).trust == Trust::exact);
    const Eigen::VectorXd M = lower_triangle<Dim>(at_rest.mass_matrix());
    CHECK((y - M).norm() <= 1e-13 * M.norm());
    CHECK((J - expected).norm() <= 1e-12 * (expected.norm() + at_rest.dtau_dq().norm()));
  }
}

}  // namespace

TEST_CASE("gravity and mass matrix obey the laws of maps, whatever the tree, to the bit in every thread") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const RigidBodyTree tree = tree_of<5>(seed);
    test::obeys_the_laws_of_maps<5>(GravityMap<5>(tree), postures<5>(7, seed));
    test::obeys_the_laws_of_maps<5>(MassMatrixMap<5>(tree), postures<5>(7, seed));
  }
}

TEST_CASE("gravity and mass matrix are those of inverse dynamics, with their derivatives, to rounding") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    agrees_with_inverse_dynamics<1>(tree_of<1>(seed), seed);
    agrees_with_inverse_dynamics<4>(tree_of<4>(seed), seed);
    agrees_with_inverse_dynamics<9>(tree_of<9>(seed), seed);
  }
}

TEST_CASE("a tree of another number of joints, or gravity that is not finite, is refused with the numbers") {
  const RigidBodyTree tree = tree_of<4>(1);
  CHECK_THROWS_AS(GravityMap<3>(tree), std::invalid_argument);
  CHECK_THROWS_WITH(GravityMap<3>(tree), "GravityMap: the tree has 4 joints instead of 3");
  CHECK_THROWS_WITH(MassMatrixMap<5>(tree), "MassMatrixMap: the tree has 4 joints instead of 5");
  CHECK_THROWS_WITH(GravityMap<4>(tree, Eigen::Vector3d(0, 0, NAN)), Catch::Contains("not finite"));
}

#ifdef QUOIN_HAS_URDF
namespace {

RigidBodyTree iiwa7() { return RigidBodyTree(read_urdf(QUOIN_IIWA7_URDF)); }

const std::array shoulder_and_elbow{1, 3};

Point<7> held() {
  Point<7> q;
  q << 0.4, 0, -0.5, 0, 0.3, 0.7, -0.2;
  return q;
}

template <class Map>
void slices_have_the_orders_of_cubic_cells(const Map& map) {
  const auto slice = restrict_to(map, shoulder_and_elbow, held());
  const AdaptiveGrid<2> grid(slice, {.origin = {0.137, 0.137}, .spacing = {0.3, 0.33}});
  const auto errors = test::level_errors(grid, slice, postures<2>(8, 5), {.relative = true});
  CHECK(errors.values.back() > 1e-13);  // at the rounding floor there is no order to see
  CHECK(errors.value_order() == Approx(4).margin(0.15));
  CHECK(errors.jacobian_order() == Approx(3).margin(0.15));
}

/// Eight threads that evaluate corners find the same as one thread, and both find the map's own values at a corner.
template <class Map>
void grids_are_the_same_from_many_threads(const Map& map) {
  const auto slice = restrict_to(map, shoulder_and_elbow, held());
  CHECK(slice.traits().concurrent);
  const GridOptions<2> options{.spacing = {0.25, 0.25}};
  const AdaptiveGrid<2> alone(slice, options), many(slice, options, Threads{8});
  const auto points = postures<2>(200, 3);
  Eigen::MatrixXd X(2, 200), Y_alone, Y_many, J_alone, J_many;
  for (int m = 0; m < 200; ++m) X.col(m) = points[static_cast<std::size_t>(m)];
  many.prefetch(X);
  const std::size_t prepared = many.statistics().exact_evaluations;
  alone.evaluate_batch(X, Y_alone, J_alone);
  many.evaluate_batch(X, Y_many, J_many);
  CHECK(many.statistics().exact_evaluations == prepared);
  CHECK((Y_alone.array() == Y_many.array()).all());
  CHECK((J_alone.array() == J_many.array()).all());

  Eigen::VectorXd y, f;
  Eigen::MatrixXd J, df;
  many.evaluate(Point<2>(0.5, -0.75), y, J);
  slice.evaluate(Point<2>(0.5, -0.75), f, df);
  CHECK((y - f).norm() < 1e-14 * f.norm());
  CHECK((J - df).norm() <= 1e-13 * df.norm());
}

}  // namespace

TEST_CASE(
    "on a grid over two joints of the iiwa 7, gravity and mass matrix are of order 4, their Jacobians of order 3") {
  slices_have_the_orders_of_cubic_cells(GravityMap<7>(iiwa7()));
  slices_have_the_orders_of_cubic_cells(MassMatrixMap<7>(iiwa7()));
}

TEST_CASE("a grid of a slice is the same to the bit whether one thread evaluates its corners or eight") {
  grids_are_the_same_from_many_threads(GravityMap<7>(iiwa7()));
  grids_are_the_same_from_many_threads(MassMatrixMap<7>(iiwa7()));
}
#endif

}  // namespace quoin::rigid_body
