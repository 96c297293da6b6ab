// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <limits>

namespace quoin {

/// The assumptions of a kernel interpolant about its function. Every field has a default.
template <int Dim>
struct KernelOptions {
  /// The distance, per axis, over which values of f are correlated; 0: chosen by the samples, and chosen again as they
  /// become more. A length that is too short costs samples, one that is too long leaves errors; both raise estimates.
  Point<Dim> length_scale = Point<Dim>::Zero();
  /// Added to the diagonal of the correlations. Its root limits what can be resolved: sigma is never below it.
  double jitter = 1e-12;
  /// Up to this many samples all of them contribute to every answer, which is smooth; above, only the nearest ones do,
  /// and errors may grow. 0: as many as know 1000 numbers, whose factor takes 8 MB, and at least 200.
  int localize_above = 0;
  /// The number of samples that contribute then: those nearest to the sample that is nearest to the query. 0: as many
  /// as know 200 numbers, and at least 40.
  int neighbours = 0;
  /// The norm of errors is that of weights * f; empty: 1/sqrt(N), the root mean square over the outputs.
  Eigen::VectorXd output_weights = {};
  /// Queries outside have no answer: DomainError, or Trust::outside.
  Point<Dim> lower = Point<Dim>::Constant(-std::numeric_limits<double>::infinity());
  Point<Dim> upper = Point<Dim>::Constant(std::numeric_limits<double>::infinity());  ///< per axis, as lower
};

/// The uncertainty at a point, independent of the outputs: standard deviations relative to the unconditioned ones, from
/// 1 (nothing known) down to the root of the jitter.
struct KernelDeviation {
  double value = 1;     ///< of f itself
  double gradient = 1;  ///< the largest over the axes, of the derivative times the length scale
};

}  // namespace quoin
