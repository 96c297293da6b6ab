// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/detail/length_choice.hpp"
#include "quoin/kernel/kernel_view.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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
  KernelInterpolant(Eigen::Index output_size, int jet_order, const KernelOptions<Dim>& options = {})
      : samples_((check(output_size, jet_order, options), std::make_shared<const kernel_detail::KernelSamples<Dim>>(
                                                              output_size, jet_order, begun(options, jet_order)))),
        given_(options),
        view_(samples_) {}

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
  bool contains(const Point<Dim>& x) const {
    for (int s = 0; s < size(); ++s)
      if (point(s) == x) return true;
    return false;
  }

  /// jet: N x C(Dim + K, K). Throws std::invalid_argument for a point that is already there, a jet of another shape, or
  /// numbers that are not finite or larger than 1e100.
  void add(const Point<Dim>& x, const Eigen::MatrixXd& jet) {
    KernelInterpolant larger = *this;  // this one stays as it is if there is no memory
    larger.add_sample(x, jet);
    larger.view_ = KernelView<Dim>(larger.samples_);
    *this = std::move(larger);
  }

  /// Its samples, as arrays; jets to rounding.
  Samples<Dim> samples() const {
    Samples<Dim> samples{.jet_order = jet_order()};
    samples.resize(output_size(), size());
    for (int s = 0; s < size(); ++s) {
      samples.points.col(s) = point(s);
      samples.jet(s) = samples_->jet(s);
    }
    return samples;
  }

  /// Adds those that did not fail, at points without a sample; derivatives beyond the kernel's are cut off. Throws
  /// std::invalid_argument for samples that do not fit together, or to the kernel's outputs; then none is added.
  InsertedSamples insert(const Samples<Dim>& samples) {
    samples.check(output_size(), who("insert"));
    KernelInterpolant larger = *this;
    InsertedSamples use;
    StopCheck stop;
    for (Eigen::Index m = 0; m < samples.size(); ++m) {
      stop();
      if (samples.failed(m)) {
        ++(samples.retry[static_cast<std::size_t>(m)] ? use.to_retry : use.failed);
      } else if (samples.jet_order < jet_order()) {
        ++use.of_lower_order;
      } else if (larger.contains(samples.point(m))) {
        ++use.known;
      } else {
        larger.add_sample(samples.point(m), samples.jet(m).leftCols(samples_->derivatives()));
        ++use.used;
      }
    }
    if (use.used > 0) {
      larger.view_ = KernelView<Dim>(larger.samples_);
      *this = std::move(larger);
    }
    return use;
  }

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
  static std::string who(const char* function) { return "KernelInterpolant<" + to_text(Dim) + ">::" + function + ": "; }

  static void check(Eigen::Index outputs, int order, const KernelOptions<Dim>& options) {
    const auto refuse = [](const std::string& what) { throw std::invalid_argument("KernelOptions: " + what); };
    if (outputs < 1) refuse("for a map of " + to_text(outputs) + " outputs");
    if (order < 0 || order > kernel_detail::JetCorrelation<Dim>::largest_order)
      refuse("jets of order " + to_text(order) + ", expected 0 to 3");
    for (int i = 0; i < Dim; ++i) {
      if (!(options.length_scale[i] >= 0) || !std::isfinite(options.length_scale[i]))
        refuse("length_scale[" + to_text(i) + "] = " + to_text(options.length_scale[i]));
      if (!(options.lower[i] < options.upper[i]))
        refuse("lower[" + to_text(i) + "] = " + to_text(options.lower[i]) +
               " is not below upper = " + to_text(options.upper[i]));
    }
    if (!(options.jitter >= 1e-14) || !(options.jitter < 1))
      refuse("jitter = " + to_text(options.jitter) + " is not in [1e-14, 1)");
    if (options.localize_above < 0) refuse("localize_above = " + to_text(options.localize_above));
    const int all = begun(options, order).localize_above;
    if (options.neighbours < 0 || options.neighbours > all)
      refuse("neighbours = " + to_text(options.neighbours) + " is not in 1..localize_above = " + to_text(all) +
             ", or 0");
  }

  void add_sample(const Point<Dim>& x, const Eigen::MatrixXd& jet) {
    if (jet.rows() != output_size() || jet.cols() != samples_->derivatives())
      throw std::invalid_argument(who("add") + "a jet of " + to_text(jet.rows()) + " x " + to_text(jet.cols()) +
                                  ", expected " + to_text(output_size()) + " x " + to_text(samples_->derivatives()));
    if (!x.allFinite() || !jet.allFinite()) throw std::invalid_argument(who("add") + "a sample that is not finite");
    if (const double most = jet.cwiseAbs().maxCoeff(); most > largest_number)
      throw std::invalid_argument(who("add") + "a sample with a number of size " + to_text(most) +
                                  ", on which sums of squares overflow; at most " + to_text(largest_number) +
                                  " is allowed");
    if (contains(x)) throw std::invalid_argument(who("add") + "there is a sample at " + to_text(x) + " already");
    auto samples = std::make_shared<kernel_detail::KernelSamples<Dim>>(*samples_);
    samples->add(x, jet);
    if (!(given_.length_scale.array() > 0).all() && samples->size() >= next_choice_) {
      *samples = with_length(*samples, kernel_detail::LengthChoice<Dim>(*samples, given_.length_scale).chosen());
      next_choice_ = samples->size() + (samples->size() + 1) / 2;
    }
    samples_ = std::move(samples);
  }

  static constexpr double largest_number = 1e100;

  // Fills in what is left open: how many samples answer, and a length scale, which nothing tells from another until
  // there are two samples.
  static KernelOptions<Dim> begun(KernelOptions<Dim> options, int order) {
    const int derivatives = jet_size(Dim, order);
    if (options.localize_above == 0) options.localize_above = std::max(200, 1000 / derivatives);
    if (options.neighbours == 0) options.neighbours = std::min(std::max(40, 200 / derivatives), options.localize_above);
    const Point<Dim> domain = (options.upper - options.lower) / 2;
    for (int i = 0; i < Dim; ++i)
      if (options.length_scale[i] == 0) options.length_scale[i] = std::isfinite(domain[i]) ? domain[i] : 1;
    return options;
  }

  std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples_;
  KernelOptions<Dim> given_;
  int next_choice_ = 2;
  KernelView<Dim> view_;
};

}  // namespace quoin
