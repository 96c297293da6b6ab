// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/swimmer/swimmer_dynamics.hpp"

#include "models/swimmer/mechanics_problems.hpp"
#include "support/laws.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

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
    for (double h : {0.04, 0.02, 0.01, 0.005}) {
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
          CHECK(order < 2.2);
        }
}
