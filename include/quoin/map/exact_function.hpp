// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace quoin {

/// Properties of a function that a grid must know besides its values.
struct FunctionTraits {
  /// True if the function may be called from several threads at once; otherwise a grid makes one call at a time.
  bool concurrent = false;
  /// Two calls at one point on the same branch agree to within this, relative to the largest output; 0: to the bit.
  /// Part of every estimated error.
  double repeatable_to = 0;
};

/// A corner at which the function is known, offered to a function that starts from a neighbour's solution.
template <int Dim>
struct SolvedCorner {
  Point<Dim> x;         ///< in the coordinates of the grid
  Eigen::MatrixXd jet;  ///< N x derivatives
  int branch = 0;       ///< the label that the function gave it
};

/// The outputs that a callable fills: a whole jet, value and Jacobian, or the value alone.
enum class SampleForm { jet, value_and_jacobian, value };

namespace detail {
/// Another number with each call in this process.
inline std::uint64_t next_function() {
  static std::atomic<std::uint64_t> made{0};
  return ++made;
}

inline Eigen::Index checked_output_size(Eigen::Index size, const char* who) {
  if (size < 1) throw std::invalid_argument(std::string(who) + ": output size is " + to_text(size));
  return size;
}

template <int Dim, class Callable, class... Outputs>
constexpr bool takes_start = std::invocable<const Callable&, const Point<Dim>&, Outputs..., const SolvedCorner<Dim>*>;

/// Whether a callable can be called with these outputs, as it is held: const.
template <int Dim, class Callable, class... Outputs>
constexpr bool fills =
    std::invocable<const Callable&, const Point<Dim>&, Outputs...> || takes_start<Dim, Callable, Outputs...>;

/// Calls the callable, with the start if it takes one. Returns its label, or 0 if it returns none.
template <int Dim, class Callable, class... Outputs>
int call_for_branch(const Callable& callable, const Point<Dim>& x, const SolvedCorner<Dim>* start, Outputs... outputs) {
  const auto call = [&] {
    if constexpr (takes_start<Dim, Callable, Outputs...>)
      return callable(x, outputs..., start);
    else
      return callable(x, outputs...);
  };
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return 0;
  } else {
    static_assert(std::is_same_v<decltype(call()), int>, "a callable returns nothing, or the int label of its branch");
    return call();
  }
}
}  // namespace detail

/// An expensive function that is sampled with its derivatives up to order K, made from a callable. See exact_function,
/// exact_jet and exact_function_without_derivatives, which make it and say what the callable may take and return.
template <int Dim, int K, class Callable, SampleForm form = SampleForm::jet>
class ExactJet {
  using Column = Eigen::Ref<Eigen::VectorXd>;
  using Columns = Eigen::Ref<Eigen::MatrixXd>;

 public:
  static constexpr int jet_order = K;  ///< K: `sample` gives the derivatives up to this total order
  /// Whether the callable takes a SolvedCorner to start from.
  static constexpr bool takes_start = [] {
    if constexpr (form == SampleForm::jet)
      return detail::takes_start<Dim, Callable, Columns>;
    else if constexpr (form == SampleForm::value_and_jacobian)
      return detail::takes_start<Dim, Callable, Column, Columns>;
    else
      return detail::takes_start<Dim, Callable, Column>;
  }();

  /// Throws std::invalid_argument unless output_size (N) is positive, and for an empty std::function.
  ExactJet(Eigen::Index output_size, Callable callable, FunctionTraits traits)
      : output_size_(detail::checked_output_size(output_size, "exact_jet")),
        callable_(std::move(callable)),
        traits_(traits) {
    if constexpr (requires { callable_ == nullptr; }) {  // a std::function
      if (callable_ == nullptr) throw std::invalid_argument("exact_function: the callable is empty");
    }
  }

  Eigen::Index output_size() const { return output_size_; }
  FunctionTraits traits() const { return traits_; }
  /// The same of this function's copies, and of no other function of the process.
  std::uint64_t made() const { return made_; }

  /// jet: N x C(Dim + K, K), derivatives in graded lexicographic order. Returns the label of the branch. Throws what
  /// the callable throws.
  int sample(const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet, const SolvedCorner<Dim>* start = nullptr) const {
    if constexpr (form == SampleForm::jet)
      return detail::call_for_branch<Dim>(callable_, x, start, jet);
    else if constexpr (form == SampleForm::value_and_jacobian)
      return detail::call_for_branch<Dim>(callable_, x, start, Column(jet.col(0)), Columns(jet.rightCols(Dim)));
    else
      return detail::call_for_branch<Dim>(callable_, x, start, Column(jet.col(0)));
  }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd jet(output_size_, jet_size(Dim, K));
    sample(x, jet);
    resize_strong(y, output_size_);
    y = jet.col(0);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const
    requires(K >= 1)
  {
    Eigen::MatrixXd jet(output_size_, jet_size(Dim, K));
    sample(x, jet);
    resize_strong(y, output_size_);
    y = jet.col(0);
    resize_strong(J, output_size_, Dim);
    J = jet.middleCols(1, Dim);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  Eigen::Index output_size_;
  Callable callable_;
  FunctionTraits traits_;
  std::uint64_t made_ = detail::next_function();
};

/// An expensive function that can only give its value. A grid over it stores values at its corners and takes their
/// gradients by fourth-order differences along the lattice (see docs/grid.md for the order and the price).
template <int Dim, class Callable>
class ExactValue : public ExactJet<Dim, 0, Callable, SampleForm::value> {
 public:
  static constexpr bool difference_gradients = true;  ///< grids difference the gradients at their corners
  using ExactJet<Dim, 0, Callable, SampleForm::value>::ExactJet;
};

/// Makes a function with its Jacobian from
///   callable(const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y /*N*/, Eigen::Ref<Eigen::MatrixXd> J /*N x Dim*/),
/// which throws if it has no answer. The result is a DifferentiableMap<Dim>.
///
/// A callable may return an int, the label of the branch that its answer lies on (another equilibrium, another contact
/// state): a grid does not interpolate between corners of different labels. It may take one more argument,
/// `const SolvedCorner<Dim>* start`, the nearest corner that the grid has solved (nullptr: none yet), to start from;
/// its traits must then say how repeatable it is. Both hold for exact_jet and exact_function_without_derivatives too.
template <int Dim, class Callable>
auto exact_function(Eigen::Index output_size, Callable callable, FunctionTraits traits = {}) {
  static_assert(
      detail::fills<Dim, Callable, Eigen::Ref<Eigen::VectorXd>, Eigen::Ref<Eigen::MatrixXd>>,
      "exact_function takes f(x, y, J). Without a Jacobian: exact_function_without_derivatives<Dim>(N, f) for a "
      "grid, differenced<Dim>(N, f) elsewhere, autodiff<Dim>(N, f) if f is a template");
  return ExactJet<Dim, 1, Callable, SampleForm::value_and_jacobian>(output_size, std::move(callable), traits);
}

/// Makes a function from callable(const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y /*N*/), to be differenced by the
/// grid that samples it.
template <int Dim, class Callable>
auto exact_function_without_derivatives(Eigen::Index output_size, Callable callable, FunctionTraits traits = {}) {
  static_assert(
      detail::fills<Dim, Callable, Eigen::Ref<Eigen::VectorXd>>,
      "exact_function_without_derivatives takes f(x, y). With a Jacobian, f(x, y, J): exact_function<Dim>(N, f)");
  return ExactValue<Dim, Callable>(output_size, std::move(callable), traits);
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
