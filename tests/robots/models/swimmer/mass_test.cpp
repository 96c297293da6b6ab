// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"
#include "robots/models/swimmer/mechanics_problems.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

using Exact = GeneralizedMass<3, AddedMass<3>>;

Swimmer coarse_chain() { return ellipsoid_chain({.mesh = 2}); }

std::vector<Point<3>> some_angles(int count) {
  return test::random_points<3>(count, Point<3>::Constant(-1), Point<3>::Constant(1), 5);
}

Eigen::MatrixXd unpacked(const Eigen::VectorXd& packed, int size) {
  Eigen::MatrixXd full(size, size);
  unpack_symmetric(packed, full);
  return full;
}

}  // namespace

TEST_CASE("the generalized mass obeys the laws of maps, in a plane and in space", "[swimmer_mass]") {
  test::obeys_the_laws_of_maps<3>(test::synthetic_mass(test::numbered_chain(), Motion::planar), some_angles(3));
  test::obeys_the_laws_of_maps<3>(test::synthetic_mass(test::skew_tree(), Motion::spatial), some_angles(3));
}

TEST_CASE("without water the generalized mass is that of rigid bodies, point by point", "[swimmer_mass]") {
  // A link's inertia as that of points whose velocities are differences of their positions.
  const Swimmer tree = test::skew_tree();
  const std::vector<Eigen::MatrixXd> nothing(4, Eigen::MatrixXd::Zero(6, 6));
  const GeneralizedMass<3, DecoupledAddedMass<3>> mass(tree, Motion::spatial, DecoupledAddedMass<3>(nothing));
  const Point<3> q(0.4, -0.7, 0.9);
  Eigen::VectorXd packed;
  mass.evaluate(q, packed);
  const Eigen::MatrixXd M = unpacked(packed, 9);

  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(9, 9);
  const double h = 1e-5;
  for (int b = 0; b < tree.links(); ++b) {
    const LinkInertia& body = tree.inertia(b);
    // Six points on the axes about the centre of mass with the link's moments.
    const Eigen::Vector3d moments = body.inertia.diagonal();
    for (int axis = 0; axis < 3; ++axis) {
      const double square = (moments.sum() / 2 - moments[axis]) / body.mass * 3;
      for (double sign : {-1.0, 1.0}) {
        const Eigen::Vector3d point = body.centre + sign * std::sqrt(square) * Eigen::Vector3d::Unit(axis);
        Eigen::MatrixXd velocity(3, 9);
        for (int c = 0; c < 9; ++c) {
          const auto at = [&](double s) -> Eigen::Vector3d {
            Eigen::Isometry3d base = Eigen::Isometry3d::Identity();
            Eigen::VectorXd angles = q;
            if (c < 3) base = Eigen::AngleAxisd(s, Eigen::Vector3d::Unit(c));
            if (c >= 3 && c < 6) base = Eigen::Translation3d(s * Eigen::Vector3d::Unit(c - 3));
            if (c >= 6) angles[c - 6] += s;
            return tree.poses(base, angles)[static_cast<std::size_t>(b)] * point;
          };
          velocity.col(c) = (at(h) - at(-h)) / (2 * h);
        }
        expected += body.mass / 6 * velocity.transpose() * velocity;
      }
    }
  }
  CHECK((M - expected).norm() < 1e-9 * expected.norm());
}

TEST_CASE("numbers that do not fit are refused with their names", "[swimmer_mass]") {
  using Catch::Contains;
  const Swimmer chain = test::numbered_chain(), tree = test::skew_tree();
  CHECK_THROWS_WITH(test::synthetic_mass(tree, Motion::planar), Contains("GeneralizedMass") && Contains("hinge 0"));
  using Mass = GeneralizedMass<3, test::SyntheticAddedMass<3>>;
  CHECK_THROWS_WITH(Mass(chain, Motion::planar, test::synthetic_added_mass<3>(24)),
                    Contains("300 outputs") && Contains("78"));
  using Wrong = GeneralizedMass<2, DecoupledAddedMass<2>>;
  CHECK_THROWS_WITH(
      Wrong(chain, Motion::planar, DecoupledAddedMass<2>(std::vector(3, Eigen::MatrixXd::Zero(3, 3).eval()))),
      Contains("3 hinges"));
  CHECK_THROWS_WITH(DecoupledAddedMass<2>({Eigen::MatrixXd::Zero(3, 3)}), Contains("1 links"));
  std::vector<Eigen::MatrixXd> skew(3, Eigen::Matrix3d::Identity());
  skew[1](0, 2) = 0.5;
  CHECK_THROWS_WITH(DecoupledAddedMass<2>(skew), Contains("link 1") && Contains("0.5"));
  skew[1](0, 2) = skew[1](2, 0) = std::nan("");
  CHECK_THROWS_WITH(DecoupledAddedMass<2>(skew), Contains("link 1") && Contains("finite"));
}

