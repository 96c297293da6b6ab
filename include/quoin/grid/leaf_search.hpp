// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/certificate.hpp"
#include "quoin/grid/grid_state.hpp"
#include "quoin/grid/refinement.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// Where an answer comes from: a cell, or (by policy) a call of f.
template <int Dim>
struct Place {
  Answer answer;
  Point<Dim> x;  ///< the query point, or the nearest point of the domain
  const typename JetField<Dim>::Cell* cell = nullptr;
  Point<Dim> t;             ///< place in the cell
  int nearest_corner = -1;  ///< of the cell, if its jet alone answers
  Eigen::MatrixXd called;   ///< jet of f at x, if f was called there

  /// One sweep over the cell's corners gives the answer.
  bool plain() const { return cell != nullptr && answer.trust != Trust::extended; }
};

/// Finds the leaf, the cell that answers at a point, and has its missing corners evaluated. In level mode it is the
/// cell of one level; in tolerance mode the search starts at level 0 and goes as deep as Refinement says, or as a
/// certificate asks for. Either way a cell whose corners lie on different branches of f is split, and the policies for
/// failures, branches and points outside are followed. The leaf is a pure function of f, the options, the level or
/// tolerance, and x.
template <int Dim>
class LeafSearch {
 public:
  using Field = JetField<Dim>;
  using Cell = typename Field::Cell;

  LeafSearch(GridState<Dim>& state, Field& field, int level, std::optional<double> tolerance)
      : state_(state),
        field_(field),
        level_(level),
        tolerance_(tolerance),
        certified_(state.options().fourth_derivatives && &field == &state.answering()) {}

  /// Finds the leaf; `called` is set if something had to be evaluated. Throws DomainError and CornerFailure if
  /// `throwing`, and always std::invalid_argument for a tolerance below what f can repeat at the points measured.
  Place<Dim> find(const Point<Dim>& x, const char* who, bool throwing, bool& called) const {
    Place<Dim> place;
    Walk walk = start(x, who, throwing);
    place.x = walk.x;
    place.answer.level = walk.level;
    if (!walk.position.inside) {
      place.answer.trust = Trust::outside;
      return place;
    }
    try {
      for (bool found = false; !found;) {
        place.cell = field_.find_cell(walk.level, walk.position.lower);
        const Corner* failed = nullptr;
        if (place.cell == nullptr) {
          called = true;
          place.cell = field_.require_cell(asked(walk.level), walk.position.lower, &failed);
        }
        note(walk, place.cell);
        place.t = walk.position.t;
        place.answer.level = walk.level;
        if (place.cell == nullptr) {
          answer_failed(place, walk.level, *failed, throwing);
          found = true;
        } else if (place.cell->mixed) {
          found = !split(walk);
          if (found) answer_mixed(place, throwing);
        } else {
          found = judge(walk, *place.cell, called, place.answer);
        }
      }
    } catch (const CornerFailure&) {
      if (throwing) throw;
      place.cell = nullptr;
      place.answer = {.trust = Trust::failed, .level = walk.level};
    }
    if (place.x != x && place.answer.has_value())
      place.answer = {.trust = Trust::extended, .level = place.answer.level};
    return place;
  }

