// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"

#include "robots/models/swimmer/mechanics_problems.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

using Mass = decltype(test::synthetic_mass(test::numbered_chain(), Motion::planar));
using Dynamics = SwimmerDynamics<3, Mass>;

Mass mass_for(Motion motion) {
  return test::synthetic_mass(motion == Motion::planar ? test::numbered_chain() : test::skew_tree(), motion);
}

Eigen::VectorXd random_state(const Dynamics& d, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Eigen::VectorXd x(d.state_size());
  for (double& v : x) v = unit(random);
  x.segment<3>(3) *= 2;
  return x;
}

// Least order of the Taylor remainder of a step over random directions.
double taylor_order(const Dynamics& d, unsigned seed) {
  const Eigen::VectorXd x = random_state(d, seed), u = 0.5 * random_state(d, seed + 100).head(3);
  Eigen::VectorXd next, moved;
  Eigen::MatrixXd A, B;
  REQUIRE(d.step(x, u, next, A, B) == StepStatus::ok);
  double least = 10;
  for (unsigned i = 0; i < 4; ++i) {
    const Eigen::VectorXd dx = random_state(d, seed + 200 + i), du = random_state(d, seed + 300 + i).head(3);
    double before = 0;
    for (double h : {0.01, 0.005, 0.0025}) {
      REQUIRE(d.step(x + h * dx, u + h * du, moved) == StepStatus::ok);
      const double remainder = (moved - next - h * (A * dx + B * du)).norm();
      if (before > 0) least = std::min(least, std::log2(before / remainder));
      before = remainder;
    }
  }
  return least;
}

}  // namespace

TEST_CASE("steps are differentiated exactly: every scheme, momentum and motion", "[swimmer_dynamics]") {
  for (Motion motion : {Motion::planar, Motion::spatial})
    for (Momentum momentum : {Momentum::zero, Momentum::free})
      for (Integrator integrator : {Integrator::rk4, Integrator::midpoint, Integrator::second_difference})
        for (int substeps : {1, 2}) {
          CAPTURE(static_cast<int>(motion), static_cast<int>(momentum), static_cast<int>(integrator), substeps);
          const Dynamics d(mass_for(motion), motion,
                           {.time_step = 0.1, .substeps = substeps, .integrator = integrator, .momentum = momentum});
          const double order = taylor_order(d, 7);
          CHECK(order > 1.9);
        }
}

TEST_CASE("Gauss-Newton derivatives are exact at rest and wrong in motion", "[swimmer_dynamics]") {
  const Dynamics exact(mass_for(Motion::planar), Motion::planar, {.integrator = Integrator::second_difference});
  const Dynamics reduced(mass_for(Motion::planar), Motion::planar,
                         {.integrator = Integrator::second_difference, .derivative = StepDerivative::gauss_newton});
  const auto difference = [&](const Eigen::Vector3d& rates) {
    const Eigen::VectorXd x = exact.state({0.3, -0.2, 0.5}, rates), u = Eigen::Vector3d(0.1, 0.2, -0.1);
    Eigen::VectorXd next;
    Eigen::MatrixXd A, B, A_reduced, B_reduced;
    REQUIRE(exact.step(x, u, next, A, B) == StepStatus::ok);
    REQUIRE(reduced.step(x, u, next, A_reduced, B_reduced) == StepStatus::ok);
    CHECK((B - B_reduced).norm() < 1e-14);
    return (A - A_reduced).norm();
  };
  CHECK(difference(Eigen::Vector3d::Zero()) < 1e-13);
  CHECK(difference({2, -1, 1}) > 1e-3);
}

namespace {

constexpr double second = 1;

// Joints, rates and pose after one second under torques that change every tenth of it.
Eigen::VectorXd after_one_second(const Dynamics& d, const Eigen::VectorXd& start) {
  Eigen::VectorXd x = start, next;
  const int steps = static_cast<int>(std::lround(second / d.options().time_step));
  for (int i = 0; i < steps; ++i) {
    const double phase = 6 * ((10 * i) / steps);
    const Eigen::VectorXd u = 0.02 * Eigen::Vector3d(std::sin(phase), std::cos(2 * phase), -std::sin(phase + 1));
    REQUIRE(d.step(x, u, next) == StepStatus::ok);
    x = next;
  }
  return x;
}

std::vector<double> orders(Integrator integrator, Motion motion, Momentum momentum, int coarsest) {
  const auto run = [&](int steps, Integrator scheme) {
    const Dynamics d(mass_for(motion), motion,
                     {.time_step = second / steps, .integrator = scheme, .momentum = momentum});
    return after_one_second(d, d.state({0.2, -0.3, 0.1}, {0.4, 0.2, -0.3}));
  };
  const Eigen::VectorXd fine = run(3200, Integrator::rk4);
  std::vector<double> errors, result;
  for (int steps = coarsest; steps <= 8 * coarsest; steps *= 2)
    errors.push_back((run(steps, integrator) - fine).norm());
  for (std::size_t i = 1; i < errors.size(); ++i) result.push_back(std::log2(errors[i - 1] / errors[i]));
  return result;
}

}  // namespace

