// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "testing/refused_options.hpp"
#include "toy_arm.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::soft_arm;
using quoin::soft_arm::test::CellwiseMap;
using quoin::soft_arm::test::ToyArm;

namespace {

using Arm = ReducedDynamics<2, ToyArm>;
static_assert(DiscreteDynamics<Arm>);
static_assert(DiscreteDynamics<ReducedDynamics<2, CellwiseMap<ToyArm>>>);
static_assert(TryableMap<CellwiseMap<ToyArm>, 2> && !TryableMap<ToyArm, 2>);

Eigen::Vector2d swinging(int k) { return {1.5 + std::sin(0.05 * k), 1 + std::cos(0.11 * k)}; }

// The remainder of the step's linearization in a fixed direction of length about 3, by its scale h.
template <class Dynamics>
double remainder(const Dynamics& dynamics, const Eigen::VectorXd& x, const Eigen::Vector2d& u, double h,
                 Eigen::Vector2d* alpha = nullptr) {
  const Eigen::VectorXd dx = Eigen::Vector4d(-1, 0, 1, 2), du = Eigen::Vector2d(1, -1);
  Eigen::VectorXd next, moved;
  Eigen::MatrixXd dnext_dx, dnext_du;
  REQUIRE(dynamics.step(x, u, next, dnext_dx, dnext_du) == StepStatus::ok);
  REQUIRE(dynamics.step(x + h * dx, u + h * du, moved) == StepStatus::ok);
  if (alpha) *alpha = moved.head(2);
  return (moved - next - h * (dnext_dx * dx + dnext_du * du)).norm();
}

}  // namespace

TEST_CASE("projected forces equal C (u - alpha) on a true arm: the reduced identity") {
  const ToyArm arm;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(-0.5, 3);
  for (int i = 0; i < 50; ++i) {
    const Eigen::Vector2d alpha(draw(random), draw(random)), u(draw(random), draw(random));
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    arm.evaluate(alpha, y, J);
    const Eigen::Vector2d literal = -J.topRows(6).transpose() * arm.gradient(y.head(6), u);
    const Eigen::Vector2d identity = -J.bottomRows(2) * (u - alpha);
    CHECK((literal - identity).norm() < 1e-14 * (1 + literal.norm()));
  }
}

TEST_CASE("a step solves Eq. 8 as printed") {
  const ToyArm toy;
  const double dt = 0.5;
  const Arm arm(toy, 6, {.time_step = dt, .tolerance = 1e-12});
  Eigen::VectorXd x = arm.rest_state({0.2, 0.1}), next;
  for (int k = 0; k < 30; ++k) {
    const Eigen::Vector2d u = swinging(3 * k);
    REQUIRE(arm.step(x, u, next) == StepStatus::ok);
    CHECK(next.tail(2) == x.head(2));
    Eigen::VectorXd y[3];
    Eigen::MatrixXd J[3];
    toy.evaluate(next.head(2), y[0], J[0]);
    toy.evaluate(x.head(2), y[1], J[1]);
    toy.evaluate(x.tail(2), y[2], J[2]);
    const Eigen::VectorXd inertia = (y[0] - 2 * y[1] + y[2]).head(6) / (dt * dt);
    CHECK((J[0].topRows(6).transpose() * (inertia + toy.gradient(y[0].head(6), u))).norm() < 1e-12);
    x = next;
  }
}

TEST_CASE("an arm at rest under its controls stays at rest") {
  const Arm arm(ToyArm(), 6, {.stiffness_damping = 0.1, .mass_damping = 0.1});
  const Eigen::Vector2d u(1.3, 0.4);
  Eigen::VectorXd next;
  const auto report = arm.solve(arm.rest_state(u), u, next);
  CHECK(report.status == StepStatus::ok);
  CHECK(report.iterations == 0);
  CHECK(report.queries == 1);
  CHECK(next == arm.rest_state(u));
}

