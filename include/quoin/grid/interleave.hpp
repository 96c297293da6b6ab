// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/interleave.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace quoin {

/// Solve on levels first, first + 1, ..., last.
struct Levels {
  int first = 0;  ///< not below the grid's own
  int last = 0;   ///< not below first, at most GridOptions::deepest_level
};

/// Solve at tolerances first, first / factor, first / factor^2, ..., and at `last`.
struct Tolerances {
  double first = 1e-2;  ///< absolute, in the norm of the outputs
  double last = 1e-4;   ///< not above first
  double factor = 16;   ///< a fourth-order grid halves its spacing for it
};

/// Solve on levels first, first + 1, ..., until the map that the solver uses answers well enough where the iterate asks
/// it. What is enough is a matter of the problem; which level that takes is not.
///
///   auto errors = [&](const GridView<4>& view, const Plan& plan) { return arm.tip(view).error_along(plan.points); };
///   interleave(grid, solve, guess, {.schedule = LevelsUntil<4, Plan>{.errors = errors, .tolerance = 1e-5}});
template <int Dim, class Iterate>
struct LevelsUntil {
  /// The largest errors of the map along an iterate, given the view of the last solve: GridView::error_along.
  std::function<Answer(const GridView<Dim>&, const Iterate&)> errors = {};
  double tolerance = std::numeric_limits<double>::infinity();           ///< enough for the value
  double jacobian_tolerance = std::numeric_limits<double>::infinity();  ///< and for the Jacobian
  int first = 0;                                                        ///< where to begin
  int last = 8;  ///< at most, and at most GridOptions::deepest_level
};

/// How a grid is refined from round to round.
template <int Dim, class Iterate>
using GridSchedule = std::variant<Levels, Tolerances, LevelsUntil<Dim, Iterate>>;

/// The paper's schedule: level 0 has this spacing, and R = ceil(log2(spacing / threshold)) refinements follow
/// (Jia, Pan, Manocha 2019, section IV-C; 0.5 and 0.2 give R = 2, three solves).
inline Levels levels_for(double spacing, double threshold) {
  if (!(spacing > 0) || !(threshold > 0) || !std::isfinite(spacing / threshold))
    throw std::invalid_argument("levels_for: spacing " + to_text(spacing) + " and threshold " + to_text(threshold) +
                                " must be positive");
  return {.first = 0, .last = static_cast<int>(std::max(0.0, std::ceil(std::log2(spacing / threshold))))};
}

namespace grid_detail {
/// A grid with its progress through levels or tolerances: RefinementStages.
template <int Dim, class Iterate>
class GridStages {
 public:
  GridStages(AdaptiveGrid<Dim>& grid, const GridSchedule<Dim, Iterate>& schedule)
      : grid_(grid), view_(grid.at_level(grid.level())) {
    const OptionsOf of{"interleave"};
    if (const auto* until = std::get_if<LevelsUntil<Dim, Iterate>>(&schedule)) {
      until_ = until;
      levels_ = {.first = until->first, .last = std::min(until->last, grid.options().deepest_level)};
      if (!until->errors) throw std::invalid_argument("interleave: LevelsUntil needs `errors`");
      of.positive("tolerance", until->tolerance);
      of.positive("jacobian_tolerance", until->jacobian_tolerance);
    } else if (const auto* levels = std::get_if<Levels>(&schedule)) {
      levels_ = *levels;
    }
    if (!std::holds_alternative<Tolerances>(schedule)) {
      level_ = levels_.first;
      if (levels_.first < grid.level() || levels_.last < levels_.first || levels_.last > grid.options().deepest_level)
        throw std::invalid_argument("interleave: levels " + to_text(levels_.first) + ".." + to_text(levels_.last) +
                                    " of a grid that is at level " + to_text(grid.level()) + " and has levels up to " +
                                    to_text(grid.options().deepest_level));
    } else {
      by_tolerance_ = true;
      tolerances_ = std::get<Tolerances>(schedule);
      tolerance_ = tolerances_.first;
      of.positive_and_finite("first", tolerances_.first);
      of.positive("last", tolerances_.last);
      of.need(tolerances_.factor > 1, "factor", tolerances_.factor, "above 1");
      if (tolerances_.last > tolerances_.first)
        throw std::invalid_argument("interleave: tolerances from " + to_text(tolerances_.first) + " down to " +
                                    to_text(tolerances_.last));
    }
  }

  Advance advance(const Iterate& iterate, std::size_t allowed, Round& round) {
    if (until_ != nullptr && level_ > levels_.first) {
      known_ = until_->errors(view_, iterate);
      if (enough()) return Advance::done;
    }
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
  std::string shortfall() const {
    if (until_ == nullptr || enough()) return {};
    return "the errors along the iterate are " + to_text(known_.error) + " and, of the Jacobian, " +
           to_text(known_.jacobian_error) + " (" + to_string(known_.trust) + ") on level " + to_text(view_.level()) +
           ", the last; asked were " + to_text(until_->tolerance) + " and " + to_text(until_->jacobian_tolerance);
  }

 private:
  bool enough() const {
    const bool jacobian = until_->jacobian_tolerance == std::numeric_limits<double>::infinity() ||
                          known_.jacobian_error <= until_->jacobian_tolerance;
    return known_.error <= until_->tolerance && jacobian;
  }

  AdaptiveGrid<Dim>& grid_;
  GridView<Dim> view_;
  const LevelsUntil<Dim, Iterate>* until_ = nullptr;
  Answer known_;
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
    const std::type_identity_t<InterleaveOptions<Iterate, GridSchedule<Dim, Iterate>>>& options = {}) {
  grid_detail::GridStages<Dim, Iterate> stages(grid, options.schedule);
  return interleave_stages(stages, std::forward<Solver>(solver), std::move(guess), options);
}

}  // namespace quoin
