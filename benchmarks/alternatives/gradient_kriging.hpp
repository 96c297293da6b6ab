// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

namespace benchmarks {

/// Kriging with the Gaussian kernel exp(-|x - x'|^2 / (2 length^2)) on values, or on values and gradients; its mean is
/// the mean of the values (Rasmussen and Williams 2006, chapters 2, 5 and 9.4). Points are taken greedily from given
/// candidates: next comes the one of largest posterior deviation or, where only rounding is left, the one furthest from
/// all samples. Nothing else is known of the region of interest. A dense Cholesky factor grows with the samples; the
/// length is tuned by likelihood. A jitter of 1e-12 on the diagonal limits the accuracy to about 1e-7. A query of value
/// and Jacobian costs 1 + dim multiplications per output and datum.
class GradientKriging {
 public:
  /// candidates: dim x count.
  GradientKriging(SampledFunction f, Eigen::MatrixXd candidates, double length, bool gradients);

  /// Adds samples until there are `samples`; false if it cannot, for want of candidates or because of rounding.
  bool refine(Eigen::Index samples);
  /// Chooses the length, between half and twice the present one, of the largest likelihood.
  void tune();
  /// Computes the weights of the present samples; call it before evaluate().
  void fit();

  Eigen::Index samples() const { return points_.cols(); }
  const Eigen::MatrixXd& points() const { return points_; }
  double length() const { return length_; }

  /// y: outputs. J: outputs x dim.
  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  Eigen::Index block() const { return gradients_ ? 1 + f_.dim : 1; }
  /// Covariance of the data at a (rows) with those at b (columns); gradients are per length.
  void covariance(double length, const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                  Eigen::Ref<Eigen::MatrixXd> block) const;
  Eigen::MatrixXd covariance_of_samples(double length) const;
  Eigen::MatrixXd centred_data(double length) const;
  void restart();

  SampledFunction f_;
  Eigen::MatrixXd candidates_;
  double length_;
  bool gradients_;
  Eigen::MatrixXd points_;    // dim x samples
  Eigen::MatrixXd data_;      // (samples block) x outputs, as sampled
  Eigen::MatrixXd factor_;    // lower Cholesky factor of the covariance; with spare capacity
  Eigen::MatrixXd whitened_;  // factor^-1 covariance with the values at the candidates; with spare capacity
  Eigen::VectorXd variance_;  // posterior variance at the candidates
  Eigen::VectorXd mean_;
  Eigen::MatrixXd weights_;  // outputs x (samples block)
};

}  // namespace benchmarks
