// SPDX-License-Identifier: BSD-3-Clause
// How leaf_search.hpp goes down: one step, and whether it is the last.
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/detail/error_estimates.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/refinement.hpp"
#include "quoin/grid/detail/spot_looks.hpp"
#include "quoin/grid/detail/walk.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace quoin::grid_detail {

/// The way from a point's first cell to its leaf, as measurements, a certificate or branches have it. To a level the
/// first cell is the leaf, but for branches.
template <int Dim>
class Descent {
 public:
  using Field = JetField<Dim>;
  using Cell = typename Field::Cell;
  using Walk = grid_detail::Walk<Dim>;

  Descent(GridCore<Dim>& core, Field& field, int level, std::optional<double> tolerance)
      : core_(core),
        field_(field),
        level_(level),
        tolerance_(tolerance),
        certified_(core.options().fourth_derivatives && &field == &core.answering()) {}

  /// A walk at its first cell, from x or, by policy, from the nearest point of the domain.
  Walk start(const Point<Dim>& x, const char* who, bool throwing) const {
    const Lattice<Dim>& lattice = core_.lattice();
    Walk walk{.x = x, .level = level_, .position = lattice.locate(x, level_)};
    if (!walk.position.inside && core_.options().outside != OutsidePolicy::throw_error && x.allFinite()) {
      walk.x = lattice.nearest(x);
      walk.position = lattice.locate(walk.x, level_);
    }
    if (!walk.position.inside) {
      if (throwing) lattice.throw_outside(x, who);
      return walk;
    }
    walk.certified = certified_;
    if (!certified_ || !tolerance_) return walk;
    const auto largest_error = [&] {
      return errors().bounds(walk.level, walk.position.lower, Point<Dim>::Constant(0.5)).value;
    };
    while (walk.level < deepest() && !(largest_error() <= *tolerance_)) go_to(walk, walk.level + 1);  // calls no f
    if (!std::isfinite(largest_error())) {  // a bound is missing: measure
      walk.certified = false;
      go_to(walk, level_);
    }
    return walk;
  }

  /// One step: true if the walk has arrived at the leaf, which is this cell, with `answer` filled in; otherwise it has
  /// gone deeper. cell: nullptr if one of its corners failed.
  bool arrive(Walk& walk, const Cell* cell, const Means& means, Answer& answer) const {
    answer.level = walk.level;
    if (cell == nullptr || cell->mixed) return !split(walk, cell);
    if (walk.certified) {
      answer = errors().certified(walk.level, walk.position);
      return true;
    }
    if (!tolerance_) return true;
    if (const auto error = rule().accept_unmeasured(walk.learnt, walk.level)) {
      answer = errors().estimated(walk.level, *error, *tolerance_);
      return true;
    }
    if (walk.level < deepest()) {
      const Surplus* known = means.ready ? cell->surplus() : nullptr;
      if (known != nullptr) return accept_measured(walk, *cell, *known, means, answer);
      if (means.ready) return walk.wanting = true;
      if (const auto surplus = measure(walk, *cell, means))
        return accept_measured(walk, *cell, *surplus, means, answer);
    }
    answer = errors().estimated(walk.level, rule().without_measurement(walk.learnt, walk.level));
    if (is_measured(answer) && errors().jump(walk.x, walk.level, *cell, walk.learnt.level) > *tolerance_)
      answer = {.trust = Trust::discontinuous, .level = walk.level};
    return true;
  }

  /// False if a walk that has arrived goes deeper all the same, for what is seen at other places in its cell; `answer`
  /// has that error. called: set if f was; null: it must not be.
  bool stays(Walk& walk, const Cell* cell, Answer& answer, bool* called) const {
    return settled(*cell, answer) || stays_seen_inside(walk, *cell, answer, called);
  }
  /// True if there is nothing to be seen there.
  bool settled(const Cell& cell, const Answer& answer) const {
    return !tolerance_ || !is_measured(answer) || SpotLooks<Dim>::settled(cell);  // without an error perhaps no cell
  }
  /// Whether the next step measures the cell.
  bool needs_surplus(const Walk& walk, const Cell& cell) const {
    return tolerance_ && !walk.certified && !cell.mixed && walk.level < deepest() && cell.surplus() == nullptr &&
           !rule().accept_unmeasured(walk.learnt, walk.level);
  }

