// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/arm_description.hpp"

namespace quoin::fluidic_arm {

/// The actuated channel of a segment, a tube of rubber in which fluid stands, and its material.
struct ChannelGeometry {
  double thickness = 0;  ///< t, of the wall, m
  double diameter = 0;   ///< h, inner, after the first circumferential expansion, m
  double length = 0;     ///< L, m
  double modulus = 0;    ///< E, Pa, for strains below 60 %
  double viscosity = 0;  ///< Pa s, of the material (Kelvin, Voigt): stress = E strain + viscosity d(strain)/dt
  /// w, along which the strain of a bend is spread, m; 0: the channel's length, which geometry asks for. The width of a
  /// slice gives what Eqs. 6 to 12 print (see ElasticChannel::strain).
  double width = 0;
};

/// Torque of a volume, as CubicActuator's, but with the signs that statics give.
struct StaticTorque {
  double linear = 0;  ///< N m / mL
  double cubic = 0;   ///< N m / mL^3; negative, since gravity grows less than the bend

  /// N m at a volume in mL.
  double torque(double volume) const { return volume * (linear + cubic * volume * volume); }
};

/// What stiffness, damping, volume and pressure of a segment follow from its channel's geometry and material (Marchese,
/// Tedrake, Rus 2015, Eqs. 5 to 7, 11, 12), beside those that are identified from motion.
///
///     const ElasticChannel channel({.thickness = 4e-3, .diameter = 18e-3, .length = 0.13, .modulus = 1.5e5});
///     arm.segments.push_back(channel.segment(0.19));        // length, mass, k, b
///     channel.volume(1.0);                                  // mL that bend it by 1 rad
///     channel.pressure(0.1);                                // Pa, for a torque of 0.1 N m
///     channel.static_torque(0.19, 9.81).torque(1.5);        // N m that 1.5 mL exert on a hanging segment at rest
///
/// Bends and volumes are signed: of a pair of channels the one on the outer side is filled. What is not finite among
/// bends, volumes, torques and pressures throws std::invalid_argument.
class ElasticChannel {
 public:
  /// Throws std::invalid_argument unless thickness, diameter, length and modulus are positive, and viscosity and width
  /// not negative, all finite.
  explicit ElasticChannel(const ChannelGeometry& geometry);

  /// As it was given, but for a width of 0, which is the length now.
  const ChannelGeometry& geometry() const { return geometry_; }

  double wall_volume() const;  ///< of material, pi t (h + t) L (Eq. 5), m^3
  double stiffness() const;    ///< k = wall_volume() E (h / w)^2, N m (Eq. 7)
  /// b = k viscosity / E, N m s: what the strain's rate dissipates. The paper has b, but no equation for it.
  double damping() const;
  /// A segment with this length, stiffness and damping, and a mass in kg.
  Segment segment(double mass) const;

  /// Of the wall at a bend, rad: (h / w) bend, the right of Eq. 6.
  double strain(double bend) const;
  /// The left of Eq. 6, by the law of cosines, for that many equal slices along w: each of width w / slices bends by
  /// bend / slices, so that the strain is (h slices / w) 2 sin(bend / (2 slices)). It tends to strain(bend) as 1 /
  /// slices^2. Eq. 6 as printed lets every slice bend by its share and then puts the whole bend over the width of one,
  /// which makes the strain larger by the number of slices, and k by its square. Throws std::invalid_argument for fewer
  /// than one slice.
  double strain(double bend, int slices) const;
  /// Of the wall, E wall_volume() strain^2 / 2 = k bend^2 / 2, J (Eqs. 5, 7).
  double strain_energy(double bend) const;

  /// Change of the channel's volume at a bend, pi h^3 L bend / (8 w), mL (Eq. 11).
  double volume(double bend) const;
  /// Inverse of volume(): rad at mL.
  double bend(double volume) const;
  /// Of the fluid in the channel, Pa, where it exerts a torque, N m: p dV = torque d(bend), Eq. 3 without what is lost.
  double pressure(double torque) const;
  /// Inverse of pressure(): N m at Pa.
  double torque(double pressure) const;

  /// Eq. 12: the torque that holds a hanging segment of a mass, kg, at the bend of a volume against its stiffness and
  /// gravity, m/s^2, with the mass in the middle of the chord (MassModel::chord_point), a = 1/24. For small volumes it
  /// is exact. Its cubic term is negative, where the actuators identified by Eq. 20 have a positive one, so it does not
  /// explain them; and 5/8 of the true one, as Eq. 10 puts theta / 2 for sin(theta / 2) while it keeps theta^3. Throws
  /// std::invalid_argument for a negative mass or gravity.
  StaticTorque static_torque(double mass, double gravity) const;

 private:
  double millilitres_per_radian() const;

  ChannelGeometry geometry_;
};

}  // namespace quoin::fluidic_arm
