// SPDX-License-Identifier: BSD-3-Clause
// A query's second step: the descent from a point to the cell that answers, or to the policy that does.
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/request.hpp"
#include "quoin/grid/detail/error_estimates.hpp"
#include "quoin/grid/detail/fallbacks.hpp"
#include "quoin/grid/detail/found.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/refinement.hpp"
#include "quoin/grid/detail/spot_looks.hpp"
#include "quoin/grid/detail/walk.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cmath>
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
        certified_(core.options().fourth_derivatives && &field == &core.answering()) {}

  /// Finds the leaf; `called` is set if something had to be evaluated. Throws DomainError and CornerFailure if
  /// `throwing`, and always std::invalid_argument for a tolerance below what f can repeat at the points measured.
  Found<Dim> find(const Point<Dim>& x, const char* who, bool throwing, bool& called) const {
    Found<Dim> found;
    Walk walk = start(x, who, throwing);
    found.x = walk.x;
    found.answer.level = walk.level;
    if (!walk.position.inside) {
      found.answer.trust = Trust::outside;
      return found;
    }
    if (!find_ready(walk, found)) find_missing(start(x, who, throwing), found, throwing, called);
    if (found.x != x && found.answer.has_value())
      found.answer = {.trust = Trust::extended, .level = found.answer.level};
    return found;
  }

  /// The leaf, if nothing on the way to it is left to be evaluated or looked at and it answers at x itself; otherwise
  /// without a cell.
  Found<Dim> find_ready(const Point<Dim>& x) const {
    Found<Dim> found;
    Walk walk = start(x, "", false);
    found.x = walk.x;
    if (walk.position.inside && walk.x == x) find_ready(walk, found);
    return found;
  }

  /// The leaf, if its corners are known and those of the cells above; otherwise the finest cell that is known, as
  /// Trust::coarser. Calls f nowhere, waits for nobody who does, and does not throw. missing: unless it is null, the
  /// corners are appended that the search ended for want of.
  Found<Dim> find_known(const Point<Dim>& x, std::vector<Point<Dim>>* missing) const {
    Found<Dim> found;
    Walk walk = start(x, "", false);
    found.x = walk.x;
    if (!walk.position.inside) {
      found.answer = {.trust = Trust::outside, .level = walk.level};
      return found;
    }
    bool arrived = false;
    int level = walk.level;
    while (!arrived) {
      const Address<Dim> lower = walk.position.lower;
      const Cell* cell = known_cell(walk.x, walk.level, walk.position, missing);
      if (cell == nullptr) break;
      walk.aside = walk.aside || walk.position.lower != lower;
      level = walk.level;
      found.cell = cell;
      found.t = walk.position.t;
      arrived = arrive(walk, cell, {}, found.answer) && stays(walk, cell, found.answer, nullptr);
    }
    while (found.cell == nullptr && level > 0) {
      CellPosition<Dim> position = core_.lattice().locate(walk.x, --level);
      found.cell = known_cell(walk.x, level, position, nullptr);
      found.t = position.t;
    }
    if (arrived && tolerance_) spots().forget_unseen(walk.x, *found.cell, found.answer);
    if (!arrived) found.answer = {.trust = found.cell ? Trust::coarser : Trust::failed, .level = level};
    if (found.cell && found.cell->mixed) Fallbacks<Dim>::continue_nearest(found);
    if (found.x != x && found.answer.has_value()) found.answer = {.trust = Trust::extended, .level = level};
    return found;
  }

  /// Has the missing corners of the leaves of these points (Dim x M), and of the cells on the way to them, evaluated in
  /// batches. Corners that fail are kept as failed. Throws DomainError for a point outside if `find` would; ahead of
  /// queries such points are left out.
  void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    if (X.cols() > at_once && !ahead_) {  // a point outside is told before f is called
      StopCheck stop(16);
      for (Eigen::Index m = 0; m < X.cols(); ++m, stop()) start(X.col(m), "prepare", true);
    }
    for (Eigen::Index first = 0; first < X.cols(); first += at_once)
      prepare_at_once(X.middleCols(first, std::min(at_once, X.cols() - first)));
  }

  /// The error at x as it is known without calling f, hence not a function of x alone. Throws DomainError for a point
  /// outside if `find` would.
  Answer estimate(const Point<Dim>& x) const {
    Walk walk = start(x, "error_estimate", true);
    Answer answer{.trust = walk.position.inside ? Trust::unchecked : Trust::outside, .level = walk.level};
    if (!walk.position.inside) return answer;
    if (walk.x != x) return {.trust = Trust::extended, .level = walk.level};
    const Cell* cell = nullptr;
    do {
      answer.level = walk.level;
      cell = field_.find_cell(walk.level, walk.position.lower);
      if (cell == nullptr) {
        if (!field_.is_known_to_fail(walk.level, walk.position.lower)) break;
        walk.aside = true;
        cell = cell_beside(core_, field_, walk.x, walk.level, walk.position,
                           [&](const Address<Dim>& lower) { return field_.find_cell(walk.level, lower); });
      }
    } while (!arrive(walk, cell, {}, answer) || !stays(walk, cell, answer, nullptr));
    if (cell == nullptr)  // nothing to measure, but a certificate needs no cell
      return walk.certified ? errors().certified(walk.level, walk.position) : answer;
    if (tolerance_) spots().forget_unseen(walk.x, *cell, answer);
    // What was unseen once may be again.
    if (cell->mixed || walk.certified || tolerance_ || core_.spot_checks().contradicted()) return answer;
    return errors().estimated(walk.level, errors().known(walk.x, walk.level, walk.position.lower, *cell));
  }

 private:
  using Missing = std::vector<std::vector<Address<Dim>>>;  // by level
  using Walk = grid_detail::Walk<Dim>;

  // Large batches are cut: what comes between two calls of f takes a moment, not a minute.
  static constexpr Eigen::Index at_once = (Eigen::Index{1} << 18) >> Dim;

  // The leaf from a walk's first cell on, as above; false if something is left to be done.
  bool find_ready(Walk& walk, Found<Dim>& found) const {
    const Cell* cell = nullptr;
    do {
      cell = field_.find_cell(walk.level, walk.position.lower);
      if (cell == nullptr || cell->mixed) return false;
      if (tolerance_ && !cell->in_tolerance_mode.load(std::memory_order_relaxed)) return false;
    } while (!arrive(walk, cell, {.ready = true}, found.answer));
    if (walk.wanting || !settled(*cell, found.answer)) return false;
    found.t = walk.position.t;
    found.cell = cell;
    return true;
  }

  // The leaf, or what answers in its place, from a walk's first cell on.
  [[gnu::noinline]] void find_missing(Walk walk, Found<Dim>& found, bool throwing, bool& called) const {
    found.answer = {.level = walk.level};
    try {
      const Corner* failed = nullptr;
      do {
        found.cell = field_.find_cell(walk.level, walk.position.lower);
        if (found.cell == nullptr) {
          called = true;
          found.cell = field_.require_cell(requester(walk.level), walk.position.lower, &failed);
          if (found.cell == nullptr) found.cell = step_aside(walk);
        }
        if (tolerance_ && found.cell) field_.mark_on_path(requester(walk.level), walk.position.lower, *found.cell);
      } while (!arrive(walk, found.cell, {.called = &called}, found.answer) ||
               !stays(walk, found.cell, found.answer, &called));
      found.t = walk.position.t;
      if (found.cell == nullptr)
        fallbacks().answer_failed(found, requester(walk.level), *failed, throwing);
      else if (found.cell->mixed)
        fallbacks().answer_mixed(found, throwing);
    } catch (const CornerFailure&) {
      if (throwing) throw;
      found.cell = nullptr;
      found.answer = {.trust = Trust::failed, .level = walk.level};
    }
  }

  void prepare_at_once(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    StopCheck stop(16);
    std::vector<Walk> walks;
    walks.reserve(static_cast<std::size_t>(X.cols()));
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      stop();
      if (Walk walk = start(X.col(m), "prepare", !ahead_); walk.position.inside) walks.push_back(std::move(walk));
    }
    Missing missing(core_.lattice().levels());
    while (!walks.empty()) {
      for (const Walk& walk : walks)
        if (!field_.find_cell(walk.level, walk.position.lower))
          for (const Address<Dim>& address : core_.lattice().cell_corners(walk.level, walk.position.lower))
            missing[static_cast<std::size_t>(walk.level)].push_back(address);
      field_.require_corners(requester(0), missing);
      if (ahead_ && !tolerance_) return;  // the cells are made by the queries that come, if they come

      std::vector<const Cell*> cells;
      cells.reserve(walks.size());
      for (Walk& walk : walks) {
        stop();
        cells.push_back(field_.require_cell(requester(walk.level), walk.position.lower, nullptr));
        if (cells.back() == nullptr) cells.back() = step_aside(walk);
        if (tolerance_ && cells.back()) field_.mark_on_path(requester(walk.level), walk.position.lower, *cells.back());
        if (cells.back() && needs_surplus(walk, *cells.back()))
          field_.list_surplus_corners(walk.level, walk.position.lower, generations(), missing);
      }
      field_.require_corners(requester(0), missing);

      std::vector<Walk> onward;
      for (std::size_t m = 0; m < walks.size(); ++m) {
        stop();
        Answer answer;
        bool called = false;
        const bool edges = std::exchange(walks[m].wanting, false);  // listed, and required since
        const bool arrived = arrive(walks[m], cells[m], {.called = &called, .edges = edges}, answer);
        if (walks[m].wanting)
          field_.list_edge_corners(walks[m].level, walks[m].position.lower, *cells[m], missing);
        else if (arrived && stays(walks[m], cells[m], answer, ahead_ ? nullptr : &called))
          continue;
        onward.push_back(std::move(walks[m]));
      }
      walks = std::move(onward);
    }
  }

  ErrorEstimates<Dim> errors() const { return {core_, field_}; }
  Fallbacks<Dim> fallbacks() const { return {core_, field_}; }
  SpotLooks<Dim> spots() const { return {core_, field_}; }
  Refinement rule() const { return {*tolerance_, field_.interpolant().order(), core_.options().accept_by_ancestors}; }
  int generations() const { return core_.options().surplus_generations; }
  int deepest() const { return core_.lattice().deepest_level(); }
  Requester requester(int level) const {
    return {.level = level, .to_tolerance = tolerance_.has_value(), .ahead = ahead_};
  }

  // A walk at its first cell, from x or, by policy, from the nearest point of the domain.
  Walk start(const Point<Dim>& x, const char* who, bool throwing) const {
    const Lattice<Dim>& lattice = core_.lattice();
    Walk walk{.x = x, .level = level_, .position = lattice.locate(x, level_)};
    if (!walk.position.inside && core_.options().outside != OutsidePolicy::throw_error && x.allFinite()) {
      walk.x = x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper());
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

  // To the cell on the other side of a face, from one that has a failed corner; null if that fails too.
  const Cell* step_aside(Walk& walk) const {
    walk.aside = true;
    return cell_beside(core_, field_, walk.x, walk.level, walk.position, [&](const Address<Dim>& lower) {
      return field_.require_cell(requester(walk.level), lower, nullptr);
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

  void go_to(Walk& walk, int level) const {
    walk.level = level;
    walk.position = core_.lattice().locate(walk.x, level);
  }

  // One step of the descent: true if the walk has arrived at the leaf, which is this cell, with `answer` filled in;
  // otherwise it has gone deeper. cell: nullptr if one of its corners failed.
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

  // False if a walk that has arrived goes deeper all the same, for what is seen at other places in its cell; `answer`
  // has that error. called: set if f was; null: it must not be.
  bool stays(Walk& walk, const Cell* cell, Answer& answer, bool* called) const {
    return settled(*cell, answer) || stays_seen_inside(walk, *cell, answer, called);
  }
  bool settled(const Cell& cell, const Answer& answer) const {
    return !tolerance_ || !is_measured(answer) || SpotLooks<Dim>::settled(cell);  // without an error perhaps no cell
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

  bool needs_surplus(const Walk& walk, const Cell& cell) const {
    return tolerance_ && !walk.certified && !cell.mixed && walk.level < deepest() && cell.surplus() == nullptr &&
           !rule().accept_unmeasured(walk.learnt, walk.level);
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
  bool ahead_;
  bool certified_;
};

}  // namespace quoin::grid_detail