  ErrorEstimates<Dim> errors() const { return {core_, field_}; }
  SpotLooks<Dim> spots() const { return {core_, field_}; }
  int generations() const { return core_.options().surplus_generations; }

 private:
  Refinement rule() const { return {*tolerance_, field_.interpolant().order(), core_.options().accept_by_ancestors}; }
  int deepest() const { return core_.lattice().deepest_level(); }

  void go_to(Walk& walk, int level) const {
    walk.level = level;
    walk.position = core_.lattice().locate(walk.x, level);
  }

  [[gnu::noinline]] std::optional<Surplus> measure(const Walk& walk, const Cell& cell, const Means& means) const {
    if (means.called == nullptr) return field_.find_surplus(walk.level, walk.position.lower, cell);
    *means.called = *means.called || cell.surplus() == nullptr;
    return field_.require_surplus(walk.level, walk.position.lower, cell, generations(), *tolerance_);
  }

  // Takes in a measurement: true if the cell is a leaf; otherwise the walk has gone deeper.
  bool accept_measured(Walk& walk, const Cell& cell, const Surplus& surplus, const Means& means, Answer& answer) const {
    ErrorEstimate measured = errors().measured(walk.level, surplus);
    rule().require_repeatable(measured, Dim);
    // Of outputs of the size that the larger cells above have, too: this one may lie where f passes through zero.
    measured.repeatable = std::max(measured.repeatable, walk.learnt.error.repeatable);
    const double floor = errors().floor(surplus);
    if (rule().accept(measured, floor)) {
      const double along_axes = errors().along_axes(walk, cell, std::max(*tolerance_, floor), means);
      walk.wanting = std::isnan(along_axes);
      errors().include(along_axes, walk.level, measured);
      answer = errors().estimated(walk.level, measured, *tolerance_);
      if (walk.wanting || rule().accept(measured, floor)) return true;
    }
    go_to(walk, std::min(walk.level + rule().deeper(walk.learnt, walk.level, measured, floor), deepest()));
    return false;
  }

  [[gnu::noinline]] bool stays_seen_inside(Walk& walk, const Cell& cell, Answer& answer, bool* called) const {
    const Surplus* seen = spots().of_cell(answer, walk.position.lower, cell, *tolerance_, called);
    if (seen == nullptr) return true;
    const ErrorEstimate error = errors().measured(walk.level, *seen);
    const double floor = errors().floor(*seen);
    answer.error = std::max(answer.error, error.value);
    answer.jacobian_error = std::max(answer.jacobian_error, error.jacobian);
    if (rule().accept(error, floor) || walk.level == deepest()) return true;
    go_to(walk, std::min(walk.level + rule().deeper(walk.learnt, walk.level, error, floor), deepest()));
    return false;
  }

  // Goes one level deeper into a cell with two branches, or, in tolerance mode, with a failed corner (nullptr); false
  // if it is not to be split further.
  bool split(Walk& walk, const Cell* mixed) const {
    if (mixed == nullptr && !tolerance_) return false;
    int& first = mixed ? walk.first_mixed : walk.first_failed;
    if (first < 0) first = walk.level;
    const int most = mixed ? core_.options().branch_splits : core_.options().failure_splits;
    if (walk.level - first >= most || walk.level >= deepest()) return false;
    walk.learnt = {};
    go_to(walk, walk.level + 1);
    return true;
  }

  GridCore<Dim>& core_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
  bool certified_;
};

}  // namespace quoin::grid_detail
