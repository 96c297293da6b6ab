// SPDX-License-Identifier: BSD-3-Clause
// The comparisons of SpotChecks: a cell, or a path, against f at places that are no corners.
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/request.hpp"
#include "quoin/grid/detail/error_estimates.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/spot_checks.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

namespace quoin::grid_detail {

/// Looks at f inside cells, for who states their errors.
template <int Dim>
class SpotLooks {
 public:
  using Field = JetField<Dim>;
  using Cell = typename Field::Cell;

  /// Keeps references.
  SpotLooks(GridCore<Dim>& core, Field& field) : core_(core), field_(field) {}

  /// True: nothing is to be looked at in this cell, nor was. One load.
  static bool settled(const Cell& cell) { return cell.noted.load(std::memory_order_relaxed) & has_answered; }

  /// What was seen inside a cell that would answer so; null if it is not its turn. called: set if f was; null: what is
  /// known.
  const Surplus* of_cell(const Answer& answer, const Address<Dim>& lower, const Cell& cell, double tolerance,
                         bool* called) const {
    SpotChecks& checks = core_.spot_checks();
    const bool all = checks.contradicted();
    if (all && cell.at_spots() != nullptr) return cell.at_spots();
    if (called == nullptr || settled(cell) || !may_look()) return nullptr;
    const auto noted =
        all ? cell.noted.load(std::memory_order_relaxed) : cell.noted.fetch_or(has_answered, std::memory_order_relaxed);
    if (!all && (noted & has_answered)) return nullptr;
    const int looks = all ? 2 : checks.looks_due<Dim>(answer.level, lower, noted & looks_flat, noted & looks_constant);
    if (looks == 0) return nullptr;
    const ErrorEstimates<Dim> errors(core_, field_);
    Surplus seen;
    const auto look = [&](std::uint64_t number) {
      const Point<Dim> t = SpotChecks::place<Dim>(lower, number);
      const Point<Dim> x = core_.lattice().point(lower) + t.cwiseProduct(core_.lattice().spacing(answer.level));
      const auto jet = jet_at(x, cell.branch);
      if (!jet) return;
      field_.compare(answer.level, cell, t, *jet, seen);
      compare(std::max(answer.error, errors.floor(seen)), seen.value, matters * tolerance);
    };
    *called = true;
    look(1);
    // One place may lie where the error passes through zero.
    if (looks > 1 || checks.contradicted()) look(2);
    if (!checks.contradicted()) return nullptr;  // it answers as if nobody had looked
    field_.keep_spots(cell, seen);
    return cell.at_spots();
  }

  /// Takes away what known corners say of the error at x, if a query to a tolerance would look into this cell and may
  /// find what they do not tell: f is not what it looks like somewhere, or looks flat here, and nobody has seen that it
  /// is.
  void forget_unseen(const Point<Dim>& x, const Cell& cell, Answer& answer) const {
    if (!is_measured(answer) || settled(cell) || !may_look()) return;
    const SpotChecks& checks = core_.spot_checks();
    const bool unseen = checks.contradicted()
                            ? cell.at_spots() == nullptr
                            : !checks.agreed() && ErrorEstimates<Dim>(core_, field_).are_flat(x, answer.level);
    if (unseen) answer = {.trust = Trust::unchecked, .level = answer.level};
  }

  /// What a level says of the error along points (Dim x M) that it has answered; now and then against f at the one that
  /// lies farthest from the faces and the middle of its cell. flat: levels hardly differ there; nothing is said then if
  /// nobody has looked yet, nor can here. Trust::indicated if what was seen there is said.
  Answer along(int level, const Eigen::Ref<const Eigen::MatrixXd>& X, Answer said, bool flat) const {
    SpotChecks& checks = core_.spot_checks();
    if (!(said.error >= 0)) return said;
    const Answer unseen =
        flat && !checks.agreed() && !checks.contradicted() ? Answer{.trust = Trust::unchecked, .level = level} : said;
    if (!may_look() || !checks.due_after(core_.evaluations(), flat)) return unseen;
    double farthest = 0.02;
    CellPosition<Dim> position;
    Point<Dim> place = Point<Dim>::Zero();
    const Cell* cell = nullptr;
    for (const Point<Dim> x : X.colwise()) {
      const CellPosition<Dim> at = core_.lattice().locate(x, level);
      const Point<Dim> from_middle = (at.t - Point<Dim>::Constant(0.5)).cwiseAbs();
      const double far = std::min(from_middle.minCoeff(), 0.5 - from_middle.maxCoeff());
      if (!at.inside || far <= farthest) continue;
      farthest = far;
      position = at;
      place = x;
      cell = field_.find_cell(level, at.lower);
    }
    const auto jet = cell != nullptr && !cell->mixed ? jet_at(place, cell->branch) : std::nullopt;
    if (!jet) return unseen;
    Surplus seen;
    field_.compare(level, *cell, position.t, *jet, seen);
    compare(far_above * std::max(said.error, ErrorEstimates<Dim>(core_, field_).floor(seen)), seen.value, 0);
    if (seen.value > said.error) {  // other places may be worse
      const ErrorEstimate measured = ErrorEstimates<Dim>(core_, field_).measured(level, seen);
      said.trust = Trust::indicated;
      said.error = measured.value;
      said.jacobian_error = std::max(said.jacobian_error, measured.jacobian);
    }
    return said;
  }

 private:
  static constexpr double matters = 0.1;   // of the tolerance
  static constexpr double far_above = 10;  // beside kinks errors along a path are a few times what is said

  // There may be no f; and within a call of f its queries might ask for the same again.
  bool may_look() const { return core_.function().exists() && Request::current() == nullptr; }

  void compare(double stated, double observed, double from) const {
    if (core_.spot_checks().compare(stated, observed, from)) core_.look_everywhere();
  }

  // Nothing if f fails there or lies on another branch.
  std::optional<Eigen::MatrixXd> jet_at(const Point<Dim>& x, int branch) const {
    CornerSample<Dim> sample = core_.call_function_at(x);
    if (!sample.reason.empty() || sample.branch != branch) return std::nullopt;
    return field_.transform(std::move(sample.jet));
  }

  GridCore<Dim>& core_;
  Field& field_;
};

}  // namespace quoin::grid_detail
