// SPDX-License-Identifier: BSD-3-Clause
//
// The path of a query through the files of this folder; internal files are in detail/: those of a query in query/, of a
// missing corner in corners/, of the sums in kernels/.
//
//   adaptive_grid, grid_view     a query comes in, at a level or to a tolerance; grid_members has the definitions
//     query                      leads it through what follows
//     query_counters             counts it, and times one in 64
//     leaf_search                finds the leaf, the cell that answers at x: from what is ready, known, or asked for
//       lattice                  x -> the cell of a level that holds x, and its local coordinates
//       cell_field               the cell, if its corners are known: one lock-free lookup (concurrent_map)
//       descent                  one step: this cell is the leaf, or a deeper one
//       jet_field, refinement    to a tolerance: how far the cell is from f, and so whether to go deeper
//         surplus, axis_errors   at its centre; what cancels there, from a coarser cell or from edge_middles
//       error_estimates          the error that is stated; certificate: the error that is proven
//       spot_checks, spot_looks  now and then: f at a place inside, against what corners and centre cannot see
//       centre_lines, doubts     what measured cells show of f: a Jacobian that is not its own, values that scatter
//       fallbacks                policies: where a corner failed, or f changes its branch within the cell
//     cell_hit, cell_answer       from the leaf to value and derivatives
//       jet_cell, second_weights local coordinates -> the weights of its corners' jets (cell_weights)
//       sweep                    their sum: the answer
//     batch                      the same for many points, each cell swept once for many of them
//   filling                      all leaves of a box, for tables
//   checking, why_unknown        answers against f at a few points; what an estimate of errors wants for
//   frozen_view, frozen_cells    a copy of leaves, for who may not wait: its queries have these last steps alone
//
//   A missing corner is computed on the path drawn in corner_requests:
//     cell_field                 the cell asks for its 2^Dim corners
//     corner_requests            find, or claim -> gate (wait_graph) -> evaluate -> keep -> release
//       grid_core                applies a functional to f's corners, or has f called
//         function_calls         asks the storage (sample_storage), else calls f through the Evaluator (evaluator)
//         nearest_corner         for an f that starts from a neighbour's solution
//       differenced_gradients    for an f without derivatives: from corners of values
//       corner_store, arena      where the corner is kept, and found by all later queries
//     field_memory               what stands on the corners, and how both leave memory: trim, a budget
#pragma once

#include "quoin/grid/error_check.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/frozen_view.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/grid/grid_statistics.hpp"
#include "quoin/grid/grid_view.hpp"
#include "quoin/map/samples.hpp"

#include <concepts>
#include <utility>

namespace quoin {

/// An on-demand surrogate of an expensive function f from Dim (1 to 6) to N dimensions: f is evaluated only at the grid
/// corners that queries need, once each; values and Jacobians come from a Hermite interpolant between them. This is the
/// hierarchical grid of Jia, Pan, Manocha 2019, section IV-C.
///
///   auto f = quoin::exact_function<2>(n, [](const quoin::Point<2>& x, auto y, auto J) { ... });
///   quoin::GridOptions<2> options;
///   options.spacing = quoin::Point<2>::Constant(0.5);
///   quoin::AdaptiveGrid<2> grid(f, options);
///   grid.evaluate(x, y, J);  // calls f at the 4 corners of the cell around x
///   grid.evaluate(x, y);     // calls nothing
///   grid.refine();           // halves the spacing; corners are kept
///
/// With f sampled to order K (values and Jacobians, K = 1, unless f says otherwise) the value is of order 2K + 2 in
/// the spacing, the Jacobian 2K + 1, and polynomials of degree 2K + 1 are exact. In level mode nothing is known of
/// the error at a query (Trust::unchecked): compare levels, check the final answer on f, or give bounds of its
/// derivatives (Trust::certified). With options.tolerance set each cell is refined as far as that error requires, by
/// measurement (Trust::estimated).
///
/// Queries are const and safe from many threads, also while other threads wait for f; f may itself query the grid. If f
/// is a pure function, answers do not depend on the order of queries or the number of threads, to the bit. The grid's
/// own level, refine() and trim() belong to one thread; hand views to the others.
///
/// A DifferentiableMap<Dim>. Movable, not copyable. Its queries are those of GridView, which documents them, at the
/// grid's present level or tolerance.
template <int Dim>
class AdaptiveGrid : private GridView<Dim> {
  using View = GridView<Dim>;

