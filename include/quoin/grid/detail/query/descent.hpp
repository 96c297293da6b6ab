// SPDX-License-Identifier: BSD-3-Clause
// How leaf_search.hpp goes down: one step, and whether it is the last.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/descent_state.hpp"
#include "quoin/grid/detail/query/error_estimates.hpp"
#include "quoin/grid/detail/query/refinement.hpp"
#include "quoin/grid/detail/query/spot_looks.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

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
  using DescentState = grid_detail::DescentState<Dim>;

  Descent(GridCore<Dim>& core, Field& field, int level, std::optional<double> tolerance)
      : core_(core),
        field_(field),
        level_(level),
        tolerance_(tolerance),
        certified_(core.options().fourth_derivatives && &field == &core.answering()) {}

  /// A descent at its first cell, from x or, by policy, from the nearest point of the domain.
  DescentState start(const Point<Dim>& x, const char* who, bool throwing) const {
    const Lattice<Dim>& lattice = core_.lattice();
    DescentState state{.x = x, .level = level_, .position = lattice.locate(x, level_)};
    if (!state.position.inside && core_.options().outside != OutsidePolicy::throw_error && x.allFinite()) {
      state.x = lattice.nearest(x);
      state.position = lattice.locate(state.x, level_);
    }
    if (!state.position.inside) {
      if (throwing) lattice.throw_outside(x, who);
      return state;
    }
    state.certified = certified_;
    if (!certified_ || !tolerance_) return state;
    const auto largest_error = [&] {
      return errors().bounds(state.level, state.position.lower, Point<Dim>::Constant(0.5)).value;
    };
    while (state.level < deepest() && !(largest_error() <= *tolerance_)) go_to(state, state.level + 1);  // calls no f
    if (!std::isfinite(largest_error())) {  // a bound is missing: measure
      state.certified = false;
      go_to(state, level_);
    }
    return state;
  }

  /// One step: true if the descent has arrived at the leaf, which is this cell, with `answer` filled in; otherwise it
  /// has gone deeper. cell: nullptr if one of its corners failed.
  bool arrive(DescentState& state, const Cell* cell, const Means& means, Answer& answer) const {
    answer.level = state.level;
    if (cell == nullptr || cell->mixed) return !split(state, cell);
    if (state.certified) {
      answer = errors().certified(state.level, state.position);
      return true;
    }
    if (!tolerance_) return true;
    if (const auto error = rule().accept_unmeasured(state.learnt, state.level)) {
      answer = errors().estimated(state.level, *error, *tolerance_);
      return true;
    }
    if (state.level < deepest()) {
      const Surplus* known = means.ready ? cell->surplus() : nullptr;
      if (known != nullptr) return accept_measured(state, *cell, *known, means, answer);
      if (means.ready) return state.wanting = true;
      if (const auto surplus = measure(state, *cell, means))
        return accept_measured(state, *cell, *surplus, means, answer);
    }
    answer = errors().estimated(state.level, rule().without_measurement(state.learnt, state.level));
    if (is_measured(answer) && errors().jump(state.x, state.level, *cell, state.learnt.level) > *tolerance_)
      answer = {.trust = Trust::discontinuous, .level = state.level};
    return true;
  }

  /// False if a descent that has arrived goes deeper all the same, for what is seen at other places in its cell;
  /// `answer` has that error. called: set if f was; null: it must not be.
  bool stays(DescentState& state, const Cell* cell, Answer& answer, bool* called) const {
    return settled(*cell, answer) || stays_seen_inside(state, *cell, answer, called);
  }
  /// True if there is nothing to be seen there.
  bool settled(const Cell& cell, const Answer& answer) const {
    return !tolerance_ || !is_measured(answer) || SpotLooks<Dim>::settled(cell);  // without an error perhaps no cell
  }
  /// Whether the next step measures the cell.
  bool needs_surplus(const DescentState& state, const Cell& cell) const {
    return tolerance_ && !state.certified && !cell.mixed && state.level < deepest() && cell.surplus() == nullptr &&
           !rule().accept_unmeasured(state.learnt, state.level);
  }

  ErrorEstimates<Dim> errors() const { return {core_, field_}; }
  SpotLooks<Dim> spots() const { return {core_, field_}; }
  int generations() const { return core_.options().surplus_generations; }

 private:
  Refinement rule() const { return {*tolerance_, field_.interpolant().order(), core_.options().accept_by_ancestors}; }
  int deepest() const { return core_.lattice().deepest_level(); }

  void go_to(DescentState& state, int level) const {
    state.level = level;
    state.position = core_.lattice().locate(state.x, level);
  }

  [[gnu::noinline]] std::optional<Surplus> measure(const DescentState& state, const Cell& cell,
                                                   const Means& means) const {
    if (means.called == nullptr) return field_.find_surplus(state.level, state.position.lower, cell);
    *means.called = *means.called || cell.surplus() == nullptr;
    return field_.require_surplus(state.level, state.position.lower, cell, generations(), *tolerance_);
  }

  // Takes in a measurement: true if the cell is a leaf; otherwise the descent has gone deeper.
  bool accept_measured(DescentState& state, const Cell& cell, const Surplus& surplus, const Means& means,
                       Answer& answer) const {
    ErrorEstimate measured = errors().measured(state.level, surplus);
    rule().require_repeatable(measured, Dim);
    // Of outputs of the size that the larger cells above have, too: this one may lie where f passes through zero.
    measured.repeatable = std::max(measured.repeatable, state.learnt.error.repeatable);
    const double floor = errors().floor(surplus);
    if (rule().accept(measured, floor)) {
      const double along_axes = errors().along_axes(state, cell, std::max(*tolerance_, floor), means);
      state.wanting = std::isnan(along_axes);
      errors().include(along_axes, state.level, measured);
      answer = errors().estimated(state.level, measured, *tolerance_);
      if (state.wanting || rule().accept(measured, floor)) return true;
    }
    go_to(state, std::min(state.level + rule().deeper(state.learnt, state.level, measured, floor), deepest()));
    return false;
  }

  [[gnu::noinline]] bool stays_seen_inside(DescentState& state, const Cell& cell, Answer& answer, bool* called) const {
    const Surplus* seen = spots().of_cell(answer, state.position.lower, cell, *tolerance_, called);
    if (seen == nullptr) return true;
    const ErrorEstimate error = errors().measured(state.level, *seen);
    const double floor = errors().floor(*seen);
    answer.error = std::max(answer.error, error.value);
    answer.jacobian_error = std::max(answer.jacobian_error, error.jacobian);
    if (rule().accept(error, floor) || state.level == deepest()) return true;
    go_to(state, std::min(state.level + rule().deeper(state.learnt, state.level, error, floor), deepest()));
    return false;
  }

  // Goes one level deeper into a cell with two branches, or, in tolerance mode, with a failed corner (nullptr); false
  // if it is not to be split further.
  bool split(DescentState& state, const Cell* mixed) const {
    if (mixed == nullptr && !tolerance_) return false;
    int& first = mixed ? state.first_mixed : state.first_failed;
    if (first < 0) first = state.level;
    const int most = mixed ? core_.options().branch_splits : core_.options().failure_splits;
    if (state.level - first >= most || state.level >= deepest()) return false;
    state.learnt = {};
    go_to(state, state.level + 1);
    return true;
  }

  GridCore<Dim>& core_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
  bool certified_;
};

}  // namespace quoin::grid_detail
