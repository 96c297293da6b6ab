// SPDX-License-Identifier: BSD-3-Clause
// A query's second step: the descent from a point to the cell that answers, or to the policy that does.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/cell_hit.hpp"
#include "quoin/grid/detail/query/descent.hpp"
#include "quoin/grid/detail/query/descent_state.hpp"
#include "quoin/grid/detail/query/error_estimates.hpp"
#include "quoin/grid/detail/query/fallbacks.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/request.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Finds the leaf, the cell that answers at a point, and has its missing corners evaluated. In level mode it is the
/// cell of one level; in tolerance mode the search starts at level 0 and goes as deep as Refinement or a certificate
/// requires, and deeper around failed corners. Either way a cell whose corners lie on different branches of f is split,
/// and the policies for failures, branches and points outside are followed. The leaf is a pure function of f, the
/// options, the level or tolerance, and x. A leaf at which the deepest level ends the search is discontinuous if its
/// corners show a jump that is higher than the tolerance (EdgeDefects).
template <int Dim>
class LeafSearch {
 public:
  using Field = JetField<Dim>;
  using Cell = typename Field::Cell;

  /// ahead: on behalf of no query yet.
  LeafSearch(GridCore<Dim>& core, Field& field, int level, std::optional<double> tolerance, bool ahead = false)
      : core_(core),
        field_(field),
        level_(level),
        tolerance_(tolerance),
        ahead_(ahead),
        descent_(core, field, level, tolerance) {}

  /// Finds the leaf; `called` is set if something had to be evaluated. Throws DomainError and CornerFailure if
  /// `throwing`, and always std::invalid_argument for a tolerance below what f can repeat at the points measured.
  CellHit<Dim> find(const Point<Dim>& x, const char* who, bool throwing, bool& called) const {
    CellHit<Dim> found;
    DescentState state = descent_.start(x, who, throwing);
    found.x = state.x;
    found.answer.level = state.level;
    if (!state.position.inside) {
      found.answer.trust = Trust::outside;
      return found;
    }
    if (!find_ready(state, found)) find_missing(descent_.start(x, who, throwing), found, throwing, called);
    if (found.x != x && found.answer.has_value())
      found.answer = {.trust = Trust::extended, .level = found.answer.level};
    return found;
  }

  /// The leaf, if nothing on the way to it is left to be evaluated or looked at and it answers at x itself; otherwise
  /// without a cell.
  CellHit<Dim> find_ready(const Point<Dim>& x) const {
    CellHit<Dim> found;
    DescentState state = descent_.start(x, "", false);
    found.x = state.x;
    if (state.position.inside && state.x == x) find_ready(state, found);
    return found;
  }

  /// The leaf, if its corners are known and those of the cells above; otherwise the finest cell that is known, as
  /// Trust::coarser. Calls f nowhere, waits for nobody who does, and does not throw. missing: unless it is null, the
  /// corners are appended that the search ended for want of.
  CellHit<Dim> find_known(const Point<Dim>& x, std::vector<Point<Dim>>* missing) const {
    CellHit<Dim> found;
    DescentState state = descent_.start(x, "", false);
    found.x = state.x;
    if (!state.position.inside) {
      found.answer = {.trust = Trust::outside, .level = state.level};
      return found;
    }
    int level = state.level;
    const bool arrived = find_known(state, found, missing, level);
    while (found.cell == nullptr && level > 0) {
      CellPosition<Dim> position = core_.lattice().locate(state.x, --level);
      found.cell = known_cell(state.x, level, position, nullptr);
      found.t = position.t;
    }
    if (!arrived) found.answer = {.trust = found.cell ? Trust::coarser : Trust::failed, .level = level};
    if (found.cell && found.cell->mixed) Fallbacks<Dim>::continue_nearest(found);
    if (found.x != x && found.answer.has_value()) found.answer = {.trust = Trust::extended, .level = level};
    return found;
  }

  /// The same of the leaf alone: otherwise without a cell.
  CellHit<Dim> find_known_leaf(const Point<Dim>& x) const {
    CellHit<Dim> found;
    DescentState state = descent_.start(x, "", false);
    found.x = state.x;
    int level = state.level;
    if (state.position.inside && !find_known(state, found, nullptr, level)) found.cell = nullptr;
    return found;
  }

  /// Has the missing corners of the leaves of these points (Dim x M), and of the cells on the way to them, evaluated in
  /// batches. Corners that fail are kept as failed. Throws DomainError for a point outside if `find` would; ahead of
  /// queries such points are left out.
  void prefetch(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    StopCheck stop(16);
    for (Eigen::Index m = 0; m < X.cols() && !ahead_; ++m, stop()) require_inside(X.col(m), "prefetch", m);
    for (Eigen::Index first = 0; first < X.cols(); first += at_once)
      prefetch_at_once(X.middleCols(first, std::min(at_once, X.cols() - first)));
  }

