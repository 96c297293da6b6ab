// SPDX-License-Identifier: BSD-3-Clause
// The error that leaf_search.hpp states for the cell that it has found.
#pragma once

#include "quoin/grid/certificate.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/descent_state.hpp"
#include "quoin/grid/detail/query/flatness.hpp"
#include "quoin/grid/detail/query/refinement.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace quoin::grid_detail {

/// Whether an error was measured, of which something may be unseen.
inline bool is_measured(const Answer& answer) {
  return answer.trust == Trust::estimated || answer.trust == Trust::indicated;
}

/// A cell's error, from a certificate, from its surplus, or from known corners around it. Calls no f.
template <int Dim>
class ErrorEstimates {
 public:
  using Field = JetField<Dim>;

  /// Keeps references.
  ErrorEstimates(const GridCore<Dim>& core, Field& field) : core_(core), field_(field) {}

  /// Of f over a cell, by GridOptions::fourth_derivatives.
  FourthDerivativeBounds<Dim> fourth_derivatives(int level, const Address<Dim>& lower) const {
    const Lattice<Dim>& lattice = core_.lattice();
    Address<Dim> upper = lower;
    for (std::int64_t& i : upper) i += lattice.stride(level);
    return core_.options().fourth_derivatives(lattice.point(lower), lattice.point(upper));
  }

  /// Bounds at a place in a cell, from these.
  CertifiedError bounds(int level, const Address<Dim>& lower, const Point<Dim>& t) const {
    return certified_error<Dim>(fourth_derivatives(level, lower), core_.lattice().spacing(level), t);
  }

  /// The same as an answer; unchecked if a bound is missing.
  Answer certified(int level, const CellPosition<Dim>& position) const {
    const CertifiedError error = bounds(level, position.lower, position.t.cwiseMax(0.0).cwiseMin(1.0));
    if (!std::isfinite(error.value)) return {.trust = Trust::unchecked, .level = level};
    return {.trust = Trust::certified, .level = level, .error = error.value, .jacobian_error = error.jacobian};
  }

  /// The value errs most near the middle of a cell, where it is measured; the Jacobian errs most elsewhere, for the
  /// leading terms of the error by at most 4/h times the value's. Beside the middle either may err by a little more.
  ErrorEstimate measured(int level, const Surplus& surplus) const {
    const double h = core_.lattice().spacing(level).minCoeff();
    const double value =
        beside_centre * std::max(surplus.value, surplus.seen_by_corners) + rounding() * surplus.magnitude;
    return {.value = std::max(value, beside_centre * surplus.scaled_jacobian),
            .jacobian = beside_centre * surplus.jacobian + 4 / h * value,
            .repeatable = core_.function().traits().repeatable_to * surplus.scale};
  }

  /// The errors along axes of a cell that its measurement would accept, at a limit: beside the coarser cell that the
  /// descent has measured; else as large as the cell leaves room for, or, if that is above the limit, from f in the
  /// middle of edges; NaN if that is not known and f is not to be called.
  double along_axes(const DescentState<Dim>& state, const typename Field::Cell& cell, double limit,
                    const Means& means) const {
    const Address<Dim>& lower = state.position.lower;
    // A descent that has stepped aside has not measured the coarser cell around this one, but others may have.
    if (state.learnt.level >= 0 && !state.aside)
      return field_.errors_along_axes(state.level, lower, cell, state.learnt.level);
    const double room = field_.room_along_axes(state.level, cell);
    if (beside_centre * room <= limit) return room;
    return field_.errors_along_edges(state.level, lower, cell, means.edges ? means.called : nullptr);
  }

  /// Makes a measured error that along axes, if this is larger, or not a number.
  void include(double along_axes, int level, ErrorEstimate& measured) const {
    const double value = beside_centre * along_axes;
    if (value <= measured.value) return;
    measured.jacobian += 4 / core_.lattice().spacing(level).minCoeff() * (value - measured.value);
    measured.value = value;
  }

  /// The rounding error, which no depth can reduce: of a surplus that is as large as the rounding.
  double floor(const Surplus& surplus) const { return (beside_centre + 1) * rounding() * surplus.magnitude; }

