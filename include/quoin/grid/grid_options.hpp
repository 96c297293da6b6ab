// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/certificate.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

namespace quoin {

/// How a cell with a failed corner answers.
enum class FailurePolicy {
  throw_error,   ///< CornerFailure with the reason; try_evaluate returns Trust::failed
  coarser,       ///< the finest coarser cell whose corners are all there (evaluated if need be), Trust::coarser
  call_function  ///< the function itself at the query point, Trust::exact; as slow as the function
};

/// How a query outside the domain is answered. The function itself is never called outside.
enum class OutsidePolicy {
  throw_error,  ///< DomainError; try_evaluate returns Trust::outside
  clamp,        ///< the value at the nearest point of the domain, Trust::extended
  extend        ///< the value there, continued along the Jacobian there, Trust::extended; its own Jacobian beside it
};

/// How a cell with corners on different branches of the function answers, once it is not split further.
enum class BranchPolicy {
  nearest_corner,  ///< the Taylor polynomial of the nearest corner's jet, Trust::nearest_branch
  call_function,   ///< the function itself at the query point, Trust::exact; as slow as the function
  throw_error      ///< CornerFailure; try_evaluate returns Trust::failed
};

/// How a frozen view answers where its cell was not there.
enum class MissingPolicy {
  coarser,  ///< the finest other cell that holds the point, Trust::coarser
  fail      ///< CornerFailure; try_evaluate returns Trust::failed
};

template <int Dim>
class SampleStorage;

namespace grid_detail {
struct JetFormat;
}

/// The options of a grid. Every field has a default.
template <int Dim>
struct GridOptions {
  // Lattice

  /// A lattice point.
  Point<Dim> origin = Point<Dim>::Zero();
  /// Edges of the cells of level 0, per axis; level l has edges spacing * 2^-l.
  Point<Dim> spacing = Point<Dim>::Ones();
  /// Domain, lattice points of level 0; infinite: as far as addresses reach, 2^(128/Dim - 1 - deepest_level) cells.
  Point<Dim> lower = Point<Dim>::Constant(-std::numeric_limits<double>::infinity());
  Point<Dim> upper = Point<Dim>::Constant(std::numeric_limits<double>::infinity());  ///< per axis, as lower
  /// Per axis: whether f has the period upper - lower, of at least two cells. Queries may then lie anywhere along it,
  /// and cells meet at the seam as anywhere. f is called from the lower bound to before the upper one.
  std::array<bool, std::size_t{Dim}> periodic = {};
  /// Finest level that refine() and at_level() can reach; an address has 128/Dim bits per axis for levels and extent.
  int deepest_level = Dim <= 3 ? 20 : 64 / Dim;

  // Accuracy

  /// Sets tolerance mode: cells are refined until the error of the value is at most this, absolute, in the weighted
  /// norm below. Not set: one level everywhere. docs/accuracy.md says what is measured, and what can fool it. Where
  /// deepest_level ends the refinement, errors may be above the tolerance; across a jump of f they are not stated
  /// (Trust::discontinuous).
  std::optional<double> tolerance = {};
  /// N weights of the norm |W v|_2 of the outputs; empty: 1/sqrt(N), the root mean square.
  Eigen::VectorXd output_weights = {};
  /// Generations of points at which a cell's interpolant is compared with f before it is accepted in tolerance mode: 1,
  /// its centre; 2, also the centres of its 2^Dim children, which sees features twice as narrow at 2^Dim more
  /// evaluations per cell (fewer where the next cells are needed anyway); and so on, up to 4 (Dim 5 and 6: 3).
  int surplus_generations = 1;
  /// In tolerance mode: a cell is accepted without a comparison of its own where those of two ancestors fell as the
  /// order of the interpolant predicts, and predict a third of the tolerance here. Saves evaluations.
  bool accept_by_ancestors = false;
  /// Bounds of the fourth derivatives of f over the box [lower, upper]: answers are then certified (K = 1 only, not
  /// those of functionals), in either mode, and in tolerance mode nothing is measured. It must be a pure function: it
  /// is called from many threads, at every query, in tolerance mode once per level.
  std::function<FourthDerivativeBounds<Dim>(const Point<Dim>& lower, const Point<Dim>& upper)> fourth_derivatives = {};

  // Policies: where there is no plain answer

  FailurePolicy on_failure = FailurePolicy::throw_error;  ///< where a corner that an answer needs has failed
  /// In tolerance mode: how often a cell with a failed corner is split, below the first such cell met, before
  /// on_failure applies. Each split halves the strip without answers around the place where f fails.
  int failure_splits = 3;
  OutsidePolicy outside = OutsidePolicy::throw_error;  ///< where a query leaves the domain
  /// For an f that labels its branches: how often a cell whose corners have different labels is split, below the first
  /// such cell met, before the policy applies.
  int branch_splits = 3;
  BranchPolicy on_branches = BranchPolicy::nearest_corner;  ///< where corners of a cell lie on different branches

  // Evaluations and memory

  /// What planners expect to ask (GridView::hint) is evaluated before they do, many corners at a time: for evaluators
  /// that run several at once. Costs evaluations where they then go elsewhere (GridStatistics::unused_corners).
  bool evaluate_ahead = false;
  /// Where samples of f are kept beyond the life of the grid, and looked for before f is called
  /// (quoin/storage/sqlite_storage.hpp); none: in memory alone.
  std::shared_ptr<SampleStorage<Dim>> storage = {};
  /// Bytes that corners, cells and tables may hold (GridStatistics::bytes); needs a storage. Above it the corners used
  /// least recently leave memory, until half of it is left, and come back from the storage when they are asked for:
  /// answers stay the same to the bit. They leave between queries, when none is at work in any thread: what one batch
  /// needs may exceed it, and so may corners that come while other threads wait for f.
  std::optional<std::size_t> memory_budget = {};
  /// In which the jets at corners are kept: nullptr, double precision, or single_precision() of
  /// quoin/grid/single_precision.hpp.
  const grid_detail::JetFormat* precision = nullptr;

  /// Those of a grid over the box [lower, upper], of so many cells of level 0 along each axis; the others by default.
  static GridOptions over(const Point<Dim>& lower, const Point<Dim>& upper,
                          const std::array<int, std::size_t{Dim}>& cells) {
    GridOptions options;
    options.origin = options.lower = lower;
    options.upper = upper;
    for (unsigned i = 0; i < Dim; ++i) options.spacing[i] = (upper[i] - lower[i]) / cells[i];
    return options;
  }
};

}  // namespace quoin
