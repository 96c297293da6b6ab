// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/solution_branch.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

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

namespace studies {

/// Where a body comes to rest under x when it starts from y, at a fold that it was pushed over; none if that is not
/// known. Descent in energy, or damped motion until it rests.
template <int Dim>
using Relaxation = std::function<std::optional<Eigen::VectorXd>(const Point<Dim>& x, const Eigen::VectorXd& y)>;

/// A body's state of rest: the branch that it is on, and x. The rest follows from these.
template <int Dim>
struct BranchState {
  int branch = 0;  ///< its position among the maps of the path
  Point<Dim> x;    ///< where it rests
};

/// A passage from one branch to another.
template <int Dim>
struct SnapThrough {
  /// Branches, as BranchState::branch.
  int from = 0, to = 0;
  Point<Dim> before, after;  ///< the last point answered on the branch left, and where it landed
};

/// How a motion ended.
enum class HysteresisStatus {
  arrived,
  lost,            ///< the branch ended, and what the body landed on is none of the branches
  outside_domain,  ///< the way leaves the domain of a branch
};

/// How far a motion came, and where it snapped.
template <int Dim>
struct HysteresisResult {
  HysteresisStatus status = HysteresisStatus::arrived;  ///< arrived, or why not
  BranchState<Dim> state;                               ///< where it arrived, or was last
  std::vector<SnapThrough<Dim>> snaps = {};             ///< in the order of the motion
};

/// How finely a motion is followed.
template <int Dim>
struct HysteresisOptions {
  Point<Dim> step = Point<Dim>::Ones();  ///< the branch is asked at least this often, per axis
  double fold_tolerance = 1e-6;          ///< to which a fold is bracketed, in steps
  double overshoot = 1e-3;               ///< how far behind its fold a body lands, in steps: at the fold it lingers
  double relaxation_tolerance = 0.1;     ///< distance from a branch to be on it, relative to the length of the snap
};

/// Quasi-static motion with hysteresis, on surrogates: while x moves the body follows its branch; where the branch ends
/// it snaps, lands, and follows on the branch that it landed on.
///
///     HysteresisPath<2, quoin::GridView<2>> path({up.at_level(1), down.at_level(1)}, relax);
///     auto pushed = path.move({.branch = 0, .x = {0, 0}}, {15, 0});  // snaps[0]: 0 -> 1, where
///     auto back = path.move(pushed.state, {0, 0});                   // on branch 1 as long as it lasts
///
/// A branch ends where its map has no answer (Trust::failed). Grids over a SolutionBranch with
/// FailurePolicy::call_function end at its fold, others at the last cell whose corners all exist. `relax` is called
/// once a snap, with the last answer in front of the fold; the branch nearest to what it returns is taken, if it is
/// near enough. Immutable.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class HysteresisPath {
 public:
  /// The maps: one a branch, of one size. Throws std::invalid_argument, with the numbers, if they or the options do not
  /// fit.
  HysteresisPath(std::vector<Map> branches, Relaxation<Dim> relax, const HysteresisOptions<Dim>& options = {})
      : branches_(std::move(branches)), relax_(std::move(relax)), options_(options) {
    if (branches_.empty() || !relax_) throw std::invalid_argument("HysteresisPath: no branches, or no landing");
    for (const Map& branch : branches_)
      if (branch.output_size() != branches_[0].output_size())
        throw std::invalid_argument("HysteresisPath: branches of " + to_text(branches_[0].output_size()) + " and of " +
                                    to_text(branch.output_size()) + " outputs");
    if (!(options_.step.array() > 0).all())
      throw std::invalid_argument("HysteresisPath: step " + to_text(options_.step) + " must be positive");
    const OptionsOf of{"HysteresisPath"};
    of.positive("fold_tolerance", options_.fold_tolerance);
    of.positive("overshoot", options_.overshoot);
    of.positive("relaxation_tolerance", options_.relaxation_tolerance);
  }

  /// The maps that were given.
  const std::vector<Map>& branches() const { return branches_; }

  /// Moves x straight to `target`. Throws std::invalid_argument if the branch named has no answer at the start, and
  /// what maps and landing throw.
  HysteresisResult<Dim> move(const BranchState<Dim>& start, const Point<Dim>& target) const {
    HysteresisResult<Dim> result{.state = start};
    BranchState<Dim>& state = result.state;
    Eigen::VectorXd y;
    if (start.branch < 0 || static_cast<std::size_t>(start.branch) >= branches_.size() || !ask(state, y).has_value())
      throw std::invalid_argument("HysteresisPath: no answer on branch " + to_text(start.branch) + " at " +
                                  to_text(start.x));
    while (state.x != target) {
      const Point<Dim> way = target - state.x;
      const double steps = std::max(1.0, steps_in(way));
      BranchState<Dim> next{state.branch, steps > 1 ? Point<Dim>(state.x + way / steps) : target};
      const Answer answer = ask(next, y);
      if (answer.has_value()) {
        state = next;
        continue;
      }
      if (answer.trust == Trust::outside) {
        result.status = HysteresisStatus::outside_domain;
        return result;
      }
      approach_fold(state, next.x, y);
      const Point<Dim> onwards = target - next.x;
      const double left = steps_in(onwards);
      next.x = left > options_.overshoot ? Point<Dim>(next.x + options_.overshoot / left * onwards) : target;
      const std::optional<int> landed = branch_landed_on(next.x, y);
      if (!landed) {
        result.status = HysteresisStatus::lost;
        return result;
      }
      result.snaps.push_back({state.branch, *landed, state.x, next.x});
      state = {*landed, next.x};
    }
    return result;
  }

 private:
  Answer ask(const BranchState<Dim>& state, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return try_evaluate<Dim>(branches_[static_cast<std::size_t>(state.branch)], state.x, y, J);
  }

  double steps_in(const Point<Dim>& way) const { return way.cwiseQuotient(options_.step).cwiseAbs().maxCoeff(); }

  // Halves the way between the last point answered and the first that is not. y: the last answer.
  void approach_fold(BranchState<Dim>& state, Point<Dim>& beyond, Eigen::VectorXd& y) const {
    while (steps_in(beyond - state.x) > options_.fold_tolerance) {
      const BranchState<Dim> middle{state.branch, (state.x + beyond) / 2};
      if (middle.x == state.x || middle.x == beyond) break;
      if (ask(middle, y).has_value())
        state = middle;
      else
        beyond = middle.x;
    }
    ask(state, y);
  }

  // On another branch than the one that has just ended here, which has no answer.
  std::optional<int> branch_landed_on(const Point<Dim>& x, const Eigen::VectorXd& y) const {
    const std::optional<Eigen::VectorXd> landed = relax_(x, y);
    if (!landed) return std::nullopt;
    std::optional<int> nearest;
    double least = options_.relaxation_tolerance * (*landed - y).norm();
    Eigen::VectorXd there;
    for (int branch = 0; branch < static_cast<int>(branches_.size()); ++branch) {
      if (!ask({branch, x}, there).has_value()) continue;
      const double distance = (there - *landed).norm();
      if (!(distance <= least)) continue;
      least = distance;
      nearest = branch;
    }
    return nearest;
  }

  std::vector<Map> branches_;
  Relaxation<Dim> relax_;
  HysteresisOptions<Dim> options_;
};

}  // namespace studies
