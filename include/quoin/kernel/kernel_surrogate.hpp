// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// A source of jets of f on a lattice of corners; with a GridView the samples are kept in the grid's store.
template <class S, int Dim>
concept CornerSampler = requires(const S& s, const Point<Dim>& x, Eigen::MatrixXd& jet) {
  { s.output_size() } -> std::convertible_to<Eigen::Index>;
  { s.jet_order() } -> std::convertible_to<int>;
  // Identical to the bit for all points that snap to the same corner; may throw DomainError.
  { s.nearest_corner(x) } -> std::convertible_to<Point<Dim>>;
  s.corner_jet(x, jet);  // jet: N x C(Dim + K, K); throws CornerFailure
};

/// The largest standard deviations allowed at the points of a plan.
struct KernelThreshold {
  double value = 1e-3;     ///< above twice the root of the jitter; relative, 1 where nothing is known
  double gradient = 1e-2;  ///< at equal thresholds this decides: Jacobians converge more slowly
};

namespace kernel_detail {
/// Throws std::invalid_argument, beginning with these words, for what no deviation can be below.
inline void check_threshold(const KernelThreshold& threshold, double jitter, const std::string& words) {
  const double floor = 2 * std::sqrt(jitter);
  if (!(threshold.value >= floor) || !(threshold.gradient >= floor))
    throw std::invalid_argument(words + "thresholds " + to_text(threshold.value) + " and " +
                                to_text(threshold.gradient) + " are under the floor " + to_text(floor));
}
}  // namespace kernel_detail

/// The outcome of KernelSurrogate::refine_at.
struct KernelRefinement {
  std::size_t added = 0;         ///< samples
  std::size_t failed = 0;        ///< corners at which f failed; not asked for again, but for failures that may pass
  std::size_t unreachable = 0;   ///< points above the threshold around which no corner is left
  std::size_t above = 0;         ///< points above the threshold at the end, unreachable ones among them
  bool over_budget = false;      ///< samples were missing, and no more were allowed
  KernelDeviation largest = {};  ///< over all points, at the end
};

/// A kernel interpolant that samples its function where a plan needs it.
///
///   KernelSurrogate<4, GridView<4>> kernel(grid.at_level(2));
///   kernel.refine_at(plan, {.value = 1e-4, .gradient = 1e-3});  // plan: 4 x M
///   kernel.view().evaluate(x, y, J);
///   interleave(kernel, solver, guess, {.schedule = {.points = points_of_plan}});  // quoin/kernel/interleave.hpp
///
/// If length scales are to be chosen the first Dim + 2 samples spread over the points. Where f is not smooth the scales
/// become short, and a threshold takes as many samples as there are corners: give `allowed`.
///
/// Samples are corners of the sampler's lattice: the lattice should be fine enough that the nearest corner is within a
/// tenth of a length scale, or samples are wasted beside the plan.
template <int Dim, class Sampler>
  requires CornerSampler<Sampler, Dim>
class KernelSurrogate {
 public:
  /// Holds its own copy of the sampler. Throws std::invalid_argument as KernelInterpolant does.
  explicit KernelSurrogate(Sampler sampler, const KernelOptions<Dim>& options = {})
      : sampler_(std::move(sampler)), interpolant_(sampler_.output_size(), sampler_.jet_order(), options) {
    if constexpr (requires { sampler_.options().periodic; })
      for (std::size_t i = 0; i < Dim; ++i)
        if (sampler_.options().periodic[i])
          throw std::invalid_argument("KernelSurrogate: its grid has a period along axis " + to_text(i) +
                                      ", which kernels do not know: sample a grid without");
  }

  /// The one that it was made with.
  const Sampler& sampler() const { return sampler_; }
  /// What has been learnt of the samples so far.
  const KernelInterpolant<Dim>& interpolant() const { return interpolant_; }
  /// As it is now; later samples do not change it.
  KernelView<Dim> view() const { return interpolant_.view(); }
  /// The number of jets requested from the sampler, failed ones included.
  std::size_t exact_evaluations() const { return static_cast<std::size_t>(interpolant_.size()) + failed_.size(); }

  /// While sigma at any of the points X (Dim x M) is above the threshold, adds the corner nearest to the worst of them;
  /// if that is a sample already, another corner of the cell around the point, then corners of finer levels if the
  /// sampler has levels. Points without a corner left, or outside the sampler's domain, are given up. At most `allowed`
  /// corners are evaluated.
  ///
  /// Throws std::invalid_argument for thresholds under twice the floor sqrt(jitter), which nothing can reach.
  KernelRefinement refine_at(const Eigen::Ref<const Eigen::MatrixXd>& X, const KernelThreshold& threshold,
                             std::size_t allowed = std::numeric_limits<std::size_t>::max()) {
    check(X, threshold);
    passing_.clear();
    KernelRefinement result;
    std::vector<bool> given_up(static_cast<std::size_t>(X.cols()), false);
    for (;;) {
      const std::vector<KernelDeviation> deviations = interpolant_.view().samples().deviations(X);
      result.largest = {.value = 0, .gradient = 0};
      result.above = 0;
      Eigen::Index worst = -1;
      double worst_ratio = 1;
      for (Eigen::Index m = 0; m < X.cols(); ++m) {
        const KernelDeviation& d = deviations[static_cast<std::size_t>(m)];
        result.largest.value = std::max(result.largest.value, d.value);
        result.largest.gradient = std::max(result.largest.gradient, d.gradient);
        const double ratio = std::max(d.value / threshold.value, d.gradient / threshold.gradient);
        result.above += ratio > 1;
        if (ratio <= worst_ratio || given_up[static_cast<std::size_t>(m)]) continue;
        worst_ratio = ratio;
        worst = m;
      }
      if (const Eigen::Index seed = furthest(X, given_up); seed >= 0) worst = seed;
      if (worst < 0) return result;
      result.over_budget = result.added + result.failed >= allowed;
      if (result.over_budget) return result;
      if (const auto corner = free_corner(X.col(worst))) {
        ++(sample(*corner) ? result.added : result.failed);
      } else {
        given_up[static_cast<std::size_t>(worst)] = true;
        ++result.unreachable;
      }
    }
  }

