// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/options_of.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin {

/// Where a body comes to rest under x when it starts from y, at a fold that it was pushed over; none if that is not
/// known. Descent in energy, or damped motion until it rests.
template <int Dim>
using Landing = std::function<std::optional<Eigen::VectorXd>(const Point<Dim>& x, const Eigen::VectorXd& y)>;

/// A body's state of rest: the sheet that it is on, and x. The rest follows from these.
template <int Dim>
struct Ride {
  int sheet = 0;  ///< its position among the maps of the rider
  Point<Dim> x;   ///< where it rests
};

/// A passage from one sheet to another.
template <int Dim>
struct Snap {
  /// Sheets, as Ride::sheet.
  int from = 0, to = 0;
  Point<Dim> before, after;  ///< the last point answered on the sheet left, and where it landed
};

/// How a motion ended.
enum class RideStatus {
  arrived,
  lost,            ///< the sheet ended, and what the body landed on is none of the sheets
  outside_domain,  ///< the way leaves the domain of a sheet
};

/// How far a motion came, and where it snapped.
template <int Dim>
struct RideResult {
  RideStatus status = RideStatus::arrived;  ///< arrived, or why not
  Ride<Dim> ride;                           ///< where it arrived, or was last
  std::vector<Snap<Dim>> snaps = {};        ///< in the order of the motion
};

/// How finely a motion is followed.
template <int Dim>
struct RideOptions {
  Point<Dim> step = Point<Dim>::Ones();  ///< the sheet is asked at least this often, per axis
  double fold_tolerance = 1e-6;          ///< to which a fold is bracketed, in steps
  double overshoot = 1e-3;               ///< how far behind its fold a body lands, in steps: at the fold it lingers
  double landing_tolerance = 0.1;        ///< distance from a sheet to be on it, relative to the length of the snap
};

/// Quasi-static motion with hysteresis, on surrogates: while x moves the body rides its sheet; where the sheet ends it
/// snaps, lands, and rides on the sheet that it landed on.
///
///     quoin::SheetRider<2, quoin::GridView<2>> rider({up.at_level(1), down.at_level(1)}, land);
///     auto pushed = rider.move({.sheet = 0, .x = {0, 0}}, {15, 0});  // snaps[0]: 0 -> 1, where
///     auto back = rider.move(pushed.ride, {0, 0});                   // on sheet 1 as long as it lasts
///
/// A sheet ends where its map has no answer (Trust::failed). Grids over a Sheet with FailurePolicy::call_function end
/// at its fold, others at the last cell whose corners all exist. `land` is called once a snap, with the last answer in
/// front of the fold; the sheet nearest to what it returns is taken, if it is near enough. Immutable.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class SheetRider {
 public:
  /// The maps: one a sheet, of one size. Throws std::invalid_argument, with the numbers, if they or the options do not
  /// fit.
  SheetRider(std::vector<Map> sheets, Landing<Dim> land, const RideOptions<Dim>& options = {})
      : sheets_(std::move(sheets)), land_(std::move(land)), options_(options) {
    if (sheets_.empty() || !land_) throw std::invalid_argument("SheetRider: no sheets, or no landing");
    for (const Map& sheet : sheets_)
      if (sheet.output_size() != sheets_[0].output_size())
        throw std::invalid_argument("SheetRider: sheets of " + to_text(sheets_[0].output_size()) + " and of " +
                                    to_text(sheet.output_size()) + " outputs");
    if (!(options_.step.array() > 0).all())
      throw std::invalid_argument("SheetRider: step " + to_text(options_.step) + " must be positive");
    const OptionsOf of{"SheetRider"};
    of.positive("fold_tolerance", options_.fold_tolerance);
    of.positive("overshoot", options_.overshoot);
    of.positive("landing_tolerance", options_.landing_tolerance);
  }

  /// The maps that were given.
  const std::vector<Map>& sheets() const { return sheets_; }

  /// Moves x straight to `target`. Throws std::invalid_argument if the sheet named has no answer at the start, and what
  /// maps and landing throw.
  RideResult<Dim> move(const Ride<Dim>& start, const Point<Dim>& target) const {
    RideResult<Dim> result{.ride = start};
    Ride<Dim>& ride = result.ride;
    Eigen::VectorXd y;
    if (start.sheet < 0 || static_cast<std::size_t>(start.sheet) >= sheets_.size() || !ask(ride, y).has_value())
      throw std::invalid_argument("SheetRider: no answer on sheet " + to_text(start.sheet) + " at " + to_text(start.x));
    while (ride.x != target) {
      const Point<Dim> way = target - ride.x;
      const double steps = std::max(1.0, steps_in(way));
      Ride<Dim> next{ride.sheet, steps > 1 ? Point<Dim>(ride.x + way / steps) : target};
      const Answer answer = ask(next, y);
      if (answer.has_value()) {
        ride = next;
        continue;
      }
      if (answer.trust == Trust::outside) {
        result.status = RideStatus::outside_domain;
        return result;
      }
      approach_fold(ride, next.x, y);
      const Point<Dim> onwards = target - next.x;
      const double left = steps_in(onwards);
      next.x = left > options_.overshoot ? Point<Dim>(next.x + options_.overshoot / left * onwards) : target;
      const std::optional<int> landed = sheet_landed_on(next.x, y);
      if (!landed) {
        result.status = RideStatus::lost;
        return result;
      }
      result.snaps.push_back({ride.sheet, *landed, ride.x, next.x});
      ride = {*landed, next.x};
    }
    return result;
  }

 private:
  Answer ask(const Ride<Dim>& ride, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return try_evaluate<Dim>(sheets_[static_cast<std::size_t>(ride.sheet)], ride.x, y, J);
  }

  double steps_in(const Point<Dim>& way) const { return way.cwiseQuotient(options_.step).cwiseAbs().maxCoeff(); }

  // Halves the way between the last point answered and the first that is not. y: the last answer.
  void approach_fold(Ride<Dim>& ride, Point<Dim>& beyond, Eigen::VectorXd& y) const {
    while (steps_in(beyond - ride.x) > options_.fold_tolerance) {
      const Ride<Dim> middle{ride.sheet, (ride.x + beyond) / 2};
      if (middle.x == ride.x || middle.x == beyond) break;
      if (ask(middle, y).has_value())
        ride = middle;
      else
        beyond = middle.x;
    }
    ask(ride, y);
  }

  // On another sheet than the one that has just ended here, which has no answer.
  std::optional<int> sheet_landed_on(const Point<Dim>& x, const Eigen::VectorXd& y) const {
    const std::optional<Eigen::VectorXd> landed = land_(x, y);
    if (!landed) return std::nullopt;
    std::optional<int> nearest;
    double least = options_.landing_tolerance * (*landed - y).norm();
    Eigen::VectorXd there;
    for (int sheet = 0; sheet < static_cast<int>(sheets_.size()); ++sheet) {
      if (!ask({sheet, x}, there).has_value()) continue;
      const double distance = (there - *landed).norm();
      if (!(distance <= least)) continue;
      least = distance;
      nearest = sheet;
    }
    return nearest;
  }

  std::vector<Map> sheets_;
  Landing<Dim> land_;
  RideOptions<Dim> options_;
};

}  // namespace quoin
