// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/export_type.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>
#include <Eigen/SVD>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin {

/// Solves at x from a prediction of y nearby: y comes with the prediction, N, and leaves with the solution; J: N x Dim,
/// its Jacobian (sized before). False where it finds no solution, or one that is not stable (the least eigenvalue of
/// the tangent stiffness is not positive).
template <int Dim>
using Corrector = std::function<bool(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J)>;

/// A solution on a branch.
template <int Dim>
struct BranchPoint {
  Point<Dim> x;            ///< where it is solved
  Eigen::VectorXd y = {};  ///< N
  Eigen::MatrixXd J = {};  ///< N x Dim
};

/// Where a branch ends on a straight line: between the last point found on it and one beyond.
template <int Dim>
struct LimitPoint {
  BranchPoint<Dim> last;  ///< on the branch
  Point<Dim> beyond;      ///< at most the tolerance away from it, and not on the branch

  /// The unit normal of the fold in the space of x, out of the branch. At a fold J grows in one direction of x alone,
  /// across it: this is the right singular vector of the last J, right to the root of its distance from the fold.
  Point<Dim> normal() const {
    const Point<Dim> across = Eigen::JacobiSVD<Eigen::MatrixXd>(last.J, Eigen::ComputeThinV).matrixV().col(0);
    return across.dot(beyond - last.x) < 0 ? Point<Dim>(-across) : across;
  }
};

/// A point has no solution on the branch that it was asked of.
class QUOIN_EXPORT_TYPE BranchEnded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How continuation goes along a branch, and when it has ended.
template <int Dim>
struct BranchOptions {
  /// Distances of the waypoints, per axis, counted from the seed. Best the spacing of the grid above, with the seed
  /// at a corner: waypoints and corners are then the same points.
  Point<Dim> step = Point<Dim>::Ones();
  /// A step is accepted if the mean of the slopes at its ends explains the change of y to this part of theirs.
  double bend = 0.25;
  /// A step that is not accepted is halved down to this part of the line it is on; there the branch has ended.
  double shortest = 1e-4;
  double seed_error = 1e-3;    ///< by how much the corrector may move the seed, relative to its size
  FunctionTraits traits = {};  ///< of the corrector
};

/// One branch of a function with several answers at a point: the solutions that continuation reaches from a seed
/// without a jump. A DifferentiableMap<Dim>, made to stand under a grid; a query names its branch by naming its grid:
///
///     quoin::SolutionBranch<2> up(correct, {0, 0}, y_up, {.step = spacing});
///     quoin::SolutionBranch<2> down(correct, {0, 0}, y_down, {.step = spacing});
///     quoin::AdaptiveGrid<2> grid_up(up, {.spacing = spacing}), grid_down(down, {.spacing = spacing});
///     auto end = up.end_between({0, 0}, {20, 0}, 1e-6);  // its fold on this line
///
/// The way from the seed to x is a function of x alone: over waypoints of a lattice around the seed, each reached
/// from the next one towards the seed, as straight as the lattice allows, then straight to x. So answers do not depend
/// on what was asked before, to the bit, if the corrector is a pure function. On the way y is predicted by its
/// Jacobian and corrected; a step is accepted by BranchOptions::bend. This admits the square root in front of a fold
/// (up to nine tenths of the distance to it in one step), and no jump, however short the step, unless the jump is
/// smaller than a quarter of what the slopes at its ends explain.
///
/// What lies behind a fold, seen from the seed, has ended too: name it by a seed of its own. All outputs must be what
/// the corrector needs to start; let a functional of the grid choose among them. The norm is Euclidean: scale outputs
/// of different units.
///
/// Copies share waypoints and counts. As safe to call from many threads as the corrector. Keeps N (Dim + 1) numbers a
/// waypoint. A point costs one correction or a few, an end about 2 log2(1 / shortest).
template <int Dim>
class SolutionBranch {
 public:
  /// Throws std::invalid_argument, with the numbers, if the seed is no solution or an option makes no sense.
  SolutionBranch(Corrector<Dim> correct, const Point<Dim>& x, Eigen::VectorXd y, const BranchOptions<Dim>& options = {})
      : shared_(std::make_shared<Shared>(std::move(correct), options)) {
    if (!(options.step.array() > 0).all())
      throw std::invalid_argument("SolutionBranch: step " + to_text(options.step) + " must be positive");
    const OptionsOf of{"SolutionBranch"};
    of.need(options.bend > 0 && options.bend < 1, "bend", options.bend, "positive and below 1");
    of.need(options.shortest > 0 && options.shortest < 1, "shortest", options.shortest, "positive and below 1");
    of.not_negative("seed_error", options.seed_error);
    BranchPoint<Dim> seed{x, y, Eigen::MatrixXd::Zero(y.size(), Dim)};
    const bool solved = y.size() > 0 && shared_->solve(seed);
    if (!solved)
      throw std::invalid_argument("SolutionBranch: no stable solution at " + to_text(x) + " from the seed given");
    if (const double off = (seed.y - y).norm(); !(off <= options.seed_error * seed.y.norm()))
      throw std::invalid_argument("SolutionBranch: the seed at " + to_text(x) + " is off a solution by " +
                                  to_text(off) + ", more than " + to_text(options.seed_error) + " of its size " +
                                  to_text(seed.y.norm()));
    shared_->seed = x;
    shared_->size = y.size();
    shared_->waypoints.emplace(Index{}, std::make_shared<const Reached>(Reached{std::move(seed), std::nullopt}));
  }

