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

#include <Eigen/Core>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
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
  Eigen::MatrixXd jet(int sample) const;
  /// The value answered far from all samples: that of the first sample.
  const Eigen::VectorXd& offset() const { return offset_; }
  bool local() const { return size() > options_.localize_above; }

  /// The box around all samples, per axis; along axes without any extent the largest of the others.
  Point<Dim> extent() const;

  int nearest(const Point<Dim>& x) const;

  int patch_count() const { return static_cast<int>(patches_.size()); }
  int patch_index(const Point<Dim>& x) const { return local() ? nearest(x) : 0; }
  /// The patch, with its factor computed.
  const Patch& patch(int index) const;

  /// rows x (members * derivatives): what multiplies a query's correlations, from the jets of this or other outputs.
  Eigen::MatrixXd coefficients(const Patch& patch,
                               const std::vector<std::shared_ptr<const Eigen::MatrixXd>>& jets) const;
  /// In units of the length scales, a distance at which one sample predicts another to within so many times what the
  /// jitter leaves: at a distance r from a sample alone sigma is about r^(K + 1).
  double next_to_each_other(double times) const {
    return std::pow(times * std::sqrt(options_.jitter), 1.0 / (1 + order_));
  }
  /// The members of a patch, by their places in it.
  SampleClusters<Dim> clusters(const Patch& patch) const;
  /// How well the samples, all in one patch, predict each other, each left out alone.
  std::vector<LeftOutSample> left_out() const;
  /// The same, those that are next to each other left out together.
  std::vector<LeftOutSample> clusters_left_out() const;

  /// Correlations of the normalized jet at x with all numbers that the patch knows: out is (members * derivatives) x
  /// columns, which are jet_size(Dim, order) for the derivatives up to this order, 0 to 3.
  void correlate(const Patch& patch, const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> out) const;

  /// What the second derivatives in a normalized jet are multiplied by.
  Eigen::VectorXd second_derivative_scales() const;

  /// Standard deviations of value and scaled gradient at x. V: scratch.
  KernelDeviation deviation(const Point<Dim>& x, Eigen::MatrixXd& V, bool gradient = true) const;
  /// The same at many points (Dim x M), by matrix products: about ten times faster than one by one.
  std::vector<KernelDeviation> deviations(const Eigen::Ref<const Eigen::MatrixXd>& X) const;
  /// The same from correlations, which are overwritten.
  KernelDeviation deviation_of(const Patch& patch, Eigen::MatrixXd& V) const;

  /// jet: plain derivatives, rows x derivatives.
  void add(const Point<Dim>& x, const Eigen::MatrixXd& jet);

 private:
  // The deviations left of unit variances after what the columns of V = L^-1 k explain.
  KernelDeviation left_over(const Eigen::Ref<const Eigen::MatrixXd>& V) const;

  void clear(Patch& patch) const {
    patch.factor = BlockCholesky(options_.jitter);
    patch.inverse = InverseBlocks(derivatives());
  }

  void append(Patch& patch, int sample) const;

  void make(Patch& patch, const Point<Dim>& center) const;

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

#include "quoin/kernel/detail/kernel_samples_members.hpp"