TEST_CASE("a step that follows another on the same thread asks the map less, the same step again not at all") {
  const Arm arm(ToyArm(), 6, {.time_step = 0.5}), other(ToyArm(), 6, {.time_step = 0.25});
  Eigen::VectorXd x = arm.rest_state({0.2, 0.1}), next, again, elsewhere;
  Eigen::MatrixXd a, b, c, d;
  for (int k = 0; k < 10; ++k) {
    const Eigen::Vector2d u = swinging(5 * k);
    const auto following = arm.solve(x, u, next);
    REQUIRE(arm.step(x, u, next, a, b) == StepStatus::ok);
    REQUIRE(other.step(x, u, elsewhere) == StepStatus::ok);
    const auto fresh = arm.solve(x, u, again);
    REQUIRE(arm.step(x, u, again, c, d) == StepStatus::ok);
    CHECK(again == next);
    CHECK(a == c);
    CHECK(b == d);
    CHECK(elsewhere != next);
    CHECK(fresh.iterations == following.iterations);
    x = next;
  }
  Eigen::VectorXd then;
  REQUIRE(arm.step(x, swinging(3), next) == StepStatus::ok);
  const int following = arm.solve(next, swinging(4), then).queries;
  CHECK(arm.solve(next, swinging(4), again).queries == 0);
  CHECK(then == again);
  const Arm stranger(ToyArm(), 6, {.time_step = 0.5});
  CHECK(stranger.solve(next, swinging(4), again).queries == following + 2);
  CHECK(then == again);
}

TEST_CASE("the undriven arm's energy never grows, with and without damping") {
  const ToyArm toy;
  for (double damping : {0.0, 0.2}) {
    const Arm arm(toy, 6, {.time_step = 0.1, .stiffness_damping = damping, .mass_damping = damping / 2});
    const Eigen::Vector2d u(0.5, 0.5);
    Eigen::VectorXd x = arm.rest_state({2.5, -0.4}), next, y, before;
    Eigen::MatrixXd J;
    toy.evaluate(x.head(2), before, J);
    const double start = toy.energy(before.head(6), u), rest = [&] {
      toy.evaluate(u, y, J);
      return toy.energy(y.head(6), u);
    }();
    double energy = start;
    for (int k = 0; k < 300; ++k) {
      REQUIRE(arm.step(x, u, next) == StepStatus::ok);
      toy.evaluate(next.head(2), y, J);
      const double now = 0.5 * (y - before).head(6).squaredNorm() / 0.01 + toy.energy(y.head(6), u);
      REQUIRE(now <= energy + 1e-12);
      energy = now;
      before = y;
      x = next;
    }
    CHECK(energy < start);
    CHECK(energy >= rest - 1e-12);
    if (damping > 0) CHECK(energy - rest < 1e-2 * (start - rest));
  }
}

TEST_CASE("exact step derivatives leave a remainder of second order; Gauss-Newton's are off by hundredths") {
  const ReducedDynamicsOptions options{.time_step = 0.5, .stiffness_damping = 0.05, .mass_damping = 0.1};
  auto exact_options = options;
  exact_options.derivative = StepDerivative::exact;
  const Arm gauss_newton(ToyArm(), 6, options), exact(ToyArm(), 6, exact_options);
  Eigen::VectorXd x = exact.rest_state({0.2, 0.1}), next;
  Eigen::MatrixXd a, b, c, d;
  for (int k = 0; k < 60; ++k) {
    const Eigen::Vector2d u = swinging(3 * k);
    if (k % 6 == 1) {
      const double slope = std::log10(remainder(exact, x, u, 1e-2) / remainder(exact, x, u, 1e-3));
      CHECK(slope > 1.9);
      CHECK(slope < 2.1);
      const double further = std::log10(remainder(exact, x, u, 1e-3) / remainder(exact, x, u, 1e-4));
      CHECK(further > 1.9);
      CHECK(further < 2.1);
      exact.step(x, u, next, a, b);
      gauss_newton.step(x, u, next, c, d);
      CHECK((a - c).norm() < 3e-2 * a.norm());
      CHECK((b - d).norm() < 3e-2 * b.norm());
      CHECK((a - c).norm() > 1e-12);
    }
    REQUIRE(exact.step(x, u, next) == StepStatus::ok);
    x = next;
  }
}