namespace {

template <class Mass>
void answers_alike(const Mass& mass, const Mass& same) {
  const Point<3> q(0.4, -0.8, 0.3);
  Eigen::VectorXd a, b;
  Eigen::MatrixXd da, db;
  mass.evaluate(q, a, da);
  same.evaluate(q, b, db);
  CHECK(a == b);
  CHECK(da == db);
  CHECK(same.try_evaluate(q, b, db).has_value());
  CHECK(a == b);
  CHECK(da == db);
  mass.evaluate(q, a);
  same.evaluate(q, b);
  CHECK(a == b);
}

}  // namespace

TEST_CASE("a mass whose map asks a mass of the same type keeps its numbers", "[swimmer_mass]") {
  const auto ask = [](const auto& mass) {
    return [mass](const Point<3>& q) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      mass.evaluate(q.array() + 0.1, y, J);
    };
  };
  const auto nothing = [](const Point<3>&) {};
  const Swimmer chain = test::numbered_chain();
  const auto water = test::synthetic_added_mass<3>(12);
  using Mass = GeneralizedMass<3, test::AnyMap>;
  const Mass mass(chain, Motion::planar, test::distracted(water, nothing));
  answers_alike(mass, Mass(chain, Motion::planar, test::distracted(water, ask(mass))));
}

TEST_CASE("the added mass by boundary elements obeys the laws of maps", "[swimmer_mass]") {
  const SwimmerFlow flow(coarse_chain());
  const std::vector<Point<3>> points{Point<3>(0.4, -0.3, 0.7)};
  const test::MapLaws laws{.threads = 2, .derivatives = {.largest_step = 0.05, .halvings = 3, .directions = 2}};
  test::obeys_the_laws_of_maps<3>(AddedMass<3>(flow, Motion::planar), points, laws);
  test::obeys_the_laws_of_maps<3>(Exact(flow.swimmer(), Motion::spatial, AddedMass<3>(flow, Motion::spatial)), points,
                                  laws);
}

// The kinetic energy of the water is -rho/2 times the integral of phi dphi/dn over the surface: with F(q) the
// potentials per unit velocity and W the weights of that integral, M(q) = sum_b J_b^T I_b J_b - rho sym(F^T W J).
TEST_CASE("the mass from the potentials of Eq. 10 is the mass from the added mass", "[swimmer_mass]") {
  const SwimmerFlow flow(coarse_chain());
  const Swimmer& chain = flow.swimmer();
  const Point<3> q(0.4, -0.8, 0.3);
  Eigen::MatrixXd all;
  chain.link_jacobians(q, all);
  for (Motion motion : {Motion::planar, Motion::spatial}) {
    Eigen::VectorXd packed;
    Exact(chain, motion, AddedMass<3>(flow, motion)).evaluate(q, packed);
    std::vector<int> velocities{0, 1, 2, 3, 4, 5, 6, 7, 8};
    if (motion == Motion::planar) velocities = {2, 3, 4, 6, 7, 8};
    const Eigen::MatrixXd J = all(Eigen::all, velocities);
    const Eigen::MatrixXd G = flow.potentials(q, motion).transpose() * flow.flow().normal_weights() * J;
    Eigen::MatrixXd M = -0.5 * chain.fluid_density() * (G + G.transpose());
    for (int b = 0; b < chain.links(); ++b)
      M += J.middleRows<6>(6 * b).transpose() * chain.mass_matrix(b) * J.middleRows<6>(6 * b);
    CHECK((M - unpacked(packed, static_cast<int>(M.rows()))).norm() < 1e-12 * M.norm());
  }
}

