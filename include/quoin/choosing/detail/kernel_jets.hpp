// SPDX-License-Identifier: BSD-3-Clause
// What stands for f while surrogates are weighed: the derivatives that its samples imply.
#pragma once

#include "quoin/kernel/detail/kernel_samples.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <cstddef>

namespace quoin::choosing_detail {

/// Jets of a kernel interpolant up to order 3, whatever the order of its samples. The samples must not be local.
template <int Dim>
class KernelJets {
 public:
  explicit KernelJets(const kernel_detail::KernelSamples<Dim>& samples)
      : samples_(samples), coefficients_(samples.coefficients(samples.patch(0), samples.jets())) {}

  Eigen::Index outputs() const { return samples_.rows(); }
  /// The numbers that the samples know.
  Eigen::Index numbers() const { return coefficients_.cols(); }

  /// jet: N x C(Dim + order, order).
  void fill(const Point<Dim>& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) const {
    const auto& indices = kernel_detail::JetCorrelation<Dim>::indices(order);
    Eigen::MatrixXd correlations(numbers(), jet.cols());
    samples_.correlate(samples_.patch(0), x, correlations);
    for (std::size_t a = 0; a < indices.size(); ++a)
      correlations.col(static_cast<Eigen::Index>(a)) /= samples_.correlation().scale(indices[a]);
    jet.noalias() = coefficients_ * correlations;
    jet.col(0) += samples_.offset();
  }

 private:
  const kernel_detail::KernelSamples<Dim>& samples_;
  Eigen::MatrixXd coefficients_;
};

}  // namespace quoin::choosing_detail