TEST_CASE("on a surrogate of cells the derivatives are exact inside each cell, and off by its jump across faces") {
  const double spacing = 0.25;
  const ReducedDynamics<2, CellwiseMap<ToyArm>> arm(CellwiseMap<ToyArm>(ToyArm(), spacing, -2, 6), 6,
                                                    {.time_step = 0.5, .derivative = StepDerivative::exact});
  const auto cell = [&](const Eigen::Vector2d& a) { return (a / spacing).array().floor().matrix().eval(); };
  Eigen::VectorXd x = arm.rest_state({0.2, 0.1}), next;
  int inside = 0, across = 0, faces = 0;
  for (int k = 0; k < 200; ++k) {
    const Eigen::Vector2d u = swinging(k);
    REQUIRE(arm.step(x, u, next) == StepStatus::ok);
    // A perturbed state or next state in another cell sees another polynomial.
    const Eigen::Vector2d moved_now = x.head(2) + 1e-2 * Eigen::Vector2d(-1, 0),
                          moved_before = x.tail(2) + 1e-2 * Eigen::Vector2d(1, 2);
    Eigen::Vector2d moved;
    const double coarse = remainder(arm, x, u, 1e-2, &moved);
    if (cell(moved) == cell(next.head(2)) && cell(moved_now) == cell(x.head(2)) &&
        cell(moved_before) == cell(x.tail(2))) {
      ++inside;
      const double slope = std::log10(coarse / remainder(arm, x, u, 1e-3));
      CHECK(slope > 1.8);
      CHECK(slope < 2.2);
    } else {
      ++across;
      CHECK(coarse < 1e-3);
      CHECK(remainder(arm, x, u, 1e-3) < 5e-5);
    }
    faces += cell(next.head(2)) != cell(x.head(2));
    x = next;
  }
  CHECK(inside > 100);
  CHECK(across > 5);
  CHECK(faces > 10);
}

TEST_CASE("a step whose solution is at a face of the cells is accepted, and differentiated from one side") {
  const double spacing = 0.5;
  const ReducedDynamics<2, CellwiseMap<ToyArm>> arm(CellwiseMap<ToyArm>(ToyArm(), spacing, -2, 6), 6,
                                                    {.time_step = 0.5, .derivative = StepDerivative::exact});
  const Arm smooth(ToyArm(), 6, {.time_step = 0.5, .derivative = StepDerivative::exact});
  Eigen::VectorXd next, x = Eigen::Vector4d(0.9, 0.8, 0.8, 0.8);
  Eigen::MatrixXd a, b, c, d;
  // Bisection on u_0 puts the next state onto the face alpha_0 = 1.
  double low = 0, high = 6;
  for (int i = 0; i < 60; ++i) {
    const Eigen::Vector2d u((low + high) / 2, 1);
    REQUIRE(arm.step(x, u, next, a, b) == StepStatus::ok);
    (next[0] < 1 ? low : high) = u[0];
  }
  CHECK(std::abs(next[0] - 1) < 1e-6);
  REQUIRE(smooth.step(x, Eigen::Vector2d(low, 1), next, c, d) == StepStatus::ok);
  CHECK((a - c).norm() < 2e-2 * c.norm());
  CHECK((b - d).norm() < 2e-2 * d.norm());
}

namespace {

// Has no answer where alpha_0 > 2; beyond 3 the answer is not a number.
struct Fragile : ToyArm {
  Answer evaluate(const Point<2>& a, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(a, y, J);
  }
  Answer evaluate(const Point<2>& a, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    if (a[0] > 2 && a[0] < 3) throw std::runtime_error("no equilibrium");
    const Answer answer = ToyArm::evaluate(a, y, J);
    if (a[0] >= 3) y[0] = std::numeric_limits<double>::quiet_NaN();
    return answer;
  }
};

// Lines that move no mass: only the second coordinate has one.
struct Massless {
  Eigen::Index output_size() const { return 4; }
  Answer evaluate(const Point<2>& a, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(a, y, J);
  }
  Answer evaluate(const Point<2>& a, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    y.resize(4);
    y << 0, a[1], -a[0], -a[1];
    J.resize(4, 2);
    J << 0, 0, 0, 1, -1, 0, 0, -1;
    return {.trust = Trust::exact};
  }
};

/// The first status that is not ok on at most 50 steps with the controls held.
template <class Dynamics>
StepStatus status_of_steps(const Dynamics& arm, Eigen::VectorXd x, const Eigen::Vector2d& controls) {
  Eigen::VectorXd next;
  StepStatus status = StepStatus::ok;
  for (int k = 0; k < 50 && status == StepStatus::ok; ++k) {
    status = arm.step(x, controls, next);
    x = next;
  }
  return status;
}

}  // namespace