TEST_CASE("the planar mass is the spatial mass of planar velocities", "[swimmer_mass]") {
  const SwimmerFlow flow(coarse_chain());
  Eigen::VectorXd packed;
  const Point<3> q(0.4, -0.8, 0.3);
  Exact(flow.swimmer(), Motion::spatial, AddedMass<3>(flow, Motion::spatial)).evaluate(q, packed);
  const Eigen::MatrixXd spatial = unpacked(packed, 9);
  Exact(flow.swimmer(), Motion::planar, AddedMass<3>(flow, Motion::planar)).evaluate(q, packed);
  const Eigen::MatrixXd planar = unpacked(packed, 6);
  const std::vector<int> in_plane{2, 3, 4, 6, 7, 8}, out_of_plane{0, 1, 5};
  CHECK((spatial(in_plane, in_plane) - planar).norm() < 1e-13 * planar.norm());
  CHECK(spatial(in_plane, out_of_plane).norm() < 1e-12 * planar.norm());
}

TEST_CASE("links that touch are reported: thrown, or answered as failed", "[swimmer_mass]") {
  const Exact mass(coarse_chain(), Motion::planar, AddedMass<3>(coarse_chain(), Motion::planar));
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  CHECK_THROWS_AS(mass.evaluate(Point<3>(2.9, 0, 0), y), BodiesTouch);
  CHECK(mass.try_evaluate(Point<3>(2.9, 0, 0), y, J).trust == Trust::failed);
}

TEST_CASE("an estimate of the added mass's error is not carried over to the mass", "[swimmer_mass]") {
  const Swimmer chain = test::numbered_chain();
  GridOptions<3> options;
  options.spacing.setConstant(0.5);
  options.lower.setConstant(-1);
  options.upper.setConstant(1);
  options.tolerance = 1e-3;
  const AdaptiveGrid<3> grid(test::synthetic_added_mass<3>(12), options);
  const auto view = grid.at_tolerance(1e-3);
  const GeneralizedMass<3, std::decay_t<decltype(view)>> mass(chain, Motion::planar, view);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const Answer inner = view.evaluate(Point<3>(0.1, 0.2, 0.3), y, J);
  const Answer outer = mass.evaluate(Point<3>(0.1, 0.2, 0.3), y, J);
  CHECK(inner.trust == Trust::estimated);
  CHECK(outer.trust == Trust::unchecked);
  CHECK(std::isnan(outer.error));
  CHECK(mass.try_evaluate(Point<3>(1.2, 0, 0), y, J).trust == Trust::outside);
}

TEST_CASE("a swimmer over a grid passes on where its steps will begin, one over exact water has nobody to tell",
          "[swimmer_mass]") {
  using OnGrid = GeneralizedMass<3, GridView<3>>;
  static_assert(Hintable<SwimmerDynamics<3, OnGrid>> && !Hintable<SwimmerDynamics<3, Exact>>);
  GridOptions<3> options;
  options.spacing.setConstant(0.5);
  options.evaluate_ahead = true;
  const AdaptiveGrid<3> grid(test::synthetic_added_mass<3>(12), options, Threads{2});
  const SwimmerDynamics<3, OnGrid> swim(OnGrid(test::numbered_chain(), Motion::planar, grid.at_level(0)),
                                        Motion::planar);
  Eigen::MatrixXd states(swim.state_size(), 12);
  const auto angles = some_angles(12);
  for (int i = 0; i < 12; ++i) states.col(i) = swim.rest_state(angles[static_cast<std::size_t>(i)]);
  swim.hint(states);
  CHECK(grid.statistics().batches == 1);
  const std::size_t evaluations = grid.statistics().exact_evaluations;
  for (const auto x : states.colwise()) swim.mass_matrix(x.head<3>());
  CHECK(grid.statistics().exact_evaluations == evaluations);
  CHECK(grid.statistics().unused_corners == 0);
}
