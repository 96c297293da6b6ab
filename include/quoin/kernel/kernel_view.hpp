// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/errors.hpp"
#include "quoin/core/fit_size.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/kernel/detail/kernel_samples.hpp"

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// The largest errors, in units of sigma, of the last few predictions that a new sample has tested.
struct KernelCalibration {
  static constexpr int window = 6;       ///< predictions considered; with fewer nothing is estimated
  static constexpr double safety = 1.5;  ///< an estimate is safety * ratio * sigma
  double value = std::numeric_limits<double>::quiet_NaN();
  double gradient = std::numeric_limits<double>::quiet_NaN();  ///< of derivatives times length scales
};

/// A kernel interpolant as it was when the view was made, or a functional of it: a DifferentiableMap<Dim>.
///
///   KernelView<4> view = kernel.view();
///   view.evaluate(x, y, J);                  // y: N, J: N x 4
///   auto tip = view.add_functional(C);       // C f, faster for its fewer rows
///
/// Immutable, copyable, safe from many threads. Smooth, but for jumps where patches meet (above
/// KernelOptions::localize_above samples).
///
/// With n = samples * derivatives known numbers and M outputs a query costs O(M n), and the first one O(M n^2) more. A
/// view of all outputs also estimates its errors, O(n^2) more; a functional does not, since C does not preserve the
/// norm: it is unchecked.
template <int Dim>
class KernelView {
 public:
  /// Made by KernelInterpolant.
  KernelView(std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples, const KernelCalibration& calibration)
      : samples_(std::move(samples)), calibration_(calibration), outputs_(std::make_shared<Outputs>()) {
    outputs_->rows = samples_->rows();
    outputs_->offset = samples_->offset();
    outputs_->jets = samples_->jets();
    outputs_->coefficients = std::vector<Coefficients>(static_cast<std::size_t>(samples_->patch_count()));
  }

  Eigen::Index output_size() const { return outputs_->rows; }
  const kernel_detail::KernelSamples<Dim>& samples() const { return *samples_; }
  const KernelCalibration& calibration() const { return calibration_; }

  /// The map x -> C f(x). C: M x N. The samples are projected at once, O(M N n).
  KernelView add_functional(const Eigen::MatrixXd& C) const {
    if (C.cols() != output_size() || C.rows() < 1)
      throw std::invalid_argument(who("add_functional") + "C is " + to_text(C.rows()) + " x " + to_text(C.cols()) +
                                  ", the map has " + to_text(output_size()) + " outputs");
    KernelView functional(*this);
    functional.calibration_ = {};
    functional.outputs_ = std::make_shared<Outputs>();
    functional.outputs_->rows = C.rows();
    if (samples_->size() > 0) functional.outputs_->offset = C * outputs_->offset;
    for (const auto& jet : outputs_->jets)
      functional.outputs_->jets.push_back(std::make_shared<const Eigen::MatrixXd>(C * *jet));
    functional.outputs_->coefficients = std::vector<Coefficients>(outputs_->coefficients.size());
    return functional;
  }

  /// Throws DomainError outside KernelOptions::lower and upper, CornerFailure without any sample.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, y, nullptr, true); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const { return answer(x, y, &J, true); }

  /// As evaluate, but what would be thrown comes back as Trust::outside or Trust::failed, with y and J untouched.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, y, nullptr, false); }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, y, &J, false);
  }

  /// The uncertainty at x, independent of the outputs. O(n^2).
  KernelDeviation deviation(const Point<Dim>& x) const {
    return samples_->size() == 0 ? KernelDeviation{} : samples_->deviation(x, scratch(1));
  }

  /// The errors that evaluate would state at a point of this deviation.
  Answer estimate(const KernelDeviation& deviation) const {
    Answer answer;
    if (calibration_.value >= 0) {
      answer.trust = Trust::estimated;
      answer.error = KernelCalibration::safety * calibration_.value * deviation.value;
      answer.jacobian_error = KernelCalibration::safety * calibration_.gradient * deviation.gradient /
                              samples_->options().length_scale.minCoeff();
    }
    return answer;
  }

 private:
  struct Coefficients {
    std::once_flag made;
    Eigen::MatrixXd matrix;  // rows x (members * derivatives)
  };
  struct Outputs {
    Eigen::Index rows = 0;
    Eigen::VectorXd offset;
    std::vector<std::shared_ptr<const Eigen::MatrixXd>> jets;
    std::vector<Coefficients> coefficients;  // per patch
  };
  using Patch = typename kernel_detail::KernelSamples<Dim>::Patch;

  static Eigen::MatrixXd& scratch(int which) {
    thread_local Eigen::MatrixXd buffers[2];
    return buffers[which];
  }
  static std::string who(const char* function) { return "KernelView<" + to_text(Dim) + ">::" + function + ": "; }

  const Eigen::MatrixXd& coefficients(int index, const Patch& patch) const {
    Coefficients& c = outputs_->coefficients[static_cast<std::size_t>(index)];
    std::call_once(c.made, [&] {
      const Eigen::Index q = samples_->derivatives();
      Eigen::MatrixXd transposed(static_cast<Eigen::Index>(patch.members.size()) * q, output_size());
      for (std::size_t m = 0; m < patch.members.size(); ++m)
        transposed.middleRows(static_cast<Eigen::Index>(m) * q, q) =
            outputs_->jets[static_cast<std::size_t>(patch.members[m])]->transpose();
      patch.factor.solve(transposed);
      c.matrix = transposed.transpose();
    });
    return c.matrix;
  }

  Answer answer(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, bool throwing) const {
    const KernelOptions<Dim>& options = samples_->options();
    for (int i = 0; i < Dim; ++i)
      if (!(x[i] >= options.lower[i] && x[i] <= options.upper[i]) || !std::isfinite(x[i])) {
        if (!throwing) return {.trust = Trust::outside};
        throw DomainError(who("evaluate") + "point " + to_text(i) + " = " + to_text(x[i]) + " is outside the domain, " +
                          to_text(options.lower[i]) + " to " + to_text(options.upper[i]));
      }
    if (samples_->size() == 0) {
      if (!throwing) return {.trust = Trust::failed};
      throw CornerFailure(who("evaluate") + "there is no sample yet");
    }
    const int index = samples_->patch_index(x);
    const Patch& patch = samples_->patch(index);
    const Eigen::MatrixXd& c = coefficients(index, patch);
    Eigen::MatrixXd& k = scratch(0);
    fit_size(k, c.cols(), J ? 1 + Dim : 1);
    samples_->correlate(patch, x, k);
    fit_size(y, outputs_->offset.size());
    y = outputs_->offset;
    y.noalias() += c * k.col(0);
    if (J) {
      for (int j = 0; j < Dim; ++j) k.col(1 + j) /= options.length_scale[j];
      fit_size(*J, c.rows(), Dim);
      J->noalias() = c * k.template rightCols<Dim>();
    }
    if (!(calibration_.value >= 0)) return {};
    if (J)
      for (int j = 0; j < Dim; ++j) k.col(1 + j) *= options.length_scale[j];
    Answer estimated = estimate(samples_->deviation_of(patch, k));
    if (!J) estimated.jacobian_error = std::numeric_limits<double>::quiet_NaN();
    return estimated;
  }

  std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples_;
  KernelCalibration calibration_;
  std::shared_ptr<Outputs> outputs_;
};

}  // namespace quoin