  /// Throws DomainError for a point outside, of this column of a matrix, if `find` would.
  void require_inside(const Point<Dim>& x, const char* who, Eigen::Index column) const {
    if (core_.options().outside != OutsidePolicy::throw_error && x.allFinite()) return;
    if (!core_.lattice().locate(x, level_).inside) core_.lattice().throw_outside(x, who, column);
  }

  /// The level of the leaf, or of the cell in whose place a policy answers, and then the corner that failed.
  struct Leaf {
    int level;
    const Corner* failed;
  };
  /// What it takes to know it is evaluated.
  Leaf leaf(const Point<Dim>& x) const {
    CellHit<Dim> found;
    bool called = false;
    DescentState state = descent_.start(x, "", false);
    const Corner* failed = descend(state, found, called);
    return {state.level, found.cell == nullptr ? failed : nullptr};
  }

  /// The error at x as it is known without calling f, hence not a function of x alone. Throws DomainError for a point
  /// outside if `find` would.
  Answer estimate(const Point<Dim>& x) const {
    DescentState state = descent_.start(x, "error_estimate", true);
    Answer answer{.trust = state.position.inside ? Trust::unchecked : Trust::outside, .level = state.level};
    if (!state.position.inside) return answer;
    if (state.x != x) return {.trust = Trust::extended, .level = state.level};
    const Cell* cell = nullptr;
    do {
      answer.level = state.level;
      cell = field_.find_cell(state.level, state.position.lower);
      if (cell == nullptr) {
        if (!field_.is_known_to_fail(state.level, state.position.lower)) break;
        state.aside = true;
        cell = cell_beside(core_, field_, state.x, state.level, state.position,
                           [&](const Address<Dim>& lower) { return field_.find_cell(state.level, lower); });
      }
    } while (!descent_.arrive(state, cell, {}, answer) || !descent_.stays(state, cell, answer, nullptr));
    if (cell == nullptr)  // nothing to measure, but a certificate needs no cell
      return state.certified ? descent_.errors().certified(state.level, state.position) : answer;
    if (tolerance_) descent_.spots().forget_unseen(state.x, *cell, answer);
    // What was unseen once may be again.
    if (cell->mixed || state.certified || tolerance_ || core_.spot_checks().contradicted()) return answer;
    const ErrorEstimates<Dim> errors = descent_.errors();
    return errors.estimated(state.level, errors.known(state.x, state.level, state.position.lower, *cell));
  }

 private:
  using Missing = std::vector<std::vector<Address<Dim>>>;  // by level
  using DescentState = grid_detail::DescentState<Dim>;

  // Large batches are cut: what comes between two calls of f takes a moment, not a minute.
  static constexpr Eigen::Index at_once = (Eigen::Index{1} << 18) >> Dim;

  // The leaf from a descent's first cell on, as above; false if something is left to be done.
  bool find_ready(DescentState& state, CellHit<Dim>& found) const {
    const Cell* cell = nullptr;
    do {
      cell = field_.find_cell(state.level, state.position.lower);
      if (cell == nullptr || cell->mixed) return false;
      if (tolerance_ && !cell->in_tolerance_mode.load(std::memory_order_relaxed)) return false;
    } while (!descent_.arrive(state, cell, {.ready = true}, found.answer));
    if (state.wanting || !descent_.settled(*cell, found.answer)) return false;
    found.t = state.position.t;
    found.cell = cell;
    return true;
  }

  // The same by cells that are there or can be made without a call of f; false if one is not, with the last one found
  // and its level.
  bool find_known(DescentState& state, CellHit<Dim>& found, std::vector<Point<Dim>>* missing, int& level) const {
    bool arrived = false;
    while (!arrived) {
      const Address<Dim> lower = state.position.lower;
      const Cell* cell = known_cell(state.x, state.level, state.position, missing);
      if (cell == nullptr) {
        if (!field_.is_known_to_fail(state.level, lower) || descent_.arrive(state, nullptr, {}, found.answer))
          return false;
        continue;
      }
      state.aside = state.aside || state.position.lower != lower;
      level = state.level;
      found.cell = cell;
      found.t = state.position.t;
      arrived = descent_.arrive(state, cell, {}, found.answer) && descent_.stays(state, cell, found.answer, nullptr);
    }
    if (tolerance_) descent_.spots().forget_unseen(state.x, *found.cell, found.answer);
    return true;
  }

