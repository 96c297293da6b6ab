// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "robots/models/swimmer/mechanics_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <utility>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

using Mass = GeneralizedMass<3, GridView<3>>;

Swimmer swimmer_for(Motion motion) { return motion == Motion::planar ? test::numbered_chain() : test::skew_tree(); }

/// The mass over a grid whose cells are so large that a step and its differences stay within one.
Mass mass_on_grid(Motion motion) {
  const Swimmer swimmer = swimmer_for(motion);
  GridOptions<3> options;
  options.origin.setConstant(-1.6);
  options.spacing.setConstant(3.2);
  options.lower = Point<3>::Constant(-1.6);
  options.upper = Point<3>::Constant(1.6);
  const AdaptiveGrid<3> grid(test::synthetic_added_mass<3>(twist_size(motion) * swimmer.links()), options);
  return {swimmer, motion, grid.at_level(0)};
}

/// A mass that counts the queries of it; `Twice` shows its second derivatives or hides them.
template <bool Twice>
struct Counted {
  Mass mass;
  int* queries;

  Eigen::Index output_size() const { return mass.output_size(); }
  Answer evaluate(const Point<3>& q, Eigen::VectorXd& y) const { return ++*queries, mass.evaluate(q, y); }
  Answer evaluate(const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return ++*queries, mass.evaluate(q, y, J);
  }
  Answer evaluate(const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const
    requires Twice
  {
    return ++*queries, mass.evaluate(q, y, J, H);
  }
  Answer try_evaluate(const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return ++*queries, mass.try_evaluate(q, y, J);
  }
  Answer try_evaluate(const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const
    requires Twice
  {
    return ++*queries, mass.try_evaluate(q, y, J, H);
  }
};

Eigen::VectorXd random_numbers(Eigen::Index size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Eigen::VectorXd x(size);
  for (double& v : x) v = unit(random);
  return x;
}

template <class Dynamics>
Eigen::VectorXd random_state(const Dynamics& d, unsigned seed) {
  Eigen::VectorXd x = random_numbers(d.state_size(), seed);
  x.template segment<3>(3) *= 2;
  return x;
}

/// dnext/dx by differences of the step of fourth order.
template <class Dynamics>
Eigen::MatrixXd differences(const Dynamics& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u) {
  constexpr double h = 2e-3;
  Eigen::MatrixXd slopes(x.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const auto moved = [&](double by) {
      Eigen::VectorXd next;
      REQUIRE(d.step(x + by * Eigen::VectorXd::Unit(x.size(), i), u, next) == StepStatus::ok);
      return next;
    };
    slopes.col(i) = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
  }
  return slopes;
}

/// Calls check(motion, momentum, integrator, queries of a step).
template <class Check>
void for_all_steps(const Check& check) {
  for (const Motion motion : {Motion::planar, Motion::spatial})
    for (const Momentum momentum : {Momentum::zero, Momentum::free})
      for (const auto& [integrator, queries] : {std::pair(Integrator::rk4, 4), std::pair(Integrator::midpoint, 2),
                                                std::pair(Integrator::second_difference, 1)}) {
        CAPTURE(static_cast<int>(motion), static_cast<int>(momentum), static_cast<int>(integrator));
        check(motion, momentum, integrator, queries);
      }
}

}  // namespace

static_assert(TwiceDifferentiableMap<Mass, 3>);
static_assert(TwiceDifferentiableMap<Counted<true>, 3> && !TwiceDifferentiableMap<Counted<false>, 3>);
static_assert(!TwiceDifferentiableMap<decltype(test::synthetic_mass(test::numbered_chain(), Motion::planar)), 3>);

TEST_CASE("second derivatives of the mass over a grid are those of its Jacobian, in a plane and in space",
          "[swimmer_mass]") {
  for (const Motion motion : {Motion::planar, Motion::spatial}) {
    const Mass mass = mass_on_grid(motion);
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Point<3> q = random_numbers(3, seed);
      Eigen::VectorXd y, y_too;
      Eigen::MatrixXd J, J_too, H, moved[4];
      mass.evaluate(q, y, J);
      CHECK(mass.evaluate(q, y_too, J_too, H).has_value());
      CHECK(y == y_too);
      CHECK(J == J_too);
      REQUIRE(H.cols() == 6);
      for (int k = 0; k < 3; ++k) {
        constexpr double h = 2e-3;
        const double steps[] = {-2 * h, -h, h, 2 * h};
        for (int i = 0; i < 4; ++i) mass.evaluate(q + steps[i] * Point<3>::Unit(k), y, moved[i]);
        const Eigen::MatrixXd slope = (8 * (moved[2] - moved[1]) - (moved[3] - moved[0])) / (12 * h);
        for (int l = 0; l < 3; ++l)
          CHECK((H.col(second_derivative_index(3, k, l)) - slope.col(l)).norm() < 1e-9 * (1 + slope.norm()));
      }
    }
  }
}

