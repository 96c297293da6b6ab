// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/extrapolated_added_mass.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::swimmer;

static_assert(DifferentiableMap<ExtrapolatedAddedMass<3>, 3>);

namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

// Carlson's integral R_D by duplication (Carlson 1995), to 1e-12.
double carlson_rd(double x, double y, double z) {
  double sum = 0, factor = 1;
  for (;;) {
    const double mean = (x + y + 3 * z) / 5;
    if (std::max({std::abs(mean - x), std::abs(mean - y), std::abs(mean - z)}) < 1e-6 * mean)
      return 3 * sum + factor / (mean * std::sqrt(mean));
    const double shift = std::sqrt(x * y) + std::sqrt(y * z) + std::sqrt(z * x);
    sum += factor / (std::sqrt(z) * (z + shift));
    factor /= 4;
    x = (x + shift) / 4, y = (y + shift) / 4, z = (z + shift) / 4;
  }
}

// Lamb, Hydrodynamics, articles 114 and 373: the diagonal of an ellipsoid's added mass per unit density.
Vector6 lamb(const Eigen::Vector3d& axes) {
  const double product = axes.prod(), volume = 4 * std::numbers::pi / 3 * product;
  const Eigen::Vector3d square = axes.cwiseAbs2();
  Eigen::Vector3d alpha;
  for (int i = 0; i < 3; ++i)
    alpha[i] = 2. / 3 * product * carlson_rd(square[(i + 1) % 3], square[(i + 2) % 3], square[i]);
  Vector6 mass;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double difference = square[j] - square[k];
    mass[3 + i] = volume * alpha[i] / (2 - alpha[i]);
    mass[i] = difference == 0 ? 0
                              : volume / 5 * difference * difference * (alpha[k] - alpha[j]) /
                                    (2 * difference + (square[j] + square[k]) * (alpha[j] - alpha[k]));
  }
  return mass;
}

// Two equal ellipsoids so far apart that they feel each other by less than 1e-8; the fluid's density is 1.
SwimmerFlow far_apart(const Eigen::Vector3d& axes, int n) {
  return SwimmerFlow(
      ellipsoid_chain({.links = 2, .semi_axes = axes, .gap = 2000, .mesh = n, .density = 1, .fluid_density = 1}));
}

// The largest relative error of the diagonal, of the entries that are no less than a hundredth of the solid's.
template <class Map>
double worst_error(const Map& map, const Eigen::Vector3d& axes) {
  Eigen::VectorXd y;
  map.evaluate(Point<1>(0.2), y);
  const Vector6 exact = lamb(axes);
  const double volume = 4 * std::numbers::pi / 3 * axes.prod();
  double worst = 0;
  for (int i = 0; i < 6; ++i) {
    const double solid = i > 2 ? volume : volume / 5 * (axes.squaredNorm() - axes[i] * axes[i]);
    if (exact[i] > 0.01 * solid) worst = std::max(worst, std::abs(y[packed_index(i, i)] / exact[i] - 1));
  }
  return worst;
}

ExtrapolatedAddedMass<3> chain_water(int coarse, int fine, Motion motion) {
  return {SwimmerFlow(ellipsoid_chain({.mesh = coarse})), SwimmerFlow(ellipsoid_chain({.mesh = fine})), motion};
}

}  // namespace

TEST_CASE("extrapolated from n = 4 and 6, added masses of drawn ellipsoids are Lamb's to 3e-3, discs' to 2e-2") {
  std::mt19937 random(20261);
  const auto draw = [&](double least, double largest) {
    return least * std::pow(largest / least, static_cast<double>(random()) / 4294967296.0);
  };
  struct Shape {
    std::string name;
    double bound, gain;  // the error, and how much smaller it is than that of n = 6
  };
  const std::vector<Shape> shapes{
      {"prolate", 3e-3, 15}, {"oblate", 3e-3, 15}, {"triaxial", 3e-3, 15}, {"disc", 2e-2, 4}};
  double worst_plain = 0;
  for (const auto& shape : shapes)
    for (int i = 0; i < 4; ++i) {
      Eigen::Vector3d axes(1, 1, 1);
      if (shape.name == "prolate") axes[0] = draw(1, 6);
      if (shape.name == "oblate") axes[2] = draw(0.3, 1);
      if (shape.name == "triaxial") axes << draw(1, 5), 1, draw(0.3, 3);
      if (shape.name == "disc") axes[2] = draw(0.08, 0.3);
      const double plain = worst_error(AddedMass<1>(far_apart(axes, 6), Motion::spatial), axes);
      const double extrapolated =
          worst_error(ExtrapolatedAddedMass<1>(far_apart(axes, 4), far_apart(axes, 6), Motion::spatial), axes);
      CAPTURE(shape.name, axes.transpose(), plain, extrapolated);
      CHECK(extrapolated < shape.bound);
      CHECK(shape.gain * extrapolated < plain);
      worst_plain = std::max(worst_plain, plain);
    }
  CHECK(worst_plain > 0.03);
}

