// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/energy_balance.hpp"

#include "quoin/robots/models/fluidic_arm/detail/elastic_forces.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>

namespace studies::grab {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

void check(const fluidic_arm::FluidicArm& arm, const std::vector<fluidic_arm::ElasticChannel>& channels,
           const FluidLine& line, const Eigen::MatrixXd& states, const Eigen::MatrixXd& torques, double sample_time) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("energy_balance: " + what); };
  if (std::ssize(channels) != arm.control_size())
    refuse(to_text(channels.size()) + " channels for " + to_text(arm.control_size()) + " actuated segments");
  if (states.rows() != arm.state_size() || torques.rows() != arm.control_size() || states.cols() != torques.cols())
    refuse("states of " + shape_text(states) + " and torques of " + shape_text(torques) + " for an arm of " +
           to_text(arm.state_size()) + " and " + to_text(arm.control_size()));
  if (states.cols() < 2) refuse(to_text(states.cols()) + " frames");
  if (!(sample_time > 0)) refuse("a sample time of " + to_text(sample_time) + " s");
  if (!(line.residual_volume >= 0) || !(line.bulk_modulus > 0) || !(line.resistance >= 0))
    refuse("a line of " + to_text(line.residual_volume) + " mL, " + to_text(line.bulk_modulus) + " Pa, " +
           to_text(line.resistance) + " Pa s / mL");
}

}  // namespace

EnergyBalance energy_balance(const fluidic_arm::FluidicArm& arm,
                             const std::vector<fluidic_arm::ElasticChannel>& channels, const FluidLine& line,
                             const Eigen::MatrixXd& states, const Eigen::MatrixXd& torques, double sample_time) {
  check(arm, channels, line, states, torques, sample_time);
  const Index n = arm.coordinates(), frames = states.cols(), passive = n - arm.control_size();
  const VectorXd zero = VectorXd::Zero(frames);
  EnergyBalance energy{zero, zero, zero, zero, zero, zero, zero};
  const auto strain_at = [&](Index i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j)
      sum += arm.description().segments[static_cast<std::size_t>(j)].stiffness * states(j, i) * states(j, i) / 2;
    return sum;
  };
  const auto lost_power_at = [&](Index i) {
    VectorXd forces = VectorXd::Zero(n);
    fluidic_arm::detail::add_elastic(arm.description(), VectorXd::Zero(n), states.col(i).tail(n), forces);
    return forces.dot(states.col(i).tail(n));
  };
  const double strain = strain_at(0), potential = arm.potential_energy(states.col(0).head(n)),
               kinetic = arm.kinetic_energy(states.col(0).head(n), states.col(0).tail(n));
  double lost_power = lost_power_at(0);
  for (Index i = 1; i < frames; ++i) {
    const VectorXd q = states.col(i).head(n), v = states.col(i).tail(n);
    energy.strain[i] = strain_at(i) - strain;
    energy.gravity[i] = arm.potential_energy(q) - potential - energy.strain[i];
    energy.kinetic[i] = arm.kinetic_energy(q, v) - kinetic;
    const double power = lost_power_at(i);
    energy.damped[i] = energy.damped[i - 1] + sample_time / 2 * (lost_power + power);
    lost_power = power;
    energy.supplied[i] = energy.supplied[i - 1];
    energy.in_lines[i] = energy.in_lines[i - 1];
    energy.resisted[i] = energy.resisted[i - 1];
    for (Index j = 0; j < std::ssize(channels); ++j) {
      const fluidic_arm::ElasticChannel& channel = channels[static_cast<std::size_t>(j)];
      const double before = channel.pressure(torques(j, i - 1)), now = channel.pressure(torques(j, i));
      const double channel_volume = channel.volume(q[passive + j] - states(passive + j, i - 1));         // mL
      const double volume = channel_volume + line.residual_volume / line.bulk_modulus * (now - before);  // mL, supplied
      const double resisting = line.resistance * volume / sample_time;                                   // Pa
      energy.supplied[i] += 1e-6 * ((before + now) / 2 + resisting) * volume;
      energy.in_lines[i] += 1e-6 * line.residual_volume / line.bulk_modulus * (now * now - before * before) / 2;
      energy.resisted[i] += 1e-6 * resisting * volume;
    }
  }
  return energy;
}

}  // namespace studies::grab