TEST_CASE("a step that must leave the map's domain says so") {
  const ReducedDynamics<2, CellwiseMap<ToyArm>> arm(CellwiseMap<ToyArm>(ToyArm(), 0.25, -1, 2), 6, {.time_step = 0.5});
  CHECK(status_of_steps(arm, arm.rest_state({0, 0}), {5, 5}) == StepStatus::outside_domain);
  Eigen::VectorXd next;
  CHECK(arm.step(arm.rest_state({3, 0}), Eigen::Vector2d(0, 0), next) == StepStatus::outside_domain);
  // The prediction lies outside, the solution does not.
  const Eigen::Vector4d fast(1.5, 1, 0.9, 1);
  CHECK(arm.step(fast, Eigen::Vector2d(-3, 1), next) == StepStatus::ok);
}

TEST_CASE("a step onto a point where the map fails says so") {
  const ReducedDynamics<2, Fragile> arm(Fragile(), 6, {.time_step = 0.5});
  CHECK(status_of_steps(arm, arm.rest_state({1.5, 0}), {8, 0}) == StepStatus::map_failed);
  Eigen::VectorXd next;
  CHECK(arm.step(arm.rest_state({3.5, 0}), Eigen::Vector2d(3.5, 0), next) == StepStatus::map_failed);
}

TEST_CASE("a singular reduced mass is reported, unless it is not asked for") {
  const ReducedDynamics<2, Massless> arm(Massless(), 2, {.time_step = 0.5});
  Eigen::VectorXd next;
  CHECK(arm.step(arm.rest_state({0, 0}), Eigen::Vector2d(1, 1), next) == StepStatus::singular);
  const ReducedDynamics<2, Massless> light(Massless(), 2, {.time_step = 0.5, .mass_tolerance = 0});
  REQUIRE(light.step(light.rest_state({0, 0}), Eigen::Vector2d(1, 1), next) == StepStatus::ok);
  CHECK(next[0] == Approx(1));              // follows at once
  CHECK(next[1] == Approx(1 / (1 + 4.0)));  // mass 1, stiffness 1, dt^2 = 1/4
}

TEST_CASE("too few iterations are reported, and a map without stiffness or mass is singular") {
  const Arm arm(ToyArm(), 6, {.time_step = 0.5, .max_iterations = 1});
  Eigen::VectorXd next;
  CHECK(arm.step(arm.rest_state({0, 0}), Eigen::Vector2d(4, 2), next) == StepStatus::not_converged);
  CHECK(arm.step(arm.rest_state({0, 0}), Eigen::Vector2d(std::nan(""), 2), next) != StepStatus::ok);
}

TEST_CASE("ReducedDynamics refuses what does not fit, with its numbers") {
  CHECK_THROWS_WITH(Arm(ToyArm(), 7), Catch::Contains("7 coordinates and 2 lengths") && Catch::Contains("8 outputs"));
  using Options = ReducedDynamicsOptions;
  quoin::test::RefusedOptions("ReducedDynamics", Options{}, [](const Options& o) { Arm(ToyArm(), 6, o); })
      .positive("time_step", &Options::time_step)
      .positive("force_scale", &Options::force_scale)
      .not_negative("stiffness_damping", &Options::stiffness_damping)
      .not_negative("mass_damping", &Options::mass_damping)
      .positive("tolerance", &Options::tolerance)
      .not_negative("stall_tolerance", &Options::stall_tolerance)
      .not_negative("max_iterations", &Options::max_iterations)
      .not_negative("mass_tolerance", &Options::mass_tolerance)
      .positive("difference_step", &Options::difference_step);
  const Arm arm(ToyArm(), 6);
  Eigen::VectorXd next;
  CHECK_THROWS_WITH(arm.step(Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero(), next),
                    Catch::Contains("state of size 2") && Catch::Contains("wanted 4 and 2"));
}

TEST_CASE("steps from many threads are those of one, to the bit") {
  const Arm arm(ToyArm(), 6, {.time_step = 0.5});
  const auto walk = [&](int seed) {
    Eigen::VectorXd x = arm.rest_state({0.1 * seed, 0.3}), next;
    for (int k = 0; k < 40; ++k) {
      arm.step(x, swinging(k + seed), next);
      x = next;
    }
    return x;
  };
  std::vector<Eigen::VectorXd> results(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { results[i] = walk(i); });
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) CHECK(results[i] == walk(i));
}