 private:
  static std::string who() { return "KernelSurrogate<" + to_text(Dim) + ">::refine_at: "; }

  void check(const Eigen::Ref<const Eigen::MatrixXd>& X, const KernelThreshold& threshold) const {
    if (X.rows() != Dim)
      throw std::invalid_argument(who() + "points of " + to_text(X.rows()) + " rows, expected " + to_text(Dim));
    if (!X.allFinite()) throw std::invalid_argument(who() + "points that are not finite");
    kernel_detail::check_threshold(threshold, interpolant_.options().jitter, who());
  }

  // Sigma says nothing before samples have chosen its length scales: until then the point furthest from all samples is
  // the worst, in units of the box around all points.
  Eigen::Index furthest(const Eigen::Ref<const Eigen::MatrixXd>& X, const std::vector<bool>& given_up) const {
    const bool given = (interpolant_.options().length_scale.array() > 0).all();
    if (given || interpolant_.size() >= seeds || X.cols() < 2) return -1;
    const Point<Dim> box = X.rowwise().maxCoeff() - X.rowwise().minCoeff();
    Eigen::Index best = -1;
    double most = 0;
    for (Eigen::Index m = 0; m < X.cols(); ++m) {
      if (given_up[static_cast<std::size_t>(m)]) continue;
      double distance = std::numeric_limits<double>::infinity();
      for (int s = 0; s < interpolant_.size(); ++s) {
        const Point<Dim> r = X.col(m) - interpolant_.point(s);
        distance = std::min(distance, (box.array() > 0).select(r.array() / box.array(), 0).matrix().squaredNorm());
      }
      if (distance <= most) continue;
      most = distance;
      best = m;
    }
    return best;
  }

  bool known(const Point<Dim>& corner) const {
    const auto in = [&](const std::vector<Point<Dim>>& corners) {
      return std::find(corners.begin(), corners.end(), corner) != corners.end();
    };
    return interpolant_.contains(corner) || in(failed_) || in(passing_);
  }

  bool sample(const Point<Dim>& corner) {
    Eigen::MatrixXd jet;
    try {
      sampler_.corner_jet(corner, jet);
    } catch (const CornerFailure& failure) {
      (failure.may_pass() ? passing_ : failed_).push_back(corner);
      return false;
    }
    interpolant_.add(corner, jet);
    return true;
  }

  std::optional<Point<Dim>> free_corner(const Point<Dim>& x) const {
    if constexpr (requires {
                    { sampler_.at_level(sampler_.level() + 1) } -> std::convertible_to<Sampler>;
                    sampler_.options().deepest_level;
                  }) {
      Sampler sampler = sampler_;
      for (;;) {
        if (const auto corner = free_corner(sampler, x)) return corner;
        if (sampler.level() >= sampler.options().deepest_level) return std::nullopt;
        sampler = sampler.at_level(sampler.level() + 1);
      }
    } else {
      return free_corner(sampler_, x);
    }
  }

  // The nearest corner of the cell around x that is not known.
  std::optional<Point<Dim>> free_corner(const Sampler& sampler, const Point<Dim>& x) const {
    Point<Dim> nearest;
    try {
      nearest = sampler.nearest_corner(x);
    } catch (const DomainError&) {
      return std::nullopt;
    }
    if (!known(nearest)) return nearest;
    Point<Dim> across;
    for (int i = 0; i < Dim; ++i) across[i] = across_from(sampler, x, nearest, i);
    std::optional<Point<Dim>> best;
    double least = std::numeric_limits<double>::infinity();
    for (int c = 1; c < 1 << Dim; ++c) {
      Point<Dim> corner = nearest;
      for (int i = 0; i < Dim; ++i)
        if (c >> i & 1) corner[i] = across[i];
      const double distance = interpolant_.view().samples().correlation().distance2(corner, x);
      if (distance >= least || known(corner)) continue;
      least = distance;
      best = corner;
    }
    return best;
  }

  // The coordinate of the corners on the other side of x along an axis: a sampler gives only the nearest corner, so
  // walk on from x until that changes.
  double across_from(const Sampler& sampler, const Point<Dim>& x, const Point<Dim>& nearest, int axis) const {
    const double length = interpolant_.length_scale()[axis], d = x[axis] - nearest[axis];
    for (double step = std::max(std::abs(d), 1e-4 * length); step < 4 * length; step *= 1.5) {
      Point<Dim> probe = x;
      probe[axis] += d < 0 ? -step : step;
      try {
        const double coordinate = sampler.nearest_corner(probe)[axis];
        if (coordinate != nearest[axis]) return coordinate;
      } catch (const DomainError&) {
        break;
      }
    }
    return nearest[axis];
  }

  static constexpr int seeds = Dim + 2;

  Sampler sampler_;
  KernelInterpolant<Dim> interpolant_;
  std::vector<Point<Dim>> failed_, passing_;  // passing_: failures of the last refinement that may pass
};

}  // namespace quoin