  // To the leaf; to a cell with a failed corner, and then which, if there is none.
  const Corner* descend(DescentState& state, CellHit<Dim>& found, bool& called) const {
    const Corner* failed = nullptr;
    do {
      found.cell = field_.find_cell(state.level, state.position.lower);
      if (found.cell == nullptr) {
        called = true;
        found.cell = field_.require_cell(requester(state.level), state.position.lower, &failed);
        if (found.cell == nullptr) found.cell = step_aside(state);
      }
      if (tolerance_ && found.cell) field_.mark_on_path(requester(state.level), state.position.lower, *found.cell);
    } while (!descent_.arrive(state, found.cell, {.called = &called}, found.answer) ||
             !descent_.stays(state, found.cell, found.answer, &called));
    return failed;
  }

  // The leaf, or what answers in its place, from a descent's first cell on.
  [[gnu::noinline]] void find_missing(DescentState state, CellHit<Dim>& found, bool throwing, bool& called) const {
    found.answer = {.level = state.level};
    try {
      const Corner* failed = descend(state, found, called);
      found.t = state.position.t;
      if (found.cell == nullptr)
        fallbacks().answer_failed(found, requester(state.level), *failed, throwing);
      else if (found.cell->mixed)
        fallbacks().answer_mixed(found, throwing);
    } catch (const CornerFailure&) {
      if (throwing) throw;
      found.cell = nullptr;
      found.answer = {.trust = Trust::failed, .level = state.level};
    }
  }

  void prefetch_at_once(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    StopCheck stop(16);
    std::vector<DescentState> states;
    states.reserve(static_cast<std::size_t>(X.cols()));
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      stop();
      if (DescentState state = descent_.start(X.col(m), "prefetch", false); state.position.inside)
        states.push_back(std::move(state));
    }
    Missing missing(core_.lattice().levels());
    while (!states.empty()) {
      for (const DescentState& state : states)
        if (!field_.find_cell(state.level, state.position.lower))
          for (const Address<Dim>& address : core_.lattice().cell_corners(state.level, state.position.lower))
            missing[static_cast<std::size_t>(state.level)].push_back(address);
      field_.require_corners(requester(0), missing);
      if (ahead_ && !tolerance_) return;  // the cells are made by the queries that come, if they come

      std::vector<const Cell*> cells;
      cells.reserve(states.size());
      for (DescentState& state : states) {
        stop();
        cells.push_back(field_.require_cell(requester(state.level), state.position.lower, nullptr));
        if (cells.back() == nullptr) cells.back() = step_aside(state);
        if (tolerance_ && cells.back())
          field_.mark_on_path(requester(state.level), state.position.lower, *cells.back());
        if (cells.back() && descent_.needs_surplus(state, *cells.back()))
          field_.list_surplus_corners(state.level, state.position.lower, descent_.generations(), missing);
      }
      field_.require_corners(requester(0), missing);

      std::vector<DescentState> onward;
      for (std::size_t m = 0; m < states.size(); ++m) {
        stop();
        Answer answer;
        bool called = false;
        const bool edges = std::exchange(states[m].wanting, false);  // listed, and required since
        const bool arrived = descent_.arrive(states[m], cells[m], {.called = &called, .edges = edges}, answer);
        if (states[m].wanting)
          field_.list_edge_corners(states[m].level, states[m].position.lower, *cells[m], missing);
        else if (arrived && descent_.stays(states[m], cells[m], answer, ahead_ ? nullptr : &called))
          continue;
        onward.push_back(std::move(states[m]));
      }
      states = std::move(onward);
    }
  }

  Fallbacks<Dim> fallbacks() const { return {core_, field_}; }
  Requester requester(int level) const {
    return {.level = level, .to_tolerance = tolerance_.has_value(), .ahead = ahead_};
  }

  // To the cell on the other side of a face, from one that has a failed corner; null if that fails too.
  const Cell* step_aside(DescentState& state) const {
    state.aside = true;
    return cell_beside(core_, field_, state.x, state.level, state.position, [&](const Address<Dim>& lower) {
      return field_.require_cell(requester(state.level), lower, nullptr);
    });
  }

  // A cell that is there, or can be made without a call of f, and holds x. missing: the corners that the cell at
  // `position`, which is that cell's in the end, wants for.
  const Cell* known_cell(const Point<Dim>& x, int level, CellPosition<Dim>& position,
                         std::vector<Point<Dim>>* missing) const {
    const Cell* cell = field_.find_known_cell(requester(level), position.lower, missing);
    if (cell != nullptr || !field_.is_known_to_fail(level, position.lower)) return cell;
    return cell_beside(core_, field_, x, level, position, [&](const Address<Dim>& lower) {
      return field_.find_known_cell(requester(level), lower, missing);
    });
  }

  GridCore<Dim>& core_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
  bool ahead_;
  Descent<Dim> descent_;
};

}  // namespace quoin::grid_detail
