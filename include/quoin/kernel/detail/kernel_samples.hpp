// SPDX-License-Identifier: BSD-3-Clause
// A query's first step, and what all views share: the samples nearest to the point, with their factor.
#pragma once

#include "quoin/kernel/detail/block_cholesky.hpp"
#include "quoin/kernel/detail/jet_correlation.hpp"
#include "quoin/kernel/detail/leave_one_out.hpp"
#include "quoin/kernel/detail/sample_clusters.hpp"
#include "quoin/kernel/kernel_options.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/resize_strong.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quoin::kernel_detail {

/// The samples of a kernel interpolant and the factors of their correlations: what all its views share.
/// KernelInterpolant copies it for each new sample; a copy shares jets and factors. Const members are thread-safe.
///
/// A patch is a set of samples that answer together. Up to KernelOptions::localize_above samples there is one patch of
/// all, whose factor grows row by row. Above, each sample has a patch of its neighbours, which answers for the points
/// nearer to that sample than to any other; its factor is made when it is first needed, and kept until a new sample
/// comes nearer than the furthest neighbour.
template <int Dim>
class KernelSamples {
 public:
  static constexpr int outputs = 1 + Dim;  // value and scaled gradient

  struct Patch {
    std::vector<int> members;
    std::atomic<double> radius2 = std::numeric_limits<double>::infinity();  ///< to the furthest member, squared
    BlockCholesky factor;
    InverseBlocks inverse;  ///< of the factor's matrix, a block for each member
    std::once_flag made;
  };

  KernelSamples(Eigen::Index rows, int order, const KernelOptions<Dim>& options)
      : rows_(rows),
        order_(order),
        options_(options),
        norm_(rows, options.output_weights, "KernelOptions::output_weights"),
        correlation_(options.length_scale) {
    patches_.push_back(std::make_shared<Patch>());
    clear(*patches_[0]);
  }

  Eigen::Index rows() const { return rows_; }
  int order() const { return order_; }
  int derivatives() const { return jet_size(Dim, order_); }
  /// With the length scales that are used.
  const KernelOptions<Dim>& options() const { return options_; }
  const WeightedNorm& norm() const { return norm_; }
  const JetCorrelation<Dim>& correlation() const { return correlation_; }
  int size() const { return static_cast<int>(points_.size()); }
  const Point<Dim>& point(int sample) const { return points_[static_cast<std::size_t>(sample)]; }
  /// Normalized jets less the offset, rows x derivatives.
  const std::vector<std::shared_ptr<const Eigen::MatrixXd>>& jets() const { return jets_; }
  /// The plain derivatives of a sample, rows x derivatives.
  Eigen::MatrixXd jet(int sample) const {
    Eigen::MatrixXd jet = *jets_[static_cast<std::size_t>(sample)];
    const auto& indices = JetCorrelation<Dim>::indices(order_);
    for (std::size_t a = 0; a < indices.size(); ++a)
      jet.col(static_cast<Eigen::Index>(a)) /= correlation_.scale(indices[a]);
    jet.col(0) += offset_;
    return jet;
  }
  /// The value answered far from all samples: that of the first sample.
  const Eigen::VectorXd& offset() const { return offset_; }
  bool local() const { return size() > options_.localize_above; }

  /// The box around all samples, per axis; along axes without any extent the largest of the others.
  Point<Dim> extent() const {
    Point<Dim> low = points_[0], high = points_[0];
    for (const Point<Dim>& x : points_) {
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
    const Point<Dim> extent = high - low;
    const double largest = extent.maxCoeff();
    return (extent.array() > 0).select(extent, Point<Dim>::Constant(largest));
  }

  int nearest(const Point<Dim>& x) const {
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int s = 0; s < size(); ++s) {
      const double distance = correlation_.distance2(x, point(s));
      if (distance < least) {
        least = distance;
        best = s;
      }
    }
    return best;
  }

  int patch_count() const { return static_cast<int>(patches_.size()); }
  int patch_index(const Point<Dim>& x) const { return local() ? nearest(x) : 0; }
  /// The patch, with its factor computed.
  const Patch& patch(int index) const {
    Patch& patch = *patches_[static_cast<std::size_t>(index)];
    if (local()) std::call_once(patch.made, [&] { make(patch, point(index)); });
    return patch;
  }