TEST_CASE("a derivative step asks a twice differentiable mass as often as a step, any other seven times as often",
          "[swimmer_dynamics]") {
  for_all_steps([](Motion motion, Momentum momentum, Integrator integrator, int expected) {
    int queries = 0, differenced = 0;
    const SwimmerDynamicsOptions options{.integrator = integrator, .momentum = momentum};
    const SwimmerDynamics<3, Counted<true>> d({mass_on_grid(motion), &queries}, motion, options);
    const SwimmerDynamics<3, Counted<false>> hidden({mass_on_grid(motion), &differenced}, motion, options);
    Eigen::VectorXd next, next_too;
    Eigen::MatrixXd A, B, A_too, B_too;
    const Eigen::VectorXd x = random_state(d, 3), u = 0.5 * random_numbers(3, 4);
    REQUIRE(d.step(x, u, next) == StepStatus::ok);
    CHECK(queries == expected);
    queries = 0;
    REQUIRE(d.step(x, u, next, A, B) == StepStatus::ok);
    REQUIRE(hidden.step(x, u, next_too, A_too, B_too) == StepStatus::ok);
    CHECK(queries == expected);
    CHECK(differenced == 7 * expected);
    CHECK(next == next_too);
    CHECK((A - A_too).norm() < 1e-7 * A.norm());  // to the accuracy of the differences, O(difference_step^2)
    CHECK((B - B_too).norm() < 1e-7 * B.norm());
  });
}

TEST_CASE("derivatives of steps over a grid are exact: to 1e-10, and the Taylor remainder is of second order",
          "[swimmer_dynamics]") {
  for_all_steps([](Motion motion, Momentum momentum, Integrator integrator, int) {
    const SwimmerDynamics<3, Mass> d(mass_on_grid(motion), motion, {.integrator = integrator, .momentum = momentum});
    Eigen::VectorXd next, moved;
    Eigen::MatrixXd A, B;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Eigen::VectorXd x = random_state(d, seed), u = 0.5 * random_numbers(3, seed + 100);
      REQUIRE(d.step(x, u, next, A, B) == StepStatus::ok);
      CHECK((A - differences(d, x, u)).norm() < 1e-10 * A.norm());
      const Eigen::VectorXd dx = random_state(d, seed + 200), du = random_numbers(3, seed + 300);
      double before = 0;
      for (const double h : {0.004, 0.002, 0.001, 0.0005}) {
        REQUIRE(d.step(x + h * dx, u + h * du, moved) == StepStatus::ok);
        const double remainder = (moved - next - h * (A * dx + B * du)).norm();
        CHECK((before == 0 || std::abs(std::log2(before / remainder) - 2) < 0.1));
        before = remainder;
      }
    }
  });
}

TEST_CASE("at the end of the mass's domain a derivative step fails as a step does", "[swimmer_dynamics]") {
  const SwimmerDynamics<3, Mass> d(mass_on_grid(Motion::planar), Motion::planar);
  const Eigen::VectorXd beyond = Eigen::VectorXd::Constant(d.state_size(), 1.7);
  Eigen::VectorXd next;
  Eigen::MatrixXd A, B;
  CHECK(d.step(beyond, Eigen::Vector3d::Zero(), next) == StepStatus::outside_domain);
  CHECK(d.step(beyond, Eigen::Vector3d::Zero(), next, A, B) == StepStatus::outside_domain);
}