  /// The error of the cell around x at a level, with its corners on one branch, from known corners: those of its
  /// surplus, its own, or those of its parent's surplus. NaN if none of these are known.
  ErrorEstimate known(const Point<Dim>& x, int level, const Address<Dim>& lower,
                      const typename Field::Cell& cell) const {
    const double beside_parent = level == 0 ? 0 : field_.errors_along_axes(level, lower, cell, level - 1);
    const double along_axes = beside_parent > 0 ? beside_parent : field_.room_along_axes(level, cell);
    ErrorEstimate error;
    if (const auto surplus = field_.find_surplus(level, lower, cell))
      error = measured(level, *surplus);
    else if (field_.interpolant().order() >= 2)  // the error is at most about the next term of a series
      return 2 * measured(level, field_.surplus_of_corners(level, cell));
    else
      error = from_parent(x, level);
    if (!std::isnan(error.value)) include(along_axes, level, error);
    return error;
  }

  /// True if what cells around x say hardly differs from known corners, on this level and on all above it: so it is for
  /// what has the period of an edge, too.
  bool are_flat(const Point<Dim>& x, int level) const {
    for (; level >= 0; --level) {
      const Address<Dim> lower = core_.lattice().locate(x, level).lower;
      const auto* cell = field_.find_cell(level, lower);
      if (cell == nullptr || cell->mixed) continue;
      const int order = field_.interpolant().order();
      const auto [values, terms] =
          values_and_terms<Dim>(unpacked(field_.jets(*cell)), order, core_.lattice().spacing(level), field_.norm());
      if (order >= 2) {  // what is resolved on level 0 would look flat by its surplus
        if (terms > flat_part * values && values > rounded_part * terms) return false;
        continue;
      }
      const auto known = field_.find_surplus(level, lower, *cell);
      if (known && known->value > flat_part * known->magnitude &&
          std::max(values, known->magnitude) > rounded_part * terms)
        return false;
    }
    return true;
  }

  /// How high f jumps between the corners of a cell around x, as they and those of the cell `above` show.
  double jump(const Point<Dim>& x, int level, const typename Field::Cell& cell, int above) const {
    return field_.jump_between_corners(level, cell, above, core_.lattice().locate(x, above).lower);
  }

  /// An estimate as an answer, which errs by what f does not repeat too; unchecked if it is not finite. Of multilinear
  /// cells it is a hint: where second derivatives have different signs, errors at the centre cancel. tolerance: that
  /// holds the answer, whatever is estimated.
  Answer estimated(int level, const ErrorEstimate& error,
                   double tolerance = std::numeric_limits<double>::infinity()) const {
    if (!std::isfinite(error.value)) return {.trust = Trust::unchecked, .level = level};
    const double h = core_.lattice().spacing(level).minCoeff();
    Answer answer{.trust = Trust::estimated,
                  .level = level,
                  .error = error.value + error.repeatable,
                  .jacobian_error = error.jacobian + 4 / h * error.repeatable};
    if (!field_.has_own_jacobians()) state_without_jacobians(answer, error, tolerance);
    return answer;
  }

 private:
  // Of the outputs' norm: that of sums, and that of the jets that are summed.
  double rounding() const { return 16 * std::numeric_limits<double>::epsilon() + 2 * core_.format().rounding; }
  // Chosen by measurement (docs/notes/accuracy.md): with 1 some 3 % of the answers err by more than their estimate.
  static constexpr double beside_centre = 1.5;
  // Errors of differenced gradients cancel at the centre: without this 4 % of the answers err by more, by up to 1.4.
  static constexpr double of_differences = 1.4;

  [[gnu::noinline]] void state_without_jacobians(Answer& answer, const ErrorEstimate& error, double tolerance) const {
    if (field_.interpolant().order() == 0)
      answer.trust = Trust::indicated;
    else
      answer.error = std::min(of_differences * error.value, std::max(error.value, tolerance)) + error.repeatable;
  }

  ErrorEstimate from_parent(const Point<Dim>& x, int level) const {
    if (level == 0) return {};
    const int above = level - 1;
    const Address<Dim> lower = core_.lattice().locate(x, above).lower;
    const auto* cell = field_.find_cell(above, lower);
    if (cell == nullptr || cell->mixed) return {};
    const auto surplus = field_.find_surplus(above, lower, *cell);
    if (!surplus) return {};
    const Refinement::Learnt learnt{.level = above, .error = measured(above, *surplus), .of_order = true};
    const Refinement order(std::numeric_limits<double>::infinity(), field_.interpolant().order(), true);
    return 2 * Refinement::safety * order.predicted(learnt, level);  // nothing has shown that the order is kept
  }

  const GridCore<Dim>& core_;
  Field& field_;
};

}  // namespace quoin::grid_detail
