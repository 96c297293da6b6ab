// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/abi_check.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>

namespace quoin::soft_arm {

/// A few mass-orthonormal shapes that span what an arm can do, so that reduced dynamics need only r = 50 to 100 numbers
/// of a shape instead of N = 1575:
///
///     f = f0 + Phi q + remainder,   q = Phi^T M (f - f0),   Phi^T M Phi = 1,   M diagonal (lumped).
///
///     auto basis = make_shape_basis<4>(statics, corners, spacing, arm.mass(), arm.rest());
///     auto coordinates = grid.linear_output(basis.functional(4, arm.tip_rows()));  // [q (r); l (4); tip (6)]
///     ReducedDynamics<4, decltype(coordinates)> dynamics(coordinates, basis.size(), ...);
///     basis.remainder(x);                                                           // how much of x it misses
///
/// A basis is fixed at construction, from samples at points that the caller chooses: it does not depend on where a
/// planner has been. The shapes are the left singular vectors of the samples, in the norm of M, whose singular value is
/// more than `tolerance` times the largest. Where further samples show more, `grown` makes a larger basis. SoftArmGrid
/// does all this for an arm on a grid.
///
/// Cost of construction: O(N S^2) for S samples (0.13 s for N = 1575, S = 325).
class ShapeBasis {
 public:
  /// samples: N x S, differences f - f0, and derivatives of f times a length in control space. mass: N, all positive.
  /// reference: f0, N. Throws std::invalid_argument for sizes that differ, masses that are not positive, samples that
  /// are not finite or all zero, a tolerance outside (0, 1).
  ShapeBasis(const Eigen::MatrixXd& samples, const Eigen::VectorXd& mass, const Eigen::VectorXd& reference,
             double tolerance = 1e-7);

  Eigen::Index size() const { return shapes_.cols(); }         ///< r
  Eigen::Index output_size() const { return shapes_.rows(); }  ///< N
  const Eigen::MatrixXd& shapes() const { return shapes_; }    ///< Phi, N x r
  /// Of the first samples, descending, as far down as they may count: to about 1e-6 of the bound.
  const Eigen::VectorXd& singular_values() const { return singular_values_; }

  Eigen::VectorXd coordinates(const Eigen::VectorXd& f) const;  ///< q of a shape f (N): r
  Eigen::VectorXd shape(const Eigen::VectorXd& q) const;        ///< f0 + Phi q: N

  /// The part of a shape f (N) that the basis misses, relative: |f - f0 - Phi q|_M / |f - f0|_M; 0 for f0 itself.
  double remainder(const Eigen::VectorXd& f) const;

  /// These shapes, followed by what further samples (N x S, as above) show beyond them. Of the samples that the basis
  /// misses by more than `tolerance` times its largest singular value, the missed parts are made into shapes with the
  /// same bound. Throws as the constructor does, but samples may be zero. O(N r S) where nothing is missed.
  ShapeBasis grown(const Eigen::MatrixXd& samples, double tolerance = 1e-7) const;

  /// The constant matrix that maps f_s = [f (N); l (lines)] to [Phi^T M f; l; more f_s]:
  /// (r + lines + more.rows()) x (N + lines). `more` has N + lines columns, or is empty. The q it gives is off by the
  /// constant Phi^T M f0; differences of q are not.
  Eigen::MatrixXd functional(Eigen::Index lines, const Eigen::MatrixXd& more = {}) const;

 private:
  Eigen::VectorXd mass_, reference_, singular_values_;
  Eigen::MatrixXd shapes_;
};

/// A basis from the values and Jacobians of a map [f (N); further rows] at given points (Dim x P). Jacobians are scaled
/// by the spacing of the grid whose corners the points are. Points without an answer are left out. Throws
/// std::invalid_argument if none has one.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
ShapeBasis make_shape_basis(const Map& map, const Eigen::Matrix<double, Dim, Eigen::Dynamic>& points,
                            const Point<Dim>& spacing, const Eigen::VectorXd& mass, const Eigen::VectorXd& reference,
                            double tolerance = 1e-7) {
  const Eigen::Index n = reference.size();
  if (map.output_size() < n) {
    throw std::invalid_argument("make_shape_basis: the map has " + to_text(map.output_size()) +
                                " outputs, the reference " + to_text(n));
  }
  Eigen::MatrixXd samples(n, points.cols() * (Dim + 1));
  Eigen::Index used = 0;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (Eigen::Index p = 0; p < points.cols(); ++p) {
    if (!try_evaluate<Dim>(map, points.col(p), y, J).has_value()) continue;
    samples.col(used) = y.head(n) - reference;
    samples.middleCols(used + 1, Dim) = J.topRows(n) * spacing.asDiagonal();
    used += Dim + 1;
  }
  if (used == 0) {
    throw std::invalid_argument("make_shape_basis: the map has no answer at any of " + to_text(points.cols()) +
                                " points");
  }
  return ShapeBasis(samples.leftCols(used), mass, reference, tolerance);
}

}  // namespace quoin::soft_arm
