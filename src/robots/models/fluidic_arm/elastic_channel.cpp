// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/elastic_channel.hpp"

#include "quoin/util/to_text.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace quoin::fluidic_arm {
namespace {

using std::numbers::pi;

[[noreturn]] void refuse(const std::string& function, const std::string& what) {
  throw std::invalid_argument("ElasticChannel" + function + ": " + what);
}

void check_finite(const char* function, const char* name, double value) {
  if (!std::isfinite(value)) refuse(std::string("::") + function, std::string("a ") + name + " of " + to_text(value));
}

}  // namespace

ElasticChannel::ElasticChannel(const ChannelGeometry& geometry) : geometry_(geometry) {
  const auto check = [](const char* name, double value, const char* unit, bool zero_allowed) {
    if (!(zero_allowed ? value >= 0 : value > 0) || !std::isfinite(value))
      refuse("", std::string("a ") + name + " of " + to_text(value) + unit);
  };
  check("thickness", geometry.thickness, " m", false);
  check("diameter", geometry.diameter, " m", false);
  check("length", geometry.length, " m", false);
  check("modulus", geometry.modulus, " Pa", false);
  check("viscosity", geometry.viscosity, " Pa s", true);
  check("width", geometry.width, " m", true);
  if (geometry.width == 0) geometry_.width = geometry.length;
}

double ElasticChannel::wall_volume() const {
  return pi * geometry_.thickness * (geometry_.diameter + geometry_.thickness) * geometry_.length;
}

double ElasticChannel::stiffness() const {
  const double strain_per_radian = geometry_.diameter / geometry_.width;
  return wall_volume() * geometry_.modulus * strain_per_radian * strain_per_radian;
}

double ElasticChannel::damping() const { return stiffness() * geometry_.viscosity / geometry_.modulus; }

Segment ElasticChannel::segment(double mass) const {
  return {.length = geometry_.length, .mass = mass, .stiffness = stiffness(), .damping = damping()};
}

double ElasticChannel::strain(double bend) const {
  check_finite("strain", "bend", bend);
  return geometry_.diameter / geometry_.width * bend;
}

double ElasticChannel::strain(double bend, int slices) const {
  check_finite("strain", "bend", bend);
  if (slices < 1) refuse("::strain", to_text(slices) + " slices");
  // sqrt(2 - 2 cos x) = 2 |sin(x / 2)|, without cancellation and with its sign.
  return geometry_.diameter * slices / geometry_.width * 2 * std::sin(bend / (2 * slices));
}

double ElasticChannel::strain_energy(double bend) const {
  check_finite("strain_energy", "bend", bend);
  return stiffness() * bend * bend / 2;
}

double ElasticChannel::millilitres_per_radian() const {
  const double h = geometry_.diameter;
  return 1e6 * pi * h * h * h * geometry_.length / (8 * geometry_.width);
}

double ElasticChannel::volume(double bend) const {
  check_finite("volume", "bend", bend);
  return millilitres_per_radian() * bend;
}

double ElasticChannel::bend(double volume) const {
  check_finite("bend", "volume", volume);
  return volume / millilitres_per_radian();
}

double ElasticChannel::pressure(double torque) const {
  check_finite("pressure", "torque", torque);
  return torque / (1e-6 * millilitres_per_radian());
}

double ElasticChannel::torque(double pressure) const {
  check_finite("torque", "pressure", pressure);
  return 1e-6 * millilitres_per_radian() * pressure;
}

StaticTorque ElasticChannel::static_torque(double mass, double gravity) const {
  if (!(mass >= 0) || !(gravity >= 0) || !std::isfinite(mass) || !std::isfinite(gravity))
    refuse("::static_torque", "a mass of " + to_text(mass) + " kg, gravity of " + to_text(gravity) + " m/s^2");
  constexpr double a = 1. / 24;
  const double weight_moment = mass * gravity * geometry_.length, per_volume = 1 / millilitres_per_radian();
  return {.linear = (stiffness() + (1 + 8 * a) / 8 * weight_moment) * per_volume,
          .cubic = -a / 4 * weight_moment * per_volume * per_volume * per_volume};
}

}  // namespace quoin::fluidic_arm
