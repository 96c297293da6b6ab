// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// What a grid must know of a function besides its values.
struct FunctionTraits {
  bool concurrent = false;   ///< may be called from several threads at once; otherwise a grid calls it one at a time
  double repeatable_to = 0;  ///< two calls at one point agree to this, relative to the largest output; 0: to the bit
};

namespace detail {
inline Eigen::Index checked_output_size(Eigen::Index size, const char* who) {
  if (size < 1) throw std::invalid_argument(std::string(who) + ": output size is " + std::to_string(size));
  return size;
}
}  // namespace detail

/// An expensive function that is sampled with its derivatives up to order K, made from a callable. See exact_function,
/// exact_jet and exact_function_without_derivatives, which make it.
template <int Dim, int K, class Callable>
class ExactJet {
 public:
  static constexpr int jet_order = K;

  ExactJet(Eigen::Index output_size, Callable callable, FunctionTraits traits)
      : output_size_(detail::checked_output_size(output_size, "exact_jet")),
        callable_(std::move(callable)),
        traits_(traits) {}

  Eigen::Index output_size() const { return output_size_; }
  FunctionTraits traits() const { return traits_; }

  /// jet: N x C(Dim + K, K), derivatives in graded lexicographic order. Throws what the callable throws.
  void sample(const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) const { callable_(x, jet); }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd jet(output_size_, jet_size(Dim, K));
    sample(x, jet);
    y = jet.col(0);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const
    requires(K >= 1)
  {
    Eigen::MatrixXd jet(output_size_, jet_size(Dim, K));
    sample(x, jet);
    y = jet.col(0);
    J = jet.middleCols(1, Dim);
    return {.trust = Trust::exact, .error = 0};
  }

 private:
  Eigen::Index output_size_;
  Callable callable_;
  FunctionTraits traits_;
};

namespace detail {
template <class Callable>
struct ValueAndJacobian {
  Callable callable;
  template <class X>
  void operator()(const X& x, Eigen::Ref<Eigen::MatrixXd> jet) const {
    callable(x, jet.col(0), jet.rightCols(jet.cols() - 1));
  }
};
template <class Callable>
struct ValueOnly {
  Callable callable;
  template <class X>
  void operator()(const X& x, Eigen::Ref<Eigen::MatrixXd> jet) const {
    callable(x, jet.col(0));
  }
};
}  // namespace detail

/// An expensive function that can only give its value. A grid over it stores values at its corners and takes their
/// gradients by fourth-order differences along the lattice (see docs/grid.md for the order and the price).
template <int Dim, class Callable>
class ExactValue : public ExactJet<Dim, 0, detail::ValueOnly<Callable>> {
 public:
  static constexpr bool difference_gradients = true;
  using ExactJet<Dim, 0, detail::ValueOnly<Callable>>::ExactJet;
};

/// Makes a function with its Jacobian from
///   callable(const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y /*N*/, Eigen::Ref<Eigen::MatrixXd> J /*N x Dim*/),
/// which throws if it has no answer. The result is a DifferentiableMap<Dim>.
template <int Dim, class Callable>
auto exact_function(Eigen::Index output_size, Callable callable, FunctionTraits traits = {}) {
  using Wrapped = detail::ValueAndJacobian<Callable>;
  return ExactJet<Dim, 1, Wrapped>(output_size, Wrapped{std::move(callable)}, traits);
}

/// Makes a function from callable(const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y /*N*/), to be differenced by the
/// grid that samples it.
template <int Dim, class Callable>
auto exact_function_without_derivatives(Eigen::Index output_size, Callable callable, FunctionTraits traits = {}) {
  return ExactValue<Dim, Callable>(output_size, detail::ValueOnly<Callable>{std::move(callable)}, traits);
}

/// Makes a function with all derivatives up to order K (0 to 3) from
///   callable(const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet /*N x C(Dim + K, K)*/).
/// The columns stand in graded lexicographic order (graded_multi_indices); they are plain derivatives d^a f, not
/// divided by factorials.
template <int Dim, int K, class Callable>
auto exact_jet(Eigen::Index output_size, Callable callable, FunctionTraits traits = {}) {
  static_assert(0 <= K && K <= 3, "jets are of order 0 to 3");
  return ExactJet<Dim, K, Callable>(output_size, std::move(callable), traits);
}

}  // namespace quoin