TEST_CASE("RK4 is fourth, midpoint second, the scheme of Eq. 4 first order in the time step", "[swimmer_dynamics]") {
  for (Motion motion : {Motion::planar, Motion::spatial})
    for (Momentum momentum : {Momentum::zero, Momentum::free}) {
      CAPTURE(static_cast<int>(motion), static_cast<int>(momentum));
      for (double order : orders(Integrator::rk4, motion, momentum, 20)) {
        CHECK(order > 3.6);
        CHECK(order < 4.5);
      }
      for (double order : orders(Integrator::midpoint, motion, momentum, 40)) {
        CHECK(order > 1.7);
        CHECK(order < 2.3);
      }
      for (double order : orders(Integrator::second_difference, motion, momentum, 100)) {
        CHECK(order > 0.8);
        CHECK(order < 1.2);
      }
    }
}

TEST_CASE("substeps are steps under the same torque", "[swimmer_dynamics]") {
  const Dynamics whole(mass_for(Motion::spatial), Motion::spatial, {.time_step = 0.02, .substeps = 2});
  const Dynamics half(mass_for(Motion::spatial), Motion::spatial, {.time_step = 0.01});
  const Eigen::VectorXd x = random_state(whole, 3), u = Eigen::Vector3d(0.1, -0.2, 0.3);
  Eigen::VectorXd once, middle, twice;
  REQUIRE(whole.step(x, u, once) == StepStatus::ok);
  REQUIRE(half.step(x, u, middle) == StepStatus::ok);
  REQUIRE(half.step(middle, u, twice) == StepStatus::ok);
  CHECK((once - twice).norm() < 1e-10);
}

TEST_CASE("momentum is conserved, and the work of the torques is the change of kinetic energy", "[swimmer_dynamics]") {
  for (Motion motion : {Motion::planar, Motion::spatial}) {
    CAPTURE(static_cast<int>(motion));
    const auto imbalance = [&](int steps) {
      const Dynamics d(mass_for(motion), motion, {.time_step = second / steps, .momentum = Momentum::free});
      Eigen::VectorXd twist(twist_size(motion));
      for (int i = 0; i < twist.size(); ++i) twist[i] = 0.3 * std::cos(1 + 2.0 * i);
      Eigen::Isometry3d base = Eigen::Isometry3d::Identity();
      base = Eigen::Translation3d(0.3, 0.2, motion == Motion::planar ? 0 : -0.4) *
             Eigen::AngleAxisd(
                 0.8, motion == Motion::planar ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(1, 2, 2).normalized());
      Eigen::VectorXd x = d.state({0.2, -0.3, 0.1}, {0.4, 0.2, -0.3}, base, twist), next;
      const auto momentum = d.momentum(x);
      const double energy = d.kinetic_energy(x);
      double work = 0;
      for (int i = 0; i < steps; ++i) {
        const Eigen::Vector3d u = 0.02 * Eigen::Vector3d(1, -1, 0.5);
        REQUIRE(d.step(x, u, next) == StepStatus::ok);
        work += u.dot(next.head(3) - x.head(3));
        x = next;
      }
      CHECK(std::abs(work) > 1e-4);
      return Eigen::Vector2d((d.momentum(x) - momentum).norm() / momentum.norm(),
                             std::abs(d.kinetic_energy(x) - energy - work) / energy);
    };
    const Eigen::Vector2d coarse = imbalance(100), fine = imbalance(200);
    CHECK(fine[0] < 1e-6);
    CHECK(fine[1] < 1e-6);
    CHECK(coarse[0] / fine[0] > 12);
    CHECK(coarse[1] / fine[1] > 12);
  }
}