  /// rows x (members * derivatives): what multiplies a query's correlations, from the jets of this or other outputs.
  Eigen::MatrixXd coefficients(const Patch& patch,
                               const std::vector<std::shared_ptr<const Eigen::MatrixXd>>& jets) const {
    const Eigen::Index q = derivatives();
    Eigen::MatrixXd transposed(std::ssize(patch.members) * q, jets[0]->rows());
    for (std::size_t m = 0; m < patch.members.size(); ++m)
      transposed.middleRows(static_cast<Eigen::Index>(m) * q, q) =
          jets[static_cast<std::size_t>(patch.members[m])]->transpose();
    patch.factor.solve(transposed);
    return transposed.transpose();
  }
  /// In units of the length scales, a distance at which one sample predicts another to within so many times what the
  /// jitter leaves: at a distance r from a sample alone sigma is about r^(K + 1).
  double next_to_each_other(double times) const {
    return std::pow(times * std::sqrt(options_.jitter), 1.0 / (1 + order_));
  }
  /// The members of a patch, by their places in it.
  SampleClusters<Dim> clusters(const Patch& patch) const {
    std::vector<Point<Dim>> points;
    for (const int member : patch.members) points.push_back(point(member).cwiseQuotient(options_.length_scale));
    return {points, next_to_each_other(100)};
  }
  /// How well the samples, all in one patch, predict each other, each left out alone.
  std::vector<LeftOutSample> left_out() const {
    return leave_one_out<Dim>(patches_[0]->inverse, coefficients(*patches_[0], jets_), norm_);
  }
  /// The same, those that are next to each other left out together.
  std::vector<LeftOutSample> clusters_left_out() const {
    const Patch& patch = *patches_[0];
    return leave_clusters_out<Dim>(patch.factor, patch.inverse, coefficients(patch, jets_), clusters(patch).members(),
                                   norm_);
  }

  /// Correlations of the normalized jet at x with all numbers that the patch knows: out is (members * derivatives) x
  /// columns, which are jet_size(Dim, order) for the derivatives up to this order, 0 to 3.
  void correlate(const Patch& patch, const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> out) const {
    int order_x = 0;
    while (jet_size(Dim, order_x) < out.cols()) ++order_x;
    Eigen::Index row = 0;
    for (const int member : patch.members) {
      correlation_.fill(x, order_x, point(member), order_,
                        [&](Eigen::Index a, Eigen::Index b) -> double& { return out(row + b, a); });
      row += derivatives();
    }
  }

  /// What the second derivatives in a normalized jet are multiplied by.
  Eigen::VectorXd second_derivative_scales() const {
    const auto& indices = JetCorrelation<Dim>::indices(2);
    Eigen::VectorXd scales(second_derivative_count(Dim));
    for (Eigen::Index pair = 0; pair < scales.size(); ++pair)
      scales[pair] = correlation_.scale(indices[static_cast<std::size_t>(1 + Dim + pair)]);
    return scales;
  }

  /// Standard deviations of value and scaled gradient at x. V: scratch.
  KernelDeviation deviation(const Point<Dim>& x, Eigen::MatrixXd& V, bool gradient = true) const {
    const Patch& p = patch(patch_index(x));
    resize_strong(V, p.factor.size(), gradient ? outputs : 1);
    correlate(p, x, V);
    return deviation_of(p, V);
  }
  /// The same at many points (Dim x M), by matrix products: about ten times faster than one by one.
  std::vector<KernelDeviation> deviations(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    std::vector<KernelDeviation> all(static_cast<std::size_t>(X.cols()));
    if (size() == 0) return all;
    constexpr Eigen::Index together = 64;
    Eigen::MatrixXd V;
    StopCheck stop;
    for (Eigen::Index first = 0, count = 1; first < X.cols(); first += count) {
      stop();
      if (local()) {
        all[static_cast<std::size_t>(first)] = deviation(X.col(first), V);
        continue;
      }
      count = std::min(together, X.cols() - first);
      resize_strong(V, patches_[0]->factor.size(), count * outputs);
      for (Eigen::Index m = 0; m < count; ++m)
        correlate(*patches_[0], X.col(first + m), V.middleCols(m * outputs, outputs));
      patches_[0]->factor.solve_lower(V);
      for (Eigen::Index m = 0; m < count; ++m)
        all[static_cast<std::size_t>(first + m)] = left_over(V.middleCols(m * outputs, outputs));
    }
    return all;
  }
  /// The same from correlations, which are overwritten.
  KernelDeviation deviation_of(const Patch& patch, Eigen::MatrixXd& V) const {
    patch.factor.solve_lower(V);
    return left_over(V);
  }

