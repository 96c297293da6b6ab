// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/robots/fem_as_constant_curvature/fem_arm.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

namespace benchmarks::fem {

/// An arm of constant curvature identified from pictures of equilibria; its masses are known.
struct StaticFit {
  int segments = 0;
  Eigen::VectorXd stiffness;  ///< k of each segment, N m
  double lever = 0;           ///< c: torque per tension, the same for all segments, m
  bool converged = false;
};

/// Distances of the model's points from the measured ones, m.
struct Distances {
  double rms = 0, largest = 0, tip_rms = 0;
};

/// Fits k, one for all segments or one each, and c to the ends of the segments: least squares, with the derivatives of
/// equilibria by the implicit function theorem, dq/dp = -(stiffness at rest)^-1 dF/dp.
StaticFit fit_equilibria(const BeamMaterial& material, const Equilibria& measured, int segments, bool each_its_own);

/// The material's prediction: k = EI / L, c = W / 2.
StaticFit predicted(const BeamMaterial& material, int segments);

/// At all eight stations, whatever the number of segments, or at the ends of the segments only.
Distances distances(const BeamMaterial& material, const Equilibria& measured, const StaticFit& model,
                    bool at_ends_only = false);

/// The bend angles of N = `segments` segments in a picture: differences of its sections' angles.
Eigen::VectorXd bend_angles(const Picture& seen, int segments);

/// The arm's point at a station, 1 to 8, and its derivative by q, 2 x N.
void station_point(const fluidic_arm::FluidicArm& arm, const Eigen::VectorXd& q, int station, Eigen::Vector2d& point,
                   Eigen::Matrix2Xd& jacobian);

}  // namespace benchmarks::fem
