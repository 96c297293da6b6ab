// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::fluidic_arm {

/// The mass matrix M(q) of an arm, its lower triangle row by row, followed by the gravity forces G(q), as a function of
/// its bend angles: an exact reference for a grid (Marchese, Tedrake, Rus 2015, Eqs. 14, 15).
///
///     const MassGravityMap<4> map(arm);
///     AdaptiveGrid<4> grid(map, options);
///     y[MassGravityMap<4>::mass(2, 1)];  // M_21 = M_12
///     y[MassGravityMap<4>::gravity(3)];  // G_3
///
/// A call with Jacobian takes 2 to 3 us for four segments: do not cache it (docs/robots/fluidic_arm_surrogates.md).
/// ArmOverMap builds dynamics on this map or on a surrogate of it.
///
/// A DifferentiableMap: q: Dim, rad; y: Dim (Dim + 3) / 2, kg m^2 and N m; J exact. O(Dim^2) for each point
/// of mass. Safe to call from many threads, bitwise reproducible. Throws std::invalid_argument if the arm
/// does not have Dim segments.
template <int Dim>
class MassGravityMap {
 public:
  /// Throws std::invalid_argument unless the arm has Dim segments.
  explicit MassGravityMap(FluidicArm arm) : arm_(std::move(arm)) {
    if (arm_.coordinates() != Dim)
      throw std::invalid_argument("MassGravityMap: the arm has " + to_text(arm_.coordinates()) +
                                  " segments instead of " + to_text(Dim));
  }

  /// Indices of M_ij, i >= j, and of G_i in y.
  static constexpr Eigen::Index mass(int i, int j) { return i * (i + 1) / 2 + j; }
  /// Index of G_i.
  static constexpr Eigen::Index gravity(int i) { return Dim * (Dim + 1) / 2 + i; }

  Eigen::Index output_size() const { return Dim * (Dim + 3) / 2; }
  FunctionTraits traits() const { return {.concurrent = true}; }
  /// Whose M and G these are.
  const FluidicArm& arm() const { return arm_; }
  /// Of all that M and G depend on: lengths, masses and how they are distributed, gravity, the angle of the base.
  Fingerprint fingerprint() const {
    const ArmDescription& description = arm_.description();
    Eigen::Matrix<double, 3, Dim> segments;
    for (Eigen::Index i = 0; i < Dim; ++i) {
      const Segment& segment = description.segments[static_cast<std::size_t>(i)];
      segments.col(i) << segment.length, segment.dead_length, segment.mass;
    }
    return Fingerprint("fluidic_arm::MassGravityMap")
        .add_rounded("lengths", segments.template topRows<2>())
        .add_rounded("masses", segments.row(2))
        .add("mass_model", description.mass_model)
        .add_rounded("gravity", description.gravity)
        .add_rounded("base_angle", description.base_angle);
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    arm_.mass_and_gravity(q, y);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    arm_.mass_and_gravity(q, y, J);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  FluidicArm arm_;
};

static_assert(DifferentiableMap<MassGravityMap<4>, 4>);

}  // namespace quoin::fluidic_arm
