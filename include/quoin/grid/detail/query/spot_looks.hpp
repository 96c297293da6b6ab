// SPDX-License-Identifier: BSD-3-Clause
// The comparisons of SpotChecks: a cell, or a path, against f at places that are no corners.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/error_estimates.hpp"
#include "quoin/grid/detail/query/spot_checks.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/request.hpp"

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
    SpotChecks<Dim>& checks = core_.spot_checks();
    const bool all = checks.contradicted();
    if (all && cell.at_spots() != nullptr) return cell.at_spots();
    if (called == nullptr || settled(cell) || !may_look()) return nullptr;
    std::pair looks{0, SpotChecks<Dim>::places};
    if (!all) {
      if (cell.noted.fetch_or(has_answered, std::memory_order_relaxed) & has_answered) return nullptr;
      looks = checks.looks_due(answer.level, lower, field_.newly_flat(answer.level, cell, tolerance));
    }
    if (looks.first == looks.second) return nullptr;
    const ErrorEstimates<Dim> errors(core_, field_);
    Surplus seen;
    const auto look = [&](int number) {
      const Point<Dim> t = SpotChecks<Dim>::place(lower, number);
      const Point<Dim> x = core_.lattice().point(lower) + t.cwiseProduct(core_.lattice().spacing(answer.level));
      const auto jet = jet_at(x, cell.branch);
      if (!jet) return;
      field_.compare(answer.level, cell, t, *jet, seen);
      compare(lower, std::max(answer.error, errors.floor(seen)), seen.value, tolerance);
    };
    *called = true;
    for (int number = looks.first; number < looks.second; ++number) look(number);
    if (checks.contradicted() && !all)  // as all others from now on
      for (int number = 0; number < SpotChecks<Dim>::places; ++number)
        if (number < looks.first || number >= looks.second) look(number);
    if (!checks.contradicted()) return nullptr;  // it answers as if nobody had looked
    field_.keep_spots(cell, seen);
    return cell.at_spots();
  }

  /// Takes away what known corners say of the error at x, if a query to a tolerance would look into this cell and may
  /// find what they do not tell: f is not what it looks like somewhere, or looks flat here, and nobody has seen that it
  /// is.
  void forget_unseen(const Point<Dim>& x, const Cell& cell, Answer& answer) const {
    if (!is_measured(answer) || settled(cell) || !may_look()) return;
    const bool unseen =
        core_.spot_checks().contradicted() ? cell.at_spots() == nullptr : is_flat_and_unseen(x, answer.level);
    if (unseen) answer = {.trust = Trust::unchecked, .level = answer.level};
  }

  /// True if what cells around x say hardly differs from known corners, and nobody has looked beside these.
  bool is_flat_and_unseen(const Point<Dim>& x, int level) const {
    return !core_.spot_checks().agreed(core_.lattice().locate(x, level).lower) &&
           ErrorEstimates<Dim>(core_, field_).are_flat(x, level);
  }

  /// What a level says of the error along points (Dim x M) that it has answered; now and then against f at one of them,
  /// away from faces and middle of its cell. flat: levels hardly differ there; nothing is said then if nobody has
  /// looked yet, nor can here. Trust::indicated if what was seen there is said.
  Answer along(int level, const Eigen::Ref<const Eigen::MatrixXd>& X, Answer said, bool flat) const {
    SpotChecks<Dim>& checks = core_.spot_checks();
    if (!(said.error >= 0)) return said;
    const auto unseen = [&] {
      const auto agreed = [&](const auto& x) { return checks.agreed(core_.lattice().locate(x, level).lower); };
      if (!flat || checks.contradicted() || std::ranges::all_of(X.colwise(), agreed)) return said;
      return Answer{.trust = Trust::unchecked, .level = level};
    };
    if (!may_look() || !checks.due_after(core_.evaluations(), flat)) return unseen();
    const std::optional<Point<Dim>> place = place_along(level, X);
    if (!place) return unseen();
    const CellPosition<Dim> position = core_.lattice().locate(*place, level);
    const Cell* cell = field_.find_cell(level, position.lower);
    const auto jet = cell != nullptr && !cell->mixed ? jet_at(*place, cell->branch) : std::nullopt;
    if (!jet) return unseen();
    Surplus seen;
    field_.compare(level, *cell, position.t, *jet, seen);
    compare(position.lower, far_above * std::max(said.error, ErrorEstimates<Dim>(core_, field_).floor(seen)),
            seen.value, std::nullopt);
    if (seen.value > said.error) {  // other places may be worse
      const ErrorEstimate measured = ErrorEstimates<Dim>(core_, field_).measured(level, seen);
      said.trust = Trust::indicated;
      said.error = measured.value;
      said.jacobian_error = std::max(said.jacobian_error, measured.jacobian);
    }
    return said;
  }

 private:
  static constexpr double far_above = 10;  // beside kinks errors along a path are a few times what is said

  // There may be no f; and within a call of f its queries might ask for the same again.
  bool may_look() const { return core_.function().exists() && Request::current() == nullptr; }

  void compare(const Address<Dim>& lower, double stated, double observed, std::optional<double> tolerance) const {
    if (core_.spot_checks().compare(lower, stated, observed, tolerance)) core_.look_everywhere();
  }

  // Of these points the one at which an error shows best, by its distance from faces and middle of its cell; chance
  // decides among those that lie well, so that a period of a part of the edge fits none. Nothing if all lie on faces.
  std::optional<Point<Dim>> place_along(int level, const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    std::optional<Point<Dim>> best;
    double most = 0.02;
    for (const Point<Dim> x : X.colwise()) {
      const CellPosition<Dim> at = core_.lattice().locate(x, level);
      const Point<Dim> from_middle = (at.t - Point<Dim>::Constant(0.5)).cwiseAbs();
      const double far = std::min(from_middle.minCoeff(), 0.5 - from_middle.maxCoeff());
      const double merit = far > 0.1 ? 1 + SpotChecks<Dim>::chance(x) : far;
      if (!at.inside || merit <= most) continue;
      most = merit;
      best = x;
    }
    return best;
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
