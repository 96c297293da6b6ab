// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/inertia_form.hpp"

#include <Eigen/Core>

namespace quoin::identification {

/// Conditions on a body's linear parameters. Negative numbers tell by how much a condition is violated.
struct PhysicalConsistency {
  double mass = 0;             ///< kg
  double asymmetry = 0;        ///< greatest |I_ij - I_ji|, kg m^2
  double smallest_moment = 0;  ///< least eigenvalue of the symmetric part of I_C, kg m^2; NaN if the mass is zero
  double triangle = 0;         ///< sum of the two smaller principal moments less the greatest, kg m^2; NaN likewise
  double pseudo_inertia = 0;   ///< least eigenvalue of the pseudo-inertia matrix

  /// Some distribution of mass has these parameters (Wensing, Kim, Slotine 2018): I is symmetric to 1e-9 of its
  /// greatest entry, and the pseudo-inertia matrix is positive definite.
  bool consistent = false;
};

/// Of the body with these parameters.
PhysicalConsistency physical_consistency(const LinearParameters& parameters);

/// [ tr(I)/2 1 - I, h; h^T, m ] of the symmetric part of I: the second moments of the distribution of mass
/// (Wensing, Kim, Slotine 2018).
Eigen::Matrix4d pseudo_inertia_matrix(const LinearParameters& parameters);

}  // namespace quoin::identification
