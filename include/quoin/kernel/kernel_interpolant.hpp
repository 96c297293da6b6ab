// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/kernel_view.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"

#include <Eigen/Core>

#include <memory>
#include <string>

namespace quoin {

/// A gradient-enhanced kernel interpolant: from the jets of f at any points, a smooth map with its Jacobian and an
/// estimate of both errors. For smooth f it needs far fewer samples than any grid of cells (docs/kernel.md).
///
///   KernelInterpolant<4> kernel(1579, 1);
///   kernel.add(x, jet);             // N x C(4 + K, K), plain derivatives in graded lexicographic order
///   kernel.deviation(x).value;      // what is unknown at x: 1 far from all samples, at least sqrt(jitter)
///   Answer a = kernel.evaluate(x, y, J);
///   KernelView<4> frozen = kernel.view();
///
/// It reproduces the jets of its samples up to the jitter: the posterior mean of a Gaussian process with the kernel of
/// JetCorrelation, about the first sample's value. Each sample is predicted by all others, in closed form: by these
/// errors the length scales are chosen, at 2, 3, 5, 8, 12, ... samples, if none are given, and answers are calibrated
/// (KernelCalibration): Trust::indicated from 3 samples on, Trust::estimated from 12, Trust::unchecked further from the
/// samples than they have tested. An estimate is no bound: a feature that no sample has met defeats it.
///
/// add() belongs to one thread and costs O(q n^2) for q derivatives after n known numbers, and where length scales are
/// chosen some 20 factorizations of at most 300 numbers; views do not change. A DifferentiableMap<Dim>.
template <int Dim>
class KernelInterpolant {
 public:
  /// jet_order: K = 0 to 3. Throws std::invalid_argument with the numbers for invalid options.
  KernelInterpolant(Eigen::Index output_size, int jet_order, const KernelOptions<Dim>& options = {});

  Eigen::Index output_size() const { return samples_->rows(); }
  int jet_order() const { return samples_->order(); }
  /// The number of samples.
  int size() const { return samples_->size(); }
  /// As they were given: a length scale of 0 is to be chosen.
  const KernelOptions<Dim>& options() const { return given_; }
  /// The length scales in use: those of the options, or those chosen at last.
  const Point<Dim>& length_scale() const { return samples_->options().length_scale; }
  /// Whether the samples nearest to a query answer it alone, because there are more than KernelOptions::localize_above.
  bool local() const { return samples_->local(); }
  /// Of the sample with this number, in the order of add().
  const Point<Dim>& point(int sample) const { return samples_->point(sample); }
  /// Whether a sample stands at exactly this point.
  bool contains(const Point<Dim>& x) const;

  /// jet: N x C(Dim + K, K). Throws std::invalid_argument for a point that is already there, a jet of another shape, or
  /// numbers that are not finite or larger than 1e100.
  void add(const Point<Dim>& x, const Eigen::MatrixXd& jet);

  /// Its samples, as arrays; jets to rounding.
  Samples<Dim> samples() const;

  /// Adds those that did not fail, at points without a sample; derivatives beyond the kernel's are cut off. Throws
  /// std::invalid_argument for samples that do not fit together, or to the kernel's outputs; then none is added.
  InsertedSamples insert(const Samples<Dim>& samples);

  /// The uncertainty at x, independent of the outputs. O(n^2).
  KernelDeviation deviation(const Point<Dim>& x) const { return view_.deviation(x); }

  /// The map in its present state; later samples do not change it.
  const KernelView<Dim>& view() const { return view_; }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return view_.evaluate(x, y); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const { return view_.evaluate(x, y, J); }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return view_.try_evaluate(x, y, J);
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return view_.evaluate(x, y, J, H);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return view_.try_evaluate(x, y, J, H);
  }

 private:
  static std::string who(const char* function);
  static void check(Eigen::Index outputs, int order, const KernelOptions<Dim>& options);

  void add_sample(const Point<Dim>& x, const Eigen::MatrixXd& jet);

  static constexpr double largest_number = 1e100;

  // Fills in what is left open: how many samples answer, and a length scale, which nothing tells from another until
  // there are two samples.
  static KernelOptions<Dim> begun(KernelOptions<Dim> options, int order);

  std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples_;
  KernelOptions<Dim> given_;
  int next_choice_ = 2;
  KernelView<Dim> view_;
};

}  // namespace quoin

#include "quoin/kernel/detail/kernel_interpolant_members.hpp"
