// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/energy_balance.hpp"
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "testing/falling_remainders.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::fluidic_arm;
using namespace studies::grab;
using Eigen::MatrixXd;

namespace {

const FluidLine soft_line{.residual_volume = 30, .bulk_modulus = 1e5, .resistance = 200};

std::vector<ElasticChannel> three_channels() {
  return std::vector<ElasticChannel>(
      3, ElasticChannel({.thickness = 4e-3, .diameter = 18e-3, .length = 0.13, .modulus = 1.5e5}));
}

/// A second of motion under references that change slowly against the frames.
ArmResponse motion(const FluidicSystem& system, double sample_time) {
  const auto frames = static_cast<Eigen::Index>(std::lround(1 / sample_time)) + 1;
  // Held references are steps: those of the coarsest frames, so that all motions are one.
  const MatrixXd inputs = MatrixXd::NullaryExpr(3, frames, [&](Eigen::Index i, Eigen::Index j) {
    return 40 *
           std::sin(3 * std::floor(static_cast<double>(j) * sample_time / 0.1 + 1e-9) * 0.1 + static_cast<double>(i));
  });
  return simulate(system, Eigen::Vector4d(0.2, -0.1, 0.3, 0), inputs, sample_time, {.step = 1e-3});
}

}  // namespace

TEST_CASE("energy supplied to a moving arm is stored, in motion or lost: the balance closes with the frames' square") {
  FluidicSystem system = fluidic_arm::test::table1_system();
  system.delay = 0.04;  // so that references change torques at frames, not between them
  const FluidicArm arm(system.arm);
  quoin::test::FallingRemainders remainders{.ratio = 2, .min_order = 1.8, .largest_order = 2.2};
  for (double sample_time = 5e-3; sample_time > 5e-4; sample_time /= 2) {
    const ArmResponse response = motion(system, sample_time);
    REQUIRE(response.status == StepStatus::ok);
    const EnergyBalance energy =
        energy_balance(arm, three_channels(), soft_line, response.states, response.torques, sample_time);
    remainders.add(energy.residual().cwiseAbs().maxCoeff());
    if (sample_time > 1e-3) continue;
    // No term is too small for the balance to see it.
    for (const Eigen::VectorXd& term : {energy.supplied, energy.strain, energy.gravity, energy.in_lines,
                                        energy.resisted, energy.damped, energy.kinetic})
      CHECK(term.cwiseAbs().maxCoeff() > 30 * energy.residual().cwiseAbs().maxCoeff());
  }
}

TEST_CASE("what friction takes is part of what is damped") {
  FluidicSystem system = fluidic_arm::test::table1_system();
  system.arm.segments[2].friction = 3e-3;
  const FluidicArm arm(system.arm);
  const ArmResponse response = motion(system, 1e-3);
  REQUIRE(response.status == StepStatus::ok);
  const EnergyBalance energy = energy_balance(arm, three_channels(), {}, response.states, response.torques, 1e-3);
  const Eigen::Index last = response.states.cols() - 1;
  const double damping = 4.2e-3 * 1e-3 * response.states.bottomRows(4).squaredNorm();  // of all frames, J
  const double turned = 1e-3 * response.states.row(6).cwiseAbs().sum();                // by the segment with friction
  CHECK(energy.damped[last] - damping == Approx(3e-3 * turned).epsilon(0.05));
  CHECK(std::abs(energy.residual()[last]) < 0.01 * 3e-3 * turned);
}

TEST_CASE("a slow arm with a rigid line gets what it stores, and each flaw of the line adds its share to the supply") {
  const ElasticChannel channel = three_channels().front();
  const FluidicArm arm({.segments = {channel.segment(0.19)}, .passive_segments = 0});
  const Eigen::Index frames = 2001;
  MatrixXd states = MatrixXd::Zero(2, frames), torques(1, frames);
  Eigen::VectorXd forces;
  MatrixXd jacobian;
  for (Eigen::Index i = 0; i < frames; ++i) {
    states(0, i) = 1.2 * static_cast<double>(i) / (frames - 1);  // so slow that the rate counts as 0
    arm.static_forces(states.col(i).head(1), forces, jacobian);
    torques(0, i) = forces[0];
  }
  const auto at_end = [&](const FluidLine& line, double sample_time) {
    const EnergyBalance energy = energy_balance(arm, {channel}, line, states, torques, sample_time);
    CHECK(std::abs(energy.residual()[frames - 1]) < 1e-7);
    return energy.supplied[frames - 1];
  };
  const double stored =
      arm.potential_energy(states.col(frames - 1).head(1)) - arm.potential_energy(Eigen::VectorXd::Zero(1));
  CHECK(at_end({}, 1) == Approx(stored).epsilon(1e-6));
  const double pressure = channel.pressure(torques(0, frames - 1)), volume = channel.volume(1.2);
  CHECK(at_end({.residual_volume = 30, .bulk_modulus = 1e5}, 1) ==
        Approx(stored + 1e-6 * 30 * pressure * pressure / 2e5).epsilon(1e-6));
  // A steady flow loses resistance * flow^2 of power; at half the speed it loses half the energy.
  const double duration = (frames - 1) * 1e-3;
  for (const double slower : {1., 2.})
    CHECK(at_end({.resistance = 200}, slower * 1e-3) ==
          Approx(stored + 1e-6 * 200 * volume * volume / (slower * duration)).epsilon(1e-6));
}

TEST_CASE("an energy balance refuses motions and lines that do not fit, with numbers") {
  const FluidicArm arm(fluidic_arm::test::table1_arm());
  const MatrixXd states = MatrixXd::Zero(8, 5), torques = MatrixXd::Zero(3, 5);
  CHECK_THROWS_WITH(energy_balance(arm, {three_channels()[0]}, {}, states, torques, 0.02),
                    Catch::Contains("1 channels for 3 actuated segments"));
  CHECK_THROWS_WITH(energy_balance(arm, three_channels(), {}, states.leftCols(4), torques, 0.02),
                    Catch::Contains("states of 8 x 4 and torques of 3 x 5"));
  CHECK_THROWS_WITH(energy_balance(arm, three_channels(), {}, states.leftCols(1), torques.leftCols(1), 0.02),
                    Catch::Contains("1 frames"));
  CHECK_THROWS_WITH(energy_balance(arm, three_channels(), {}, states, torques, 0), Catch::Contains("time of 0 s"));
  CHECK_THROWS_WITH(energy_balance(arm, three_channels(), {.resistance = -1}, states, torques, 0.02),
                    Catch::Contains("-1 Pa s / mL"));
}
