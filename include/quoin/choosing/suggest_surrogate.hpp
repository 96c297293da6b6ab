// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/choosing/suggest_resolutions.hpp"
#include "quoin/choosing/surrogate_kind.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/kernel/kernel_surrogate.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin {

/// One way to answer the queries of a run, and what it is expected to cost.
template <int Dim>
struct SurrogateChoice {
  SurrogateKind kind = SurrogateKind::function;
  int order = 0;                            ///< K of the jets that it takes of f; 0: values, or f itself
  Point<Dim> spacing = Point<Dim>::Zero();  ///< of a grid's level 0
  KernelThreshold threshold = {1, 1};       ///< of a kernel, for refine_at, of at most so many corners
  double jitter = 0;                        ///< of a kernel, for its options: less than by default where it must be
  double corners = 0;                       ///< at which a grid or a kernel takes jets
  double evaluations = 0;                   ///< of f: as many, or the values that differences at the corners take
  double seconds = 0;                       ///< of evaluations and queries together, on one thread
  double error = 0;                         ///< of the value at the worst query, in the norm of the tolerance
};

/// What is known of a run that a surrogate is to serve.
struct SurrogateTask {
  double tolerance = 1e-4;                    ///< of the value: absolute, in the norm of output_weights
  double queries = 1e5;                       ///< in all, at the points given and between them
  Coverage coverage = Coverage::path;         ///< the points follow a path, or stand for the box around them
  Eigen::VectorXd output_weights = {};        ///< N of them; empty: 1/sqrt(N), the root mean square
  std::vector<double> costs = {1, 1.1, 1.5};  ///< of jets of order 1, 2, ..., relative; up to f's order, or 3
  /// Jets to find out with, 3 to 200; 0: 4 (Dim + 2), and where a kernel would serve best half of those that it lacks,
  /// then half of those that it then lacks.
  int samples = 0;
};

/// What suggest_surrogate found.
template <int Dim>
struct SurrogateAdvice {
  std::vector<SurrogateChoice<Dim>> choices = {};  ///< the cheapest first, in seconds
  int samples = 0;                                 ///< jets that it rests on
  /// The errors with which the samples predict each other's values, relative to how these differ; root mean squares.
  /// Above largest_unexplained f has more features than there are samples, or is not smooth.
  double unexplained = 0;
  double seconds_per_evaluation = 0;  ///< of f, with the jets that the grid takes

  static constexpr double largest_unexplained = 0.1;
  /// Whether the samples know enough of f for expectations; otherwise the choices are f and grids in tolerance mode,
  /// and what those are expected to cost is a guess.
  bool resolved() const { return unexplained <= largest_unexplained; }
};

/// Takes a few jets of f where a run will query, and says which of f itself, a grid or a kernel, of which order and
/// spacing, would serve the run, and what each is expected to cost.
///
///   quoin::AdaptiveGrid<2> grid(f);                                    // any spacing: its samples stay in the grid
///   auto advice = quoin::suggest_surrogate(grid, plan, {.tolerance = 1e-6});
///   auto best = advice.choices.front();                                // a grid of best.order and best.spacing, or
///   KernelSurrogate<2, GridView<2>> kernel(grid.at_level(5), {.jitter = best.jitter});
///   kernel.refine_at(plan, best.threshold, static_cast<std::size_t>(best.corners));
///
/// points: Dim x M, a path as a polygon or points that stand for a box (random ones, some hundred). Jets are taken on
/// the grid's lattice, of a level fine enough, where a kernel knows least; they stay in the grid, and kernel.insert(
/// grid.samples()) has them too. Orders are those up to the grid's.
///
/// A kernel's samples are counted by taking them in thought: sigma depends only on where samples are. Its error is
/// expected to be sigma times twice the largest error / sigma of a sample left out, which may be above the tolerance,
/// and where sigma would have to be under its floor the jitter is lowered. A grid's spacing is that of
/// suggest_resolutions, corrected on a grid of the kernel instead of f; its corners are counted along the path, or in
/// the box, and where f gives no derivatives the values that the grid takes around them (order 1). Queries are timed.
/// Where f gives no derivatives there is a kernel of values too, order 0, one evaluation a sample: a KernelInterpolant
/// that is given f where deviation(x).value is largest, as in a Surrogate. Kernels that would know more than 1500
/// numbers are left out. docs/notes/choosing.md has how often this is right, on random functions.
///
/// The tolerance is for the value: Jacobians are one order worse. Throws std::invalid_argument with the numbers for bad
/// input, a grid of K = 0, or if f fails at all but two of the points asked. Costs the samples, each 1 + 4 Dim values
/// where f gives no derivatives, and for small outputs a few tenths of a second.
template <int Dim>
SurrogateAdvice<Dim> suggest_surrogate(const AdaptiveGrid<Dim>& grid, const Eigen::MatrixXd& points,
                                       const SurrogateTask& task = {});

}  // namespace quoin

#include "quoin/choosing/detail/surrogate_search.hpp"  // its definition