TEST_CASE("the extrapolation's own error falls as the third power of the panels' size or faster") {
  const Eigen::Vector3d axes(3, 1, 2);
  double before = 0;
  for (int n : {2, 4, 8}) {
    const double error =
        worst_error(ExtrapolatedAddedMass<1>(far_apart(axes, n / 2), far_apart(axes, n), Motion::spatial), axes);
    CAPTURE(n, error);
    if (before > 0) CHECK(std::log2(before / error) > 3);
    before = error;
  }
}

// Sums of 60 to 120 multipoles of the exact solution (Lamb, article 138, by images), as in lamb_test.cpp.
TEST_CASE("extrapolated, two near spheres have their added masses and couplings to 1e-3") {
  const auto spheres = [](int n) {
    return SwimmerFlow(
        ellipsoid_chain({.links = 2, .semi_axes = {1, 1, 1}, .gap = 0.1, .mesh = n, .density = 1, .fluid_density = 1}));
  };
  Eigen::VectorXd y;
  ExtrapolatedAddedMass<1>(spheres(4), spheres(6), Motion::spatial).evaluate(Point<1>(0.), y);
  y /= 4 * std::numbers::pi / 3;
  CHECK(std::abs(y[packed_index(3, 3)] - 0.542461) < 1e-3);
  CHECK(std::abs(y[packed_index(3, 9)] + 0.175244) < 1e-3);
  CHECK(std::abs(y[packed_index(4, 4)] - 0.512269) < 1e-3);
  CHECK(std::abs(y[packed_index(4, 10)] - 0.083610) < 1e-3);
}

TEST_CASE("the extrapolated added mass obeys the laws of maps, its Jacobian that of Taylor remainders") {
  const std::vector<Point<3>> points{Point<3>(0.4, -0.3, 0.7)};
  const test::MapLaws laws{.threads = 2, .derivatives = {.largest_step = 0.01, .halvings = 4, .directions = 2}};
  test::obeys_the_laws_of_maps<3>(chain_water(1, 2, Motion::planar), points, laws);
  test::obeys_the_laws_of_maps<3>(chain_water(2, 3, Motion::spatial), points, laws);
}

TEST_CASE("grids, masses and dynamics take the extrapolated added mass as they take the plain one") {
  const Swimmer fish = ellipsoid_chain({.mesh = 2});
  const auto water = chain_water(1, 2, Motion::planar);
  GridOptions<3> options;
  options.spacing.setConstant(0.3);
  AdaptiveGrid<3> grid(water, options);
  const auto view = grid.at_level(0);
  const GeneralizedMass<3, std::decay_t<decltype(view)>> on_grid(fish, Motion::planar, view);
  const GeneralizedMass<3, ExtrapolatedAddedMass<3>> exact(fish, Motion::planar, water);
  const SwimmerDynamics<3, std::decay_t<decltype(on_grid)>> swim(on_grid, Motion::planar);
  const SwimmerDynamics<3, std::decay_t<decltype(exact)>> swim_exactly(exact, Motion::planar);
  const Eigen::VectorXd torques = Eigen::Vector3d(1e-2, -2e-2, 1e-2);
  Eigen::VectorXd next, expected;
  const Point<3> q(0.1, 0.2, 0.15);
  REQUIRE(swim.step(swim.rest_state(q), torques, next) == StepStatus::ok);
  REQUIRE(swim_exactly.step(swim_exactly.rest_state(q), torques, expected) == StepStatus::ok);
  CHECK((next - expected).norm() < 1e-4 * (expected - swim.rest_state(q)).norm());
}