  Eigen::Index output_size() const { return shared_->size; }
  FunctionTraits traits() const { return shared_->options.traits; }
  /// Where the branch was named; ways to all points begin there.
  const Point<Dim>& seed() const { return shared_->seed; }
  long corrections() const { return shared_->corrections; }  ///< calls of the corrector so far

  /// The solution at x. Throws BranchEnded where there is none on this branch, and what the corrector throws.
  BranchPoint<Dim> at(const Point<Dim>& x) const {
    const Reached reached = reach(x);
    if (reached.beyond)
      throw BranchEnded("the branch of the seed at " + to_text(seed()) + " has no solution at " + to_text(x) +
                        ": it ends between " + to_text(reached.at.x) + " and " + to_text(*reached.beyond));
    return reached.at;
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    y = at(x).y;
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    BranchPoint<Dim> point = at(x);
    y = std::move(point.y);
    J = std::move(point.J);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    try {
      return evaluate(x, y, J);
    } catch (const BranchEnded&) {
      return {.trust = Trust::failed};
    }
  }

  /// Where the branch ends on the way from a point on it straight to another one, bracketed to `tolerance`, in units of
  /// x; empty if it does not. Throws as at(from), and std::invalid_argument unless the tolerance is positive.
  std::optional<LimitPoint<Dim>> end_between(const Point<Dim>& from, const Point<Dim>& to, double tolerance) const {
    if (!(tolerance > 0)) throw std::invalid_argument("SolutionBranch::end_between: tolerance " + to_text(tolerance));
    BranchPoint<Dim> start = at(from);
    const Point<Dim> way = to - from;
    // In pieces as long as those between waypoints, so that a step is not longer here than there.
    const int pieces =
        std::max(1, static_cast<int>(std::ceil(way.cwiseQuotient(shared_->options.step).cwiseAbs().maxCoeff())));
    for (int i = 1; i <= pieces; ++i) {
      const Point<Dim> next = i == pieces ? to : Point<Dim>(from + static_cast<double>(i) / pieces * way);
      Reached reached = shared_->walk(std::move(start), next, std::min(0.5, tolerance * pieces / way.norm()));
      if (reached.beyond) return LimitPoint<Dim>{std::move(reached.at), *reached.beyond};
      start = std::move(reached.at);
    }
    return std::nullopt;
  }

 private:
  using Index = std::array<long, std::size_t{Dim}>;  // of a waypoint, in steps from the seed

  struct Reached {
    BranchPoint<Dim> at;               // the last point on the branch
    std::optional<Point<Dim>> beyond;  // set if the branch ended before the point asked for
  };

  struct Shared {
    Shared(Corrector<Dim> c, const BranchOptions<Dim>& o) : correct(std::move(c)), options(o) {}

    bool solve(BranchPoint<Dim>& point) {
      ++corrections;
      return correct(point.x, point.y, point.J) && point.y.allFinite() && point.J.allFinite();
    }

