// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/interleave.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/grid/adaptive_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace quoin {

/// Solve on levels first, first + 1, ..., last.
struct Levels {
  int first = 0;
  int last = 0;
};

/// Solve at tolerances first, first / factor, first / factor^2, ..., and at `last`.
struct Tolerances {
  double first = 1e-2;
  double last = 1e-4;
  double factor = 16;  ///< a fourth-order grid halves its spacing for it
};

/// How a grid is refined from round to round.
using GridSchedule = std::variant<Levels, Tolerances>;

/// The paper's schedule: level 0 has this spacing, and R = ceil(log2(spacing / threshold)) refinements follow
/// (Jia, Pan, Manocha 2019, section IV-C; 0.5 and 0.2 give R = 2, three solves).
inline Levels levels_for(double spacing, double threshold) {
  if (!(spacing > 0) || !(threshold > 0) || !std::isfinite(spacing / threshold))
    throw std::invalid_argument("levels_for: spacing " + to_text(spacing) + " and threshold " + to_text(threshold) +
                                " must be positive");
  return {.first = 0, .last = std::max(0, static_cast<int>(std::ceil(std::log2(spacing / threshold))))};
}

namespace grid_detail {
/// A grid with its progress through levels or tolerances: RefinementStages.
template <int Dim>
class GridStages {
 public:
  GridStages(AdaptiveGrid<Dim>& grid, const GridSchedule& schedule) : grid_(grid), view_(grid.at_level(grid.level())) {
    if (const auto* levels = std::get_if<Levels>(&schedule)) {
      levels_ = *levels;
      level_ = levels->first;
      if (levels->first < grid.level() || levels->last < levels->first || levels->last > grid.options().deepest_level)
        throw std::invalid_argument("interleave: levels " + to_text(levels->first) + ".." + to_text(levels->last) +
                                    " of a grid that is at level " + to_text(grid.level()) + " and has levels up to " +
                                    to_text(grid.options().deepest_level));
    } else {
      by_tolerance_ = true;
      tolerances_ = std::get<Tolerances>(schedule);
      tolerance_ = tolerances_.first;
      if (!(tolerances_.last > 0) || !(tolerances_.last <= tolerances_.first) || !std::isfinite(tolerances_.first) ||
          !(tolerances_.factor > 1))
        throw std::invalid_argument("interleave: tolerances from " + to_text(tolerances_.first) + " down to " +
                                    to_text(tolerances_.last) + " by a factor of " + to_text(tolerances_.factor));
    }
  }

  template <class Iterate>
  Advance advance(const Iterate&, std::size_t allowed, Round& round) {
    if (by_tolerance_ ? finished_ : level_ > levels_.last) return Advance::done;
    if (allowed == 0) return Advance::over_budget;
    if (by_tolerance_) {
      round.tolerance = tolerance_;
      view_ = grid_.at_tolerance(tolerance_);
      finished_ = tolerance_ <= tolerances_.last;
      tolerance_ = std::max(tolerance_ / tolerances_.factor, tolerances_.last);
    } else {
      while (!grid_.tolerance() && grid_.level() < level_) grid_.refine();
      round.level = level_;
      view_ = grid_.at_level(level_++);
    }
    return Advance::ready;
  }
  const GridView<Dim>& view() const { return view_; }
  std::size_t exact_evaluations() const { return grid_.statistics().exact_evaluations; }
  std::string shortfall() const { return {}; }

 private:
  AdaptiveGrid<Dim>& grid_;
  GridView<Dim> view_;
  bool by_tolerance_ = false, finished_ = false;
  Levels levels_;
  int level_ = 0;
  Tolerances tolerances_;
  double tolerance_ = 0;
};
}  // namespace grid_detail

/// Algorithm 1 of Jia, Pan, Manocha 2019: any optimizer, interleaved with refinement of the grid. Each solve sees an
/// immutable view of one level or tolerance and starts from the last result; coarse ones do the exploring, at few
/// corners, and each finer one moves the result only slightly, so that few new corners are met.
///
///   auto solve = [&](const quoin::GridView<4>& map, const Plan& guess) {
///     ...
///     return quoin::SolverResult<Plan>{.iterate = plan, .cost = cost, .converged = true};
///   };
///   auto result = quoin::interleave(grid, solve, guess, {.schedule = quoin::levels_for(0.5, 0.2)});
///   auto other = quoin::interleave(grid, solve, guess, {.schedule = quoin::Tolerances{.first = 1e-3, .last = 1e-6}});
///
/// By levels, a grid in level mode is left at the last level solved. How the loop ends: see interleave_stages. Throws
/// std::invalid_argument for a schedule that the grid cannot follow.
template <int Dim, class Iterate, class Solver>
InterleaveResult<Iterate> interleave(
    AdaptiveGrid<Dim>& grid, Solver&& solver, Iterate guess,
    const std::type_identity_t<InterleaveOptions<Iterate, GridSchedule>>& options = {}) {
  grid_detail::GridStages<Dim> stages(grid, options.schedule);
  return interleave_stages(stages, std::forward<Solver>(solver), std::move(guess), options);
}

}  // namespace quoin