TEST_CASE("without water the centre of mass moves straight and evenly, whatever the joints do", "[swimmer_dynamics]") {
  const Swimmer tree = test::skew_tree();
  const std::vector<Eigen::MatrixXd> nothing(4, Eigen::MatrixXd::Zero(6, 6));
  const GeneralizedMass<3, DecoupledAddedMass<3>> mass(tree, Motion::spatial, DecoupledAddedMass<3>(nothing));
  const SwimmerDynamics<3, GeneralizedMass<3, DecoupledAddedMass<3>>> d(
      mass, Motion::spatial, {.time_step = 0.005, .momentum = Momentum::free});
  Eigen::VectorXd twist(6);
  twist << 0.5, -0.3, 0.4, 0.1, 0.2, -0.3;
  Eigen::VectorXd x = d.state({0.2, -0.3, 0.1}, {0.4, 0.2, -0.3}, Eigen::Isometry3d::Identity(), twist), next;
  const auto centre = [&] { return Eigen::Vector3d(d.base_pose(x) * tree.centre_of_mass(x.head(3))); };
  const Eigen::Vector3d start = centre(), velocity = d.momentum(x).tail<3>() / tree.mass();
  for (int i = 0; i < 200; ++i) {
    REQUIRE(d.step(x, Eigen::Vector3d(0.002, -0.003, 0.002), next) == StepStatus::ok);
    x = next;
  }
  CHECK((x.head(3) - Eigen::Vector3d(0.2, -0.3, 0.1)).norm() > 0.3);
  CHECK((centre() - start - velocity).norm() < 1e-8);
  CHECK(velocity.norm() > 0.1);
}

TEST_CASE("from rest the reduced motion is the full motion, but for the error of the scheme", "[swimmer_dynamics]") {
  for (Motion motion : {Motion::planar, Motion::spatial}) {
    const auto apart = [&](double time_step) {
      const Dynamics reduced(mass_for(motion), motion, {.time_step = time_step});
      const Dynamics full(mass_for(motion), motion, {.time_step = time_step, .momentum = Momentum::free});
      const Eigen::VectorXd start = reduced.rest_state({0.2, -0.3, 0.1});
      const Eigen::VectorXd a = after_one_second(reduced, start);
      const Eigen::VectorXd b = after_one_second(full, full.rest_state({0.2, -0.3, 0.1}));
      CHECK((a - start).norm() > 0.05);
      CHECK(reduced.momentum(a).norm() < 1e-14);
      return Eigen::Vector3d((a - b.head(a.size())).norm(), full.momentum(b).norm(),
                             std::abs(reduced.kinetic_energy(a) / full.kinetic_energy(b) - 1));
    };
    const Eigen::Vector3d coarse = apart(0.01), fine = apart(0.005);
    CHECK(fine.maxCoeff() < 1e-7);
    CHECK(coarse[0] / fine[0] > 12);
    CHECK(coarse[1] / fine[1] > 12);
  }
}

TEST_CASE("a step commutes with a motion of the world", "[swimmer_dynamics]") {
  for (Motion motion : {Motion::planar, Motion::spatial}) {
    const Dynamics d(mass_for(motion), motion, {.time_step = 0.1, .substeps = 2});
    const Eigen::Vector3d axis = motion == Motion::planar ? Eigen::Vector3d(0, 0, 1) : Eigen::Vector3d(2, 1, 2) / 3;
    Eigen::Isometry3d world = Eigen::Isometry3d::Identity();
    world = Eigen::Translation3d(3, -2, motion == Motion::planar ? 0 : 5) * Eigen::AngleAxisd(0.9, axis);
    const Eigen::VectorXd here = d.state({0.2, -0.3, 0.1}, {1, 2, -1}), u = Eigen::Vector3d(0.1, 0.2, -0.1);
    const Eigen::VectorXd there = d.state({0.2, -0.3, 0.1}, {1, 2, -1}, world);
    Eigen::VectorXd next_here, next_there;
    REQUIRE(d.step(here, u, next_here) == StepStatus::ok);
    REQUIRE(d.step(there, u, next_there) == StepStatus::ok);
    CHECK((next_here.head(6) - next_there.head(6)).norm() < 1e-14);
    CHECK(((world * d.base_pose(next_here)).matrix() - d.base_pose(next_there).matrix()).norm() < 1e-13);
  }
}