    bool step(const BranchPoint<Dim>& from, BranchPoint<Dim>& to) {
      const Point<Dim> dx = to.x - from.x;
      const Eigen::VectorXd slope = from.J * dx;
      to.y = from.y + slope;
      to.J.setZero(from.J.rows(), Dim);
      if (!solve(to)) return false;
      const Eigen::VectorXd slope_there = to.J * dx;
      const double unexplained = (to.y - from.y - (slope + slope_there) / 2).norm();
      const double rounding = 1e-9 * to.y.norm();
      return unexplained <= options.bend * (slope.norm() + slope_there.norm()) / 2 + rounding;
    }

    // Straight to x. shortest: part of this line.
    Reached walk(BranchPoint<Dim> at, const Point<Dim>& x, double shortest) {
      const Point<Dim> from = at.x;
      double done = 0, length = 1;
      bool longer = true;  // no step has failed since the last that was accepted
      BranchPoint<Dim> ahead;
      while (done < 1) {
        const double next = std::min(1.0, done + length);
        ahead.x = next < 1 ? Point<Dim>(from + next * (x - from)) : x;
        if (step(at, ahead)) {
          std::swap(at, ahead);
          done = next;
          if (std::exchange(longer, true)) length *= 2;
        } else if (next - done <= shortest) {
          return {std::move(at), ahead.x};
        } else {
          length = (next - done) / 2;
          longer = false;
        }
      }
      return {std::move(at), std::nullopt};
    }

    Corrector<Dim> correct;
    BranchOptions<Dim> options;
    Point<Dim> seed;
    Eigen::Index size = 0;
    std::atomic<long> corrections = 0;
    ForkSafeMutex mutex;
    std::map<Index, std::shared_ptr<const Reached>> waypoints;
  };

  Point<Dim> waypoint(const Index& index) const {
    Point<Dim> x = seed();
    for (unsigned i = 0; i < Dim; ++i) x[i] += shared_->options.step[i] * static_cast<double>(index[i]);
    return x;
  }

  // The next waypoint on a straight line to the seed: one step along the longest axes, none along those much shorter.
  static Index towards_seed(Index index) {
    long longest = 0;
    for (const long i : index) longest = std::max(longest, std::abs(i));
    for (long& i : index)
      if (2 * std::abs(i) >= longest) i -= i > 0 ? 1 : i < 0 ? -1 : 0;
    return index;
  }

  std::shared_ptr<const Reached> find(const Index& index) const {
    const std::lock_guard lock(shared_->mutex);
    const auto found = shared_->waypoints.find(index);
    return found == shared_->waypoints.end() ? nullptr : found->second;
  }

  std::shared_ptr<const Reached> reach(Index index) const {
    std::vector<Index> way;
    std::shared_ptr<const Reached> reached;
    for (; !(reached = find(index)); index = towards_seed(index)) way.push_back(index);
    for (; !way.empty(); way.pop_back()) {
      if (!reached->beyond)  // a branch that has ended has ended for all waypoints behind
        reached = std::make_shared<const Reached>(
            shared_->walk(reached->at, waypoint(way.back()), shared_->options.shortest));
      const std::lock_guard lock(shared_->mutex);
      reached = shared_->waypoints.emplace(way.back(), std::move(reached)).first->second;
    }
    return reached;
  }

  Reached reach(const Point<Dim>& x) const {
    constexpr double farthest = 1e5;  // waypoints
    Index index;
    bool is_waypoint = true;
    for (unsigned i = 0; i < Dim; ++i) {
      const double steps = (x[i] - seed()[i]) / shared_->options.step[i], nearest = std::nearbyint(steps);
      if (!(std::abs(steps) <= farthest))
        throw std::invalid_argument("SolutionBranch: " + to_text(x) + " is more than " + to_text(farthest) +
                                    " waypoints from the seed at " + to_text(seed()));
      const bool on_lattice = std::abs(steps - nearest) < 1e-9 * std::max(1.0, std::abs(steps));
      is_waypoint = is_waypoint && on_lattice;
      index[i] = static_cast<long>(on_lattice ? nearest : std::trunc(steps));
    }
    const auto reached = reach(index);
    if (is_waypoint || reached->beyond) return *reached;
    return shared_->walk(reached->at, x, shared_->options.shortest);
  }

  std::shared_ptr<Shared> shared_;
};

}  // namespace quoin