  /// Has the missing corners of the leaves of these points (Dim x M), and of the cells on the way to them, evaluated in
  /// batches. Corners that fail are kept as failed. Throws DomainError for a point outside if `find` would.
  void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    std::vector<Walk> walks;
    for (Eigen::Index m = 0; m < X.cols(); ++m)
      if (Walk walk = start(X.col(m), "prepare", true); walk.position.inside) walks.push_back(std::move(walk));
    while (!walks.empty()) {
      Missing missing(state_.lattice().deepest_level() + 1);
      for (const Walk& walk : walks)
        if (!field_.find_cell(walk.level, walk.position.lower))
          for (const Address<Dim>& address : field_.cell_addresses(walk.level, walk.position.lower))
            missing[walk.level].push_back(address);
      require(missing);

      std::vector<const Cell*> cells;
      for (const Walk& walk : walks) {
        cells.push_back(field_.require_cell(asked(walk.level), walk.position.lower, nullptr));
        note(walk, cells.back());
        if (cells.back() && needs_surplus(walk, *cells.back()))
          field_.list_surplus_corners(walk.level, walk.position.lower, generations(), missing);
      }
      require(missing);

      std::vector<Walk> onward;
      for (std::size_t m = 0; m < walks.size(); ++m) {
        bool called = false;
        Answer answer;
        if (cells[m] == nullptr) continue;
        if (cells[m]->mixed ? split(walks[m]) : !judge(walks[m], *cells[m], called, answer))
          onward.push_back(std::move(walks[m]));
      }
      walks = std::move(onward);
    }
  }

  /// What is known of the error at x without calling f, hence not a function of x alone. Throws DomainError for a point
  /// outside if `find` would.
  Answer estimate(const Point<Dim>& x) const {
    Walk walk = start(x, "error_estimate", true);
    Answer answer{.trust = walk.position.inside ? Trust::unchecked : Trust::outside, .level = walk.level};
    if (walk.position.inside && walk.x != x) return {.trust = Trust::extended, .level = walk.level};
    while (walk.position.inside) {
      answer.level = walk.level;
      const Cell* cell = field_.find_cell(walk.level, walk.position.lower);
      if (cell == nullptr) {  // no surplus, but a certificate needs none
        if (walk.certified) certify(walk, answer);
        break;
      }
      if (cell->mixed) {
        if (!split(walk)) break;
        continue;
      }
      if (walk.certified) {
        certify(walk, answer);
        break;
      }
      const auto surplus = field_.find_surplus(walk.level, walk.position.lower, *cell);
      if (!tolerance_) {
        if (surplus)
          set_estimate(answer, 1, errors(walk.level, *surplus));
        else if (field_.interpolant().order() >= 2)  // of a series' next term the error is at most about all
          set_estimate(answer, 2, errors(walk.level, field_.surplus_of_corners(walk.level, *cell)));
        else
          estimate_from_parent(walk, answer);
        break;
      }
      if (accept_unmeasured(walk, answer)) break;
      if (!surplus) {
        set_estimate(answer, 1, rule().without_measurement(walk.learnt, walk.level));
        break;
      }
      if (accept_measured(walk, *surplus, answer)) break;
    }
    return answer;
  }

 private:
  using Missing = std::vector<std::vector<Address<Dim>>>;  // by level

  // A search on its way down.
  struct Walk {
    Point<Dim> x;  // the point that is asked of the domain
    int level;
    CellPosition<Dim> position;
    bool certified = false;
    int first_mixed = -1;  // level of the first cell with two branches
    Refinement::Learnt learnt = {};
  };

  Refinement rule() const { return {*tolerance_, field_.interpolant().order()}; }
  int generations() const { return state_.options().surplus_generations; }
  int deepest() const { return state_.lattice().deepest_level(); }
  Asked asked(int level) const { return {.level = level, .to_tolerance = tolerance_.has_value()}; }

  // A cell made in level mode is marked, with its corners, when tolerance mode first meets it: trim() keeps them.
  void note(const Walk& walk, const Cell* cell) const {
    if (!tolerance_ || cell == nullptr || cell->in_tolerance_mode.load(std::memory_order_relaxed)) return;
    std::array<const Corner*, Field::cell_corners> corners;
    field_.require_corners(asked(walk.level), field_.cell_addresses(walk.level, walk.position.lower), corners);
    cell->in_tolerance_mode.store(true, std::memory_order_relaxed);
  }

  // x itself, or the nearest point of the domain by policy, at the first cell.
  Walk start(const Point<Dim>& x, const char* who, bool throwing) const {
    const Lattice<Dim>& lattice = state_.lattice();
    Walk walk{.x = x, .level = level_, .position = lattice.locate(x, level_)};
    if (!walk.position.inside && state_.options().outside != OutsidePolicy::throw_error && x.allFinite()) {
      walk.x = x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper());
      walk.position = lattice.locate(walk.x, level_);
    }
    if (!walk.position.inside) {
      if (throwing) lattice.throw_outside(x, who);
      return walk;
    }
    walk.certified = certified_;
    if (!certified_ || !tolerance_) return walk;
    const auto largest_error = [&] { return certificate(walk, Point<Dim>::Constant(0.5)).value; };
    while (walk.level < deepest() && !(largest_error() <= *tolerance_)) go_to(walk, walk.level + 1);  // calls no f
    if (!std::isfinite(largest_error())) {  // a bound is missing: measure
      walk.certified = false;
      go_to(walk, level_);
    }
    return walk;
  }

  void go_to(Walk& walk, int level) const {
    walk.level = level;
    walk.position = state_.lattice().locate(walk.x, level);
  }

  CertifiedError certificate(const Walk& walk, const Point<Dim>& t) const {
    const Lattice<Dim>& lattice = state_.lattice();
    Address<Dim> upper = walk.position.lower;
    for (std::int64_t& i : upper) i += lattice.stride(walk.level);
    return certified_error<Dim>(
        state_.options().fourth_derivatives(lattice.point(walk.position.lower), lattice.point(upper)),
        lattice.spacing(walk.level), t);
  }

  void certify(const Walk& walk, Answer& answer) const {
    const CertifiedError error = certificate(walk, walk.position.t);
    answer = {.trust = Trust::certified, .level = walk.level, .error = error.value, .jacobian_error = error.jacobian};
    if (!std::isfinite(error.value)) answer = {.trust = Trust::unchecked, .level = walk.level};
  }

  // The value errs most in the middle of a cell, where it is measured; the Jacobian errs most elsewhere, for the leading
  // terms of the error by at most 4/h of the value's.
  ErrorEstimate errors(int level, const Surplus& surplus) const {
    const double h = state_.lattice().spacing(level).minCoeff();
    const double value = std::max(surplus.value, surplus.corners) + rounding * surplus.magnitude;
    return {.value = std::max(value, surplus.scaled_jacobian), .jacobian = surplus.jacobian + 4 / h * value};
  }

  static void set_estimate(Answer& answer, double factor, const ErrorEstimate& error) {
    answer.trust = std::isfinite(error.value) ? Trust::estimated : Trust::unchecked;
    if (answer.trust == Trust::unchecked) return;
    answer.error = factor * error.value;
    answer.jacobian_error = factor * error.jacobian;
  }

  bool accept_unmeasured(const Walk& walk, Answer& answer) const {
    const auto error = rule().accept_unmeasured(walk.learnt, walk.level);
    if (error) set_estimate(answer, 1, *error);
    return error.has_value();
  }

  // Takes in a measurement: true if the cell is a leaf, else the walk has gone deeper.
  bool accept_measured(Walk& walk, const Surplus& surplus, Answer& answer) const {
    const double repeatable = state_.function().traits().repeatable_to * surplus.scale;
    if (*tolerance_ < repeatable) refuse(repeatable);
    const ErrorEstimate measured = errors(walk.level, surplus);
    const double floor = 2 * rounding * surplus.magnitude;
    if (rule().accept(measured, floor)) {
      set_estimate(answer, 1, measured);
      return true;
    }
    go_to(walk, std::min(walk.level + rule().deeper(walk.learnt, walk.level, measured, floor), deepest()));
    return false;
  }

  [[noreturn]] void refuse(double repeatable) const {
    std::ostringstream text;
    text << "AdaptiveGrid<" << Dim << ">: tolerance " << *tolerance_ << " is below " << repeatable
         << ", to which f can repeat its answers here (FunctionTraits::repeatable_to)";
    throw std::invalid_argument(text.str());
  }

  bool needs_surplus(const Walk& walk, const Cell& cell) const {
    return tolerance_ && !walk.certified && !cell.mixed && walk.level < deepest() &&
           cell.surplus.load(std::memory_order_acquire) == nullptr &&
           !rule().accept_unmeasured(walk.learnt, walk.level);
  }

  // True if the cell, whose corners lie on one branch, is the leaf; else the walk has gone deeper.
  bool judge(Walk& walk, const Cell& cell, bool& called, Answer& answer) const {
    answer.level = walk.level;
    if (walk.certified) {
      certify(walk, answer);
      return true;
    }
    if (!tolerance_) return true;
    if (accept_unmeasured(walk, answer)) return true;
    if (walk.level == deepest()) {
      set_estimate(answer, 1, rule().without_measurement(walk.learnt, walk.level));
      return true;
    }
    if (cell.surplus.load(std::memory_order_acquire) == nullptr) called = true;
    return accept_measured(walk, field_.require_surplus(walk.level, walk.position.lower, cell, generations()), answer);
  }

  void estimate_from_parent(const Walk& walk, Answer& answer) const {
    if (walk.level == 0) return;
    Walk parent = walk;
    go_to(parent, walk.level - 1);
    const Cell* cell = field_.find_cell(parent.level, parent.position.lower);
    if (cell == nullptr || cell->mixed) return;
    const auto surplus = field_.find_surplus(parent.level, parent.position.lower, *cell);
    if (!surplus) return;
    const Refinement::Learnt learnt{.level = parent.level, .error = errors(parent.level, *surplus), .of_order = true};
    const Refinement order(std::numeric_limits<double>::infinity(), field_.interpolant().order());
    set_estimate(answer, Refinement::safety, order.predicted(learnt, walk.level));
  }

  // Goes one level deeper into a cell with two branches; false if it shall be split no further.
  bool split(Walk& walk) const {
    if (walk.first_mixed < 0) walk.first_mixed = walk.level;
    if (walk.level - walk.first_mixed >= state_.options().branch_splits || walk.level >= deepest()) return false;
    walk.learnt = {};
    go_to(walk, walk.level + 1);
    return true;
  }

  void answer_mixed(Place<Dim>& place, bool throwing) const {
    switch (state_.options().on_branches) {
      case BranchPolicy::nearest_corner:
        place.nearest_corner = 0;
        for (int i = 0; i < Dim; ++i)
          if (place.t[i] > 0.5) place.nearest_corner |= 1 << i;
        place.answer.trust = Trust::nearest_branch;
        return;
      case BranchPolicy::call_function: {
        const std::string reason = call_function(place);
        if (throwing && place.answer.trust == Trust::failed) throw_failure(reason);
        return;
      }
      case BranchPolicy::throw_error:
        place.answer.trust = Trust::failed;
        place.cell = nullptr;
        if (throwing) throw_failure("f changes its branch within the cell around " + Field::describe(place.x));
        return;
    }
  }

  // A corner failed: answers by policy.
  void answer_failed(Place<Dim>& place, int wanted, const Corner& failed, bool throwing) const {
    place.answer = {.trust = Trust::failed, .level = wanted};
    std::string reason = failed.reason;
    if (state_.options().on_failure == FailurePolicy::coarser) {
      for (int level = wanted - 1; level >= 0 && place.cell == nullptr; --level) {
        const CellPosition<Dim> position = state_.lattice().locate(place.x, level);
        place.cell = field_.require_cell(asked(level), position.lower, nullptr);
        if (place.cell && place.cell->mixed) place.cell = nullptr;
        place.t = position.t;
        if (place.cell) place.answer = {.trust = Trust::coarser, .level = level};
      }
    } else if (state_.options().on_failure == FailurePolicy::call_function) {
      reason = call_function(place);
    }
    if (throwing && place.answer.trust == Trust::failed) throw_failure(reason);
  }

  // Answers with f at the point; the reason if it fails.
  std::string call_function(Place<Dim>& place) const {
    place.cell = nullptr;
    const Lattice<Dim>& lattice = state_.lattice();  // a point within the slack of a bound counts as inside
    CornerSample<Dim> sample = state_.call_function_at(place.x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper()));
    if (sample.jet.size() == 0) {
      place.answer.trust = Trust::failed;
      return "called at the query point: " + sample.reason;
    }
    place.called = field_.transform(std::move(sample.jet));
    place.answer = {.trust = Trust::exact, .level = place.answer.level, .error = 0, .jacobian_error = 0};
    return {};
  }

  [[noreturn]] static void throw_failure(const std::string& reason) {
    throw CornerFailure("AdaptiveGrid<" + std::to_string(Dim) + ">: " + reason);
  }

  void require(Missing& missing) const {
    for (int level = 0; level < static_cast<int>(missing.size()); ++level) {
      std::vector<Address<Dim>>& addresses = missing[level];
      if (addresses.empty()) continue;
      std::sort(addresses.begin(), addresses.end());
      addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
      std::vector<const Corner*> corners(addresses.size());
      field_.require_corners(asked(level), addresses, corners);
      addresses.clear();
    }
  }

  static constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();  // of the outputs' norm

  GridState<Dim>& state_;
  Field& field_;
  int level_;
  std::optional<double> tolerance_;
  bool certified_;
};

}  // namespace quoin