TEST_CASE("a step whose map takes steps of its own is the same step", "[swimmer_dynamics]") {
  using Any = SwimmerDynamics<3, test::AnyMap>;
  const Mass mass = mass_for(Motion::planar);
  const Any plain(test::distracted(mass, [](const Point<3>&) {}), Motion::planar);
  const Any same(test::distracted(mass,
                                  [plain](const Point<3>& q) {
                                    Eigen::VectorXd next;
                                    Eigen::MatrixXd A, B;
                                    plain.step(plain.state(-q, q), q, next, A, B);
                                  }),
                 Motion::planar);
  const Eigen::VectorXd x = plain.state({0.5, -0.4, 0.6}, {2, -1, 1.5}), u = Eigen::Vector3d(0.1, -0.2, 0.3);
  Eigen::VectorXd next, next_too;
  Eigen::MatrixXd A, B, A_too, B_too;
  REQUIRE(plain.step(x, u, next, A, B) == StepStatus::ok);
  REQUIRE(same.step(x, u, next_too, A_too, B_too) == StepStatus::ok);
  CHECK(next == next_too);
  CHECK(A == A_too);
  CHECK(B == B_too);
}

TEST_CASE("a step is the same to the bit in every thread, wherever its arrays begin", "[swimmer_dynamics]") {
  for (const Motion motion : {Motion::planar, Motion::spatial}) {
    const Dynamics d(mass_for(motion), motion);
    const Eigen::VectorXd x = random_state(d, 5), u = 0.1 * random_state(d, 6).head(3);
    Eigen::VectorXd first, next;
    Eigen::MatrixXd first_A, first_B, A, B;
    REQUIRE(d.step(x, u, first, first_A, first_B) == StepStatus::ok);
    for (std::size_t bytes = 16; bytes <= 128; bytes += 16) {
      std::jthread([&] {
        // Moves later allocations, on the heap and on the stack.
        const std::vector<char> heap(bytes);
        volatile char* stack = static_cast<char*>(__builtin_alloca(bytes));
        stack[0] = heap[0];
        d.step(x, u, next, A, B);
      }).join();
      CHECK(next == first);
      CHECK(A == first_A);
      CHECK(B == first_B);
    }
  }
}

TEST_CASE("coasting, the scheme of Eq. 4 loses or gains energy that RK4 keeps", "[swimmer_dynamics]") {
  const auto drift = [](Integrator integrator) {
    const Dynamics d(mass_for(Motion::planar), Motion::planar, {.time_step = 0.01, .integrator = integrator});
    Eigen::VectorXd x = d.state({0.5, -0.4, 0.6}, {2, -1, 1.5}), next;
    const double energy = d.kinetic_energy(x);
    for (int i = 0; i < 50; ++i) {
      REQUIRE(d.step(x, Eigen::Vector3d::Zero(), next) == StepStatus::ok);
      x = next;
    }
    return std::abs(d.kinetic_energy(x) / energy - 1);
  };
  CHECK(drift(Integrator::second_difference) > 1e-3);
  CHECK(drift(Integrator::midpoint) < 0.1 * drift(Integrator::second_difference));
  CHECK(drift(Integrator::rk4) < 1e-3 * drift(Integrator::midpoint));
}

namespace {

// Reports points beyond 1 rad as outside, throws beyond 0.9, loses a mass beyond 0.8.
test::AnyMap troubled(const Mass& mass) {
  return {mass.output_size(), [mass](const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) -> Answer {
            const double most = q.cwiseAbs().maxCoeff();
            if (most > 1) return {.trust = Trust::outside};
            if (most > 0.9) throw std::runtime_error("no answer");
            const Answer answer = mass.evaluate(q, y, J);
            if (most > 0.8) y *= -1;
            if (most > 0.7 && most < 0.75) y[packed_index(0, 3)] = std::nan("");
            return answer;
          }};
}

}  // namespace

