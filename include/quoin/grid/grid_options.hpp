// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/point.hpp"

#include <limits>

namespace quoin {

/// What a cell answers with when one of its corners failed.
enum class FailurePolicy {
  throw_error,   ///< CornerFailure with the reason; try_evaluate says Trust::failed
  coarser,       ///< the finest coarser cell whose corners are all there (evaluated if need be), Trust::coarser
  call_function  ///< the function itself at the query point, Trust::exact; as slow as the function
};

/// What a query outside the domain is answered with. The function itself is never called outside.
enum class OutsidePolicy {
  throw_error,  ///< DomainError; try_evaluate says Trust::outside
  clamp,        ///< the value at the nearest point of the domain, Trust::extended
  extend        ///< the value there, continued along the Jacobian there, Trust::extended
};

/// How a grid lies over its domain. Every field has a default.
template <int Dim>
struct GridOptions {
  /// A lattice point.
  Point<Dim> origin = Point<Dim>::Zero();
  /// Edges of the cells of level 0, per axis; level l has edges spacing * 2^-l.
  Point<Dim> spacing = Point<Dim>::Ones();
  /// Domain, lattice points of level 0; infinite: as far as addresses reach, 2^(128/Dim - 1 - deepest_level) cells.
  Point<Dim> lower = Point<Dim>::Constant(-std::numeric_limits<double>::infinity());
  Point<Dim> upper = Point<Dim>::Constant(std::numeric_limits<double>::infinity());
  /// Finest level that refine() and at_level() can reach; an address has 128/Dim bits an axis for levels and extent.
  int deepest_level = Dim <= 3 ? 20 : 64 / Dim;
  FailurePolicy on_failure = FailurePolicy::throw_error;
  OutsidePolicy outside = OutsidePolicy::throw_error;
};

}  // namespace quoin
