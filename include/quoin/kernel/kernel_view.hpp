// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/detail/kernel_samples.hpp"
#include "quoin/kernel/kernel_calibration.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

namespace quoin {

/// A kernel interpolant as it was when the view was made, or a functional of it: a DifferentiableMap<Dim>.
///
///   KernelView<4> view = kernel.view();
///   view.evaluate(x, y, J);                  // y: N, J: N x 4
///   auto tip = view.linear_output(C);       // C f, faster for its fewer rows
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
  explicit KernelView(std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples);

  Eigen::Index output_size() const;
  /// What it answers from; shared with the views made at the same time.
  const kernel_detail::KernelSamples<Dim>& samples() const { return *samples_; }
  /// What calibrates the errors of the answer at x; without samples for a functional.
  KernelCalibration calibration(const Point<Dim>& x) const;

  /// The map x -> C f(x). C: M x N. The samples are projected at once, O(M N n).
  KernelView linear_output(const Eigen::MatrixXd& C) const;

  /// Throws DomainError outside KernelOptions::lower and upper, CornerFailure without any sample.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, y, nullptr, true); }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const { return answer(x, y, &J, true); }

  /// As evaluate, but what would be thrown comes back as Trust::outside or Trust::failed, with y and J untouched.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const { return answer(x, y, nullptr, false); }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return answer(x, y, &J, false);
  }

  /// The second derivatives too, H: N x Dim (Dim + 1)/2, as TwiceDifferentiableMap says. The errors that the answer
  /// states are those of value and Jacobian.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return answer(x, y, &J, true, &H);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const {
    return answer(x, y, &J, false, &H);
  }

  /// The uncertainty at x, independent of the outputs. O(n^2).
  KernelDeviation deviation(const Point<Dim>& x) const;

  /// What evaluate would say of its errors at the points X (Dim x M): faster than to evaluate them one by one.
  std::vector<Answer> estimates(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

 private:
  struct Coefficients;  // of a patch, made when it is first needed
  struct Outputs;
  using Patch = typename kernel_detail::KernelSamples<Dim>::Patch;

  static Eigen::MatrixXd& scratch(int which);
  static std::string who(const char* function);
  const Coefficients& coefficients(int index, const Patch& patch) const;

  Answer estimate(const Coefficients& made, const Point<Dim>& x, const KernelDeviation& deviation) const;

  // H: only with J.
  Answer answer(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, bool throwing,
                Eigen::MatrixXd* H = nullptr) const;

  std::shared_ptr<const kernel_detail::KernelSamples<Dim>> samples_;
  std::shared_ptr<Outputs> outputs_;
};

}  // namespace quoin

#include "quoin/kernel/detail/kernel_view_members.hpp"