 public:
  /// f: a DifferentiableMap<Dim>, or a function made by exact_function and the like; the grid owns it. evaluator: calls
  /// f at missing corners. Throws std::invalid_argument, with the numbers, for invalid options.
  template <class F>
    requires SampleableFunction<F, Dim>
  explicit AdaptiveGrid(F f, const GridOptions<Dim>& grid_options = {}, Evaluator<Dim> evaluator = ThisThread{})
      : AdaptiveGrid(CornerFunction<Dim>(std::move(f)), grid_options, std::move(evaluator)) {}
  /// Does not compile, and says how a callable becomes a function.
  template <BareCallable F>
  explicit AdaptiveGrid(F, const GridOptions<Dim>& grid_options = {}, const Evaluator<Dim>& = ThisThread{})
      : AdaptiveGrid((detail::refuse_bare_callable<F>(), Samples<Dim>{}), grid_options) {}
  /// workers: an evaluator in other processes that knows the function which it evaluates there (Workers).
  template <class E>
    requires requires(const E& workers) {
      { workers.function() } -> std::same_as<CornerFunction<Dim>>;
    }
  explicit AdaptiveGrid(E workers, const GridOptions<Dim>& grid_options = {})
      : AdaptiveGrid(workers.function(), grid_options, Evaluator<Dim>(workers)) {}
  /// A grid without a function: it answers from these samples, and from what insert() adds to them; where a corner is
  /// missing it has failed, as the policies of the options have it. Throws std::invalid_argument for samples that do
  /// not fit together, or have no outputs.
  explicit AdaptiveGrid(const Samples<Dim>& samples, const GridOptions<Dim>& grid_options = {});
  /// A moved-from grid goes on answering, as a view of the same corners.
  AdaptiveGrid(AdaptiveGrid&& other) noexcept : View(other) {}
  /// As move construction.
  AdaptiveGrid& operator=(AdaptiveGrid&& other) noexcept {
    own_view() = other;
    return *this;
  }
  AdaptiveGrid(const AdaptiveGrid&) = delete;
  AdaptiveGrid& operator=(const AdaptiveGrid&) = delete;

  using View::jet_order;
  using View::level;
  using View::options;
  using View::output_size;
  using View::spacing;
  using View::tolerance;

  using View::at_level;
  using View::at_resolution_of;
  using View::at_tolerance;
  using View::linear_output;

  using View::cancel_requests;
  using View::check;
  using View::curvature;
  using View::doubtful;
  using View::doubts;
  using View::error_along;
  using View::error_estimate;
  using View::evaluate;
  using View::evaluate_batch;
  using View::evaluate_cached;
  using View::fill;
  using View::frozen;
  using View::has_requests;
  using View::hint;
  using View::jvp;
  using View::prefetch;
  using View::prefetch_async;
  using View::sample;
  using View::try_evaluate;
  using View::vjp;
  using View::why_unknown;

  using View::add_functional;  // names of before 0.3
  using View::evaluate_known;
  using View::expect;
  using View::like;
  using View::prepare;
  using View::request;
  using View::times;
  using View::transpose_times;

  using View::corner_jet;
  using View::differenced;
  using View::nearest_corner;

  /// The grid at its present level or tolerance, as a view of its own.
  const View& view() const { return *this; }

  /// Halves the spacing; in tolerance mode divides the tolerance by 16. Throws std::invalid_argument beyond
  /// GridOptions::deepest_level.
  void refine();

  /// All corners of f, of every level, failed ones included. Safe while other threads query.
  Samples<Dim> samples() const;

  /// Keeps samples of f, whatever grid, kernel or program they come from: those at lattice points of any level, but for
  /// rounding, with the derivatives that f is sampled with here (more are cut off) or a failure that will not pass.
  /// They are answered as if f had been called; a corner that is known stays as it is. Safe while other threads query.
  /// Throws std::invalid_argument for samples that do not fit together, or to f's outputs; then none is kept.
  InsertedSamples insert(const Samples<Dim>& samples);

  /// What the grid has evaluated, answered and kept so far.
  GridStatistics statistics() const;

  /// Frees the memory of corners and cells that only levels other than the present one use (in tolerance mode: that no
  /// query to a tolerance has met); corners that are needed again are evaluated again. Views stay valid. No query may
  /// be running in another thread. First it cancels the requests, as cancel_requests() does: if that throws, nothing is
  /// freed.
  void trim();

 private:
  AdaptiveGrid(CornerFunction<Dim> f, const GridOptions<Dim>& grid_options, Evaluator<Dim> evaluator);

  View& own_view() { return *this; }
};

}  // namespace quoin

#include "quoin/grid/detail/grid_members.hpp"
