// SPDX-License-Identifier: BSD-3-Clause
// Before any query: the distances over which the samples say that f is correlated.
#pragma once

#include "quoin/kernel/detail/kernel_samples.hpp"
#include "quoin/kernel/detail/leave_one_out.hpp"
#include "quoin/kernel/detail/sample_clusters.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/request.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace quoin::kernel_detail {

/// These samples with other length scales; `chosen`: their numbers.
template <int Dim>
KernelSamples<Dim> with_length(const KernelSamples<Dim>& samples, const Point<Dim>& length,
                               const std::vector<int>& chosen) {
  KernelOptions<Dim> options = samples.options();
  options.length_scale = length;
  if (std::ssize(chosen) < samples.size()) options.localize_above = samples.size();
  KernelSamples<Dim> other(samples.rows(), samples.order(), options);
  StopCheck stop;
  for (const int s : chosen) {
    stop();
    other.add(samples.point(s), samples.jet(s));
  }
  return other;
}
/// All of them.
template <int Dim>
KernelSamples<Dim> with_length(const KernelSamples<Dim>& samples, const Point<Dim>& length) {
  std::vector<int> all(static_cast<std::size_t>(samples.size()));
  std::iota(all.begin(), all.end(), 0);
  return with_length(samples, length, all);
}

/// Chooses length scales by what the samples say of each other, each left out in turn: those that minimize
///
///   log mean (error / sigma)^2 + mean log sigma^2
///
/// over value and gradient, the negative logarithm of the density that the samples' errors have at the best common
/// factor of all sigma (Sundararajan and Keerthi, Neural Computation 13 (2001)). The mean error alone would not see
/// whether sigma tells the large errors from the small. Of samples that are next to each other one is asked: its twin
/// would predict it with any length. First one factor for all axes is sought, then each axis on its
/// own. O(n^3) for a trial, some 10 + 6 Dim trials, with at most about `most_rows` numbers known in each.
template <int Dim>
class LengthChoice {
 public:
  static constexpr int most_rows = 300, fewest_samples = 16;

  /// fixed: the length scales that are given; the others, 0, are chosen.
  LengthChoice(const KernelSamples<Dim>& samples, const Point<Dim>& fixed)
      : samples_(samples), fixed_(fixed), extent_(samples.extent()) {
    std::vector<Point<Dim>> points;
    for (int s = 0; s < samples.size(); ++s) points.push_back(samples.point(s).cwiseQuotient(extent_));
    const SampleClusters<Dim> clusters(points, samples.next_to_each_other(10));
    const int most = std::max(fewest_samples, most_rows / samples.derivatives());
    const std::size_t stride =
        (clusters.members().size() + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most);
    for (std::size_t c = 0; c < clusters.members().size(); c += stride) asked_.push_back(clusters.members()[c].front());
  }

  Point<Dim> chosen() {
    best_ = kept(extent_);
    // The length scales that two samples came with were no choice of theirs.
    if (samples_.size() > 2) try_out(kept(samples_.options().length_scale));
    for (double factor = 0.0625; factor <= 4; factor *= 2) try_out(kept(factor * extent_));
    for (const double step : {2.0, 1.4})
      for (int i = 0; i < Dim; ++i)
        if (!(fixed_[i] > 0)) walk(i, step) || walk(i, 1 / step);
    return best_;
  }

 private:
  Point<Dim> kept(Point<Dim> length) const {
    for (int i = 0; i < Dim; ++i)
      if (fixed_[i] > 0) length[i] = fixed_[i];
    return length;
  }

  // True if the axis gained by it.
  bool walk(int axis, double step) {
    bool gained = false;
    for (int n = 0; n < 2; ++n) {
      Point<Dim> length = best_;
      length[axis] *= step;
      if (length[axis] > 8 * extent_[axis] || length[axis] < extent_[axis] / 32 || !try_out(length)) break;
      gained = true;
    }
    return gained;
  }

  bool try_out(const Point<Dim>& length) {
    const double value = score(length);
    if (!(value < least_)) return false;
    least_ = value;
    best_ = length;
    return true;
  }

  double score(const Point<Dim>& length) const {
    const KernelSamples<Dim> trial = with_length(samples_, length, asked_);
    const auto left_out = trial.left_out();
    double sum = density(left_out, &LeftOutSample::value);
    if (trial.order() == 0) return sum;
    sum += density(left_out, &LeftOutSample::gradient);
    // Of the derivatives themselves: times the length scale they would look the smaller, the shorter it is.
    for (const LeftOutSample& sample : left_out) sum -= 2 * std::log(length[sample.axis]) / std::ssize(left_out);
    return sum;
  }

  static double density(const std::vector<LeftOutSample>& left_out, LeftOut LeftOutSample::*what) {
    double squares = 0, logarithms = 0;
    for (const LeftOutSample& sample : left_out) {
      const LeftOut& of = sample.*what;
      squares += of.error * of.error / (of.sigma * of.sigma);
      logarithms += 2 * std::log(of.sigma);
    }
    const double n = static_cast<double>(left_out.size());
    // A function that is predicted exactly is as good as it gets with any length.
    return std::log(std::max(squares / n, std::numeric_limits<double>::min())) + logarithms / n;
  }

  const KernelSamples<Dim>& samples_;
  Point<Dim> fixed_, extent_, best_;
  std::vector<int> asked_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace quoin::kernel_detail