  /// jet: plain derivatives, rows x derivatives.
  void add(const Point<Dim>& x, const Eigen::MatrixXd& jet) {
    if (size() == 0) offset_ = jet.col(0);
    auto normalized = std::make_shared<Eigen::MatrixXd>(jet);
    normalized->col(0) -= offset_;
    const auto& indices = JetCorrelation<Dim>::indices(order_);
    for (std::size_t a = 0; a < indices.size(); ++a)
      normalized->col(static_cast<Eigen::Index>(a)) *= correlation_.scale(indices[a]);
    points_.push_back(x);
    jets_.push_back(std::move(normalized));

    if (size() <= options_.localize_above) {
      auto grown = std::make_shared<Patch>();  // copies keep the old one
      grown->members = patches_[0]->members;
      grown->factor = patches_[0]->factor;
      grown->inverse = patches_[0]->inverse;
      append(*grown, size() - 1);
      patches_[0] = std::move(grown);
      return;
    }
    if (size() == options_.localize_above + 1) patches_.clear();
    patches_.resize(static_cast<std::size_t>(size()));
    for (int s = 0; s < size(); ++s) {
      std::shared_ptr<Patch>& patch = patches_[static_cast<std::size_t>(s)];
      if (!patch || correlation_.distance2(x, point(s)) < patch->radius2.load()) patch = std::make_shared<Patch>();
    }
  }

 private:
  // The deviations left of unit variances after what the columns of V = L^-1 k explain.
  KernelDeviation left_over(const Eigen::Ref<const Eigen::MatrixXd>& V) const {
    const auto sigma = [&](Eigen::Index column) {
      return std::sqrt(std::max(1 - V.col(column).squaredNorm(), options_.jitter));
    };
    KernelDeviation d{.value = sigma(0), .gradient = 0};
    for (Eigen::Index j = 1; j < V.cols(); ++j) d.gradient = std::max(d.gradient, sigma(j));
    return d;
  }

  void clear(Patch& patch) const {
    patch.factor = BlockCholesky(options_.jitter);
    patch.inverse = InverseBlocks(derivatives());
  }

  void append(Patch& patch, int sample) const {
    const int q = derivatives();
    Eigen::MatrixXd K21(q, patch.factor.size()), K22(q, q);
    const auto fill = [&](int other, Eigen::Ref<Eigen::MatrixXd> block) {
      correlation_.fill(point(sample), order_, point(other), order_,
                        [&](Eigen::Index a, Eigen::Index b) -> double& { return block(a, b); });
    };
    Eigen::Index column = 0;
    for (const int member : patch.members) {
      fill(member, K21.middleCols(column, q));
      column += q;
    }
    fill(sample, K22);
    patch.factor.append(K21, K22);
    patch.inverse.append(patch.factor);
    patch.members.push_back(sample);
  }

  void make(Patch& patch, const Point<Dim>& center) const {
    std::vector<std::pair<double, int>> order;
    order.reserve(points_.size());
    for (int s = 0; s < size(); ++s) order.emplace_back(correlation_.distance2(center, point(s)), s);
    const auto last = order.begin() + std::min<std::ptrdiff_t>(options_.neighbours, size());
    std::partial_sort(order.begin(), last, order.end());
    clear(patch);
    for (auto it = order.begin(); it != last; ++it) append(patch, it->second);
    patch.radius2 = std::prev(last)->first;
  }

  Eigen::Index rows_;
  int order_;
  KernelOptions<Dim> options_;
  WeightedNorm norm_;
  JetCorrelation<Dim> correlation_;
  std::vector<Point<Dim>> points_;
  std::vector<std::shared_ptr<const Eigen::MatrixXd>> jets_;
  Eigen::VectorXd offset_;
  std::vector<std::shared_ptr<Patch>> patches_;
};

}  // namespace quoin::kernel_detail