TEST_CASE("a step that cannot be done says why", "[swimmer_dynamics]") {
  const SwimmerDynamics<3, test::AnyMap> d(troubled(mass_for(Motion::planar)), Motion::planar);
  Eigen::VectorXd next;
  const Eigen::VectorXd u = Eigen::Vector3d::Zero();
  const auto status = [&](double angle, double rate) {
    return d.step(d.layout().size() == 9
                      ? Eigen::VectorXd((Eigen::VectorXd(9) << angle, 0, 0, rate, 0, 0, 0, 0, 0).finished())
                      : Eigen::VectorXd(),
                  u, next);
  };
  CHECK(status(0.3, 0) == StepStatus::ok);
  CHECK(status(1.01, 0) == StepStatus::outside_domain);
  CHECK(status(0.999, 10) == StepStatus::map_failed);
  CHECK(status(0.6, 50) == StepStatus::outside_domain);
  CHECK(status(0.95, 0) == StepStatus::map_failed);
  CHECK(status(0.85, 0) == StepStatus::singular);
  CHECK(status(0.72, 0) == StepStatus::map_failed);
  CHECK(status(0.3, 1e200) == StepStatus::outside_domain);
  CHECK(status(std::nan(""), 0) == StepStatus::outside_domain);
}

TEST_CASE("a singular mass is reported to its tolerance", "[swimmer_dynamics]") {
  // The last link has almost no mass: its row of the mass matrix is almost independent of the others.
  Swimmer chain = test::numbered_chain();
  const Mass whole = test::synthetic_mass(chain, Motion::planar);
  const test::AnyMap mass{whole.output_size(), [whole](const Point<3>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
                            const Answer answer = whole.evaluate(q, y, J);
                            // Hinges 1 and 2 move the same mass up to a relative 1e-6.
                            for (int i = 0; i < 5; ++i)
                              y[packed_index(i, 5)] = i < 4 ? y[packed_index(i, 4)] : y[packed_index(4, 4)];
                            y[packed_index(5, 5)] = y[packed_index(4, 4)] * (1 + 1e-6);
                            return answer;
                          }};
  const SwimmerDynamics<3, test::AnyMap> strict(mass, Motion::planar, {.singular_tolerance = 1e-4});
  const SwimmerDynamics<3, test::AnyMap> lenient(mass, Motion::planar, {.singular_tolerance = 1e-8});
  Eigen::VectorXd next;
  CHECK(strict.step(strict.rest_state({0.1, 0.2, 0.3}), Eigen::Vector3d::Zero(), next) == StepStatus::singular);
  CHECK(lenient.step(strict.rest_state({0.1, 0.2, 0.3}), Eigen::Vector3d::Zero(), next) == StepStatus::ok);
}

TEST_CASE("states and options that do not fit are refused with their numbers", "[swimmer_dynamics]") {
  using Catch::Contains;
  const Mass mass = mass_for(Motion::planar);
  CHECK_THROWS_WITH(Dynamics(mass, Motion::spatial), Contains("21 outputs") && Contains("45"));
  CHECK_THROWS_WITH(Dynamics(mass, Motion::planar, {.time_step = -1}), Contains("-1"));
  CHECK_THROWS_WITH(Dynamics(mass, Motion::planar, {.time_step = HUGE_VAL}), Contains("time step inf"));
  CHECK_THROWS_WITH(Dynamics(mass, Motion::planar, {.torque_scale = HUGE_VAL}), Contains("torque scale inf"));
  CHECK_THROWS_WITH(Dynamics(mass, Motion::planar, {.substeps = 0}), Contains("substeps 0"));
  const Dynamics d(mass, Motion::planar);
  Eigen::VectorXd next;
  CHECK_THROWS_WITH(d.step(Eigen::VectorXd::Zero(8), Eigen::Vector3d::Zero(), next),
                    Contains("size 8") && Contains("9"));
  CHECK_THROWS_WITH(d.step(Eigen::VectorXd::Zero(9), Eigen::Vector2d::Zero(), next),
                    Contains("size 2") && Contains("3"));
  const Dynamics spatial(mass_for(Motion::spatial), Motion::spatial);
  CHECK_THROWS_WITH(spatial.step(Eigen::VectorXd::Zero(13), Eigen::Vector3d::Zero(), next), Contains("quaternion"));
  CHECK_THROWS_WITH(d.state({0, 0, 0}, {0, 0, 0}, Eigen::Isometry3d::Identity(), Eigen::Vector3d::Zero()),
                    Contains("none"));
  const Eigen::Isometry3d rolled(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()));
  const Eigen::Isometry3d lifted(Eigen::Translation3d(1, 2, 0.25));
  CHECK_THROWS_WITH(d.rest_state({0, 0, 0}, rolled), Contains("plane") && Contains("0.877"));
  CHECK_THROWS_WITH(d.rest_state({0, 0, 0}, lifted), Contains("plane") && Contains("0.25"));
}

static_assert(DiscreteDynamics<Dynamics>);