TEST_CASE("meshes that are not two of the same links are refused with their numbers") {
  using Catch::Contains;
  const auto message = [](const EllipsoidChainOptions& coarse, const EllipsoidChainOptions& fine) -> std::string {
    try {
      ExtrapolatedAddedMass<1>(SwimmerFlow(ellipsoid_chain(coarse)), SwimmerFlow(ellipsoid_chain(fine)),
                               Motion::planar);
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "";
  };
  CHECK(message({.links = 2, .mesh = 1}, {.links = 2, .mesh = 2}).empty());
  CHECK_THAT(message({.links = 2, .mesh = 2}, {.links = 2, .mesh = 2}), Contains("80 panels") && Contains("link 0"));
  CHECK_THAT(message({.links = 2, .mesh = 2}, {.links = 2, .mesh = 1}), Contains("80 panels") && Contains("20"));
  CHECK_THAT(message({.links = 3, .mesh = 1}, {.links = 2, .mesh = 2}), Contains("3 links") && Contains("2"));
  CHECK_THAT(message({.links = 3, .mesh = 1}, {.links = 3, .mesh = 2}), Contains("2 hinges"));
  CHECK_THAT(message({.links = 2, .mesh = 1, .fluid_density = 999}, {.links = 2, .mesh = 2}),
             Contains("999") && Contains("1000"));
  CHECK_THAT(message({.links = 2, .gap = 0.03, .mesh = 1}, {.links = 2, .mesh = 2}),
             Contains("hinge 0") && Contains("0.01"));
  CHECK_THAT(message({.links = 2, .axis = {1, 0, 0}, .mesh = 1}, {.links = 2, .axis = {1, 0, 0}, .mesh = 2}),
             Contains("ExtrapolatedAddedMass"));

  const auto mixed = [](int head, int tail) {
    const auto link = [](int n) { return Link{.surface = geodesic_ellipsoid({0.1, 0.02, 0.05}, n)}; };
    return SwimmerFlow(Swimmer({link(head), link(tail)}, {{.in_parent = {-0.11, 0, 0}, .in_link = {0.11, 0, 0}}}));
  };
  CHECK_NOTHROW(ExtrapolatedAddedMass<1>(mixed(1, 2), mixed(2, 4), Motion::planar));
  CHECK_THROWS_WITH(ExtrapolatedAddedMass<1>(mixed(1, 2), mixed(2, 3), Motion::planar),
                    Contains("link 1 has 80 and 180 panels, link 0 has 20 and 80"));

  const auto water = chain_water(1, 2, Motion::planar);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  CHECK_THROWS_AS(water.evaluate(Point<3>(NAN, 0, 0), y), std::invalid_argument);
  CHECK_THROWS_AS(water.evaluate(Point<3>(2.9, 0, 0), y), BodiesTouch);
  CHECK(try_evaluate<3>(water, Point<3>(2.9, 0, 0), y, J).trust == Trust::failed);
}

// Turning a sphere moves only the corners of its mesh. That inertia falls faster than the second power of n, so that
// the extrapolation overshoots zero, by 6e-3 kg m^2 here; a sphere with less inertia of its own does not make up for
// it.
TEST_CASE("an extrapolated mass that is not positive definite is answered as failed") {
  const auto spheres = [](int n, double inertia) {
    const Link link{.surface = geodesic_ellipsoid({1, 1, 1}, n),
                    .inertia = LinkInertia{1, {0, 0, 0}, inertia * Eigen::Matrix3d::Identity()}};
    return SwimmerFlow(Swimmer({link, link}, {{.in_parent = {-2, 0, 0}, .in_link = {2, 0, 0}}}));
  };
  const auto water = [&](double inertia) {
    return ExtrapolatedAddedMass<1>(spheres(3, inertia), spheres(6, inertia), Motion::spatial);
  };
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  CHECK(try_evaluate<1>(water(1), Point<1>(0.1), y, J).trust == Trust::exact);
  CHECK(try_evaluate<1>(water(1e-3), Point<1>(0.1), y, J).trust == Trust::failed);
  CHECK_THROWS_WITH(water(1e-3).evaluate(Point<1>(0.1), y), Catch::Contains("not positive definite, its smallest"));
}
