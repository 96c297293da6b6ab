// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace quoin {

template <int Dim>
struct CornerSample;

/// Where samples go as soon as each is evaluated, while others of their batch are not.
template <int Dim>
class SampleReceiver {
 public:
  /// Called once for each sample, as soon as it is finished, from whichever thread finished it. Throws Interrupted
  /// alone, where it waits and the Watch says so.
  virtual void receive(CornerSample<Dim>& sample) = 0;

 protected:
  ~SampleReceiver() = default;
};

/// One corner to be evaluated: the point goes in, the jet or the reason of the failure comes out.
template <int Dim>
struct CornerSample {
  Point<Dim> x;                                         ///< where f is asked
  Eigen::MatrixXd jet;                                  ///< N x derivatives; empty if the function failed
  int branch = 0;                                       ///< the function's label
  std::string reason;                                   ///< of the failure; empty if there was none
  bool retry = false;                                   ///< the failure may pass
  bool called = true;                                   ///< f was called; false where an evaluator lost it before
  double seconds = 0;                                   ///< spent in the function
  const Request* request = nullptr;                     ///< on whose behalf; set by the grid
  std::shared_ptr<const SolvedCorner<Dim>> start = {};  ///< for functions that take one; set by the grid
  SampleReceiver<Dim>* receiver = nullptr;              ///< told once, by tell(); set by the grid

  /// True if it has been evaluated.
  bool finished() const { return jet.size() > 0 || !reason.empty(); }

  /// What evaluators tell the Watch of the request, if it has one, and the storage, if there is one.
  /// CornerFunction::evaluate does both; an evaluator that fills in samples itself calls the first now and then, and
  /// the second once per sample that it has filled in.
  void throw_if_stopped() const {
    if (Watch* watch = watched()) watch->throw_if_stopped();
  }
  /// Tells the receiver and the Watch that the sample is filled in.
  void tell() {
    if (receiver) std::exchange(receiver, nullptr)->receive(*this);
    if (Watch* watch = watched()) called ? watch->evaluated(request) : watch->found(1);
  }
  /// Of the request, or null.
  Watch* watched() const { return request ? request->watch() : nullptr; }

  /// Turns a result that no grid can keep into a failure: numbers that are not finite, or too large to be interpolated,
  /// are a permanent failure of the function; a missing jet, or one of the wrong shape, is a failure of the evaluator
  /// and may pass. largest: size up to which each derivative's entries can be interpolated; empty: any finite size.
  void check(Eigen::Index rows, Eigen::Index derivatives, std::span<const double> largest = {}) {
    if (reason.empty() && (jet.rows() != rows || jet.cols() != derivatives)) {
      reason = jet.size() == 0 ? "the evaluator has not evaluated it"
                               : "the evaluator answered a jet of " + shape_text(jet) + ", expected " + to_text(rows) +
                                     " x " + to_text(derivatives);
      retry = true;
    }
    for (Eigen::Index a = 0; a < jet.cols() && reason.empty(); ++a) {
      const double most = largest.empty() ? std::numeric_limits<double>::max() : largest[static_cast<std::size_t>(a)];
      if (!(jet.col(a).array().abs() <= most).all()) reason = too_large(a, most);
    }
    if (!reason.empty()) jet.resize(0, 0);
  }

 private:
  std::string too_large(Eigen::Index a, double most) const {
    Eigen::Index row = 0;
    while (std::abs(jet(row, a)) <= most) ++row;
    return (a == 0 ? "value " : "derivative " + to_text(a) + " of output ") + to_text(row) + " is " +
           to_text(jet(row, a)) +
           (std::isfinite(jet(row, a)) ? ", too large to be interpolated" : " (or was not written)");
  }
};

/// Functions that say how they are sampled: exact_function, exact_jet and models that give their own jets. `sample` may
/// return an int, the label of the branch, and may take the nearest solved corner (see exact_function).
template <class F, int Dim>
concept JetFunction = requires(const F& f, const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
  { f.output_size() } -> std::convertible_to<Eigen::Index>;
  { F::jet_order } -> std::convertible_to<int>;
  { f.traits() } -> std::same_as<FunctionTraits>;
  f.sample(x, jet);
};

/// What a grid can be made over: a DifferentiableMap is sampled with its Jacobian.
template <class F, int Dim>
concept SampleableFunction = JetFunction<F, Dim> || DifferentiableMap<F, Dim>;

/// A callable where a function is asked for, which knows how many outputs it has.
template <class F>
concept BareCallable =
    (std::is_function_v<std::remove_pointer_t<F>> || std::is_empty_v<F> || requires { &F::operator(); }) &&
    !requires(const F& f) { f.output_size(); } && !requires(const F& f) { f.function(); };

namespace detail {
/// For constructors that are chosen for callables alone: without them a compiler lists what there is, not what to do.
template <class F>
constexpr void refuse_bare_callable() {
  static_assert(
      !BareCallable<F>,
      "a callable is to be made a function of N outputs: exact_function<Dim>(N, f) of f(x, y, J), "
      "exact_function_without_derivatives<Dim>(N, f) of f(x, y) for a grid, differenced<Dim>(N, f) elsewhere, "
      "autodiff<Dim>(N, f) if f is a template");
}
}  // namespace detail

/// What tells functions apart, as far as it can be told.
struct FunctionIdentity {
  /// The same in every process of a program: the fingerprint, or for a function without one the name of its type.
  std::string text;
  /// Different for two functions whose text says too little, but copies of one exact_function share it; 0: the text is
  /// a fingerprint, which says all.
  std::uint64_t made = 0;
};

/// The expensive function under a grid, whatever its type: an owned copy of a JetFunction, or of any
/// DifferentiableMap (sampled with its Jacobian; called from one thread at a time unless it has traits() that allow
/// more).
template <int Dim>
class CornerFunction {
 public:
  /// Throws std::invalid_argument for a function without outputs, and for one that starts from neighbours' solutions
  /// without saying how repeatable that makes it.
  template <class F>
    requires SampleableFunction<F, Dim>
  explicit CornerFunction(F f) : output_size_(detail::checked_output_size(f.output_size(), "AdaptiveGrid")) {
    if constexpr (requires {
                    { f.traits() } -> std::same_as<FunctionTraits>;
                  })
      traits_ = f.traits();
    if constexpr (requires { F::difference_gradients; }) differenced_ = F::difference_gradients;
    if constexpr (requires { F::takes_start; }) takes_start_ = F::takes_start;
    if (takes_start_ && !(traits_.repeatable_to > 0))
      throw std::invalid_argument(
          "AdaptiveGrid: f starts from a neighbour's solution, so its answers depend on what was asked before; its "
          "FunctionTraits::repeatable_to = 0 must say how much");
    if constexpr (requires { std::string(f.fingerprint().text()); })
      identity_.text = f.fingerprint().text();
    else
      identity_ = {typeid(F).name(), detail::next_function()};
    if constexpr (requires { std::uint64_t{f.made()}; }) identity_.made = f.made();
    auto shared = std::make_shared<F>(std::move(f));
    if constexpr (JetFunction<F, Dim>) {
      order_ = F::jet_order;
      sample_ = [shared](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet, const SolvedCorner<Dim>* start) -> int {
        const auto call = [&] {
          if constexpr (requires { shared->sample(x, jet, start); })
            return shared->sample(x, jet, start);
          else
            return shared->sample(x, jet);
        };
        if constexpr (std::is_same_v<decltype(call()), int>) return call();
        call();
        return 0;
      };
    } else {
      sample_ = [shared](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet, const SolvedCorner<Dim>*) {
        Eigen::VectorXd y;
        Eigen::MatrixXd J;
        shared->evaluate(x, y, J);
        if (y.size() != jet.rows() || J.rows() != jet.rows() || J.cols() != Dim)
          throw std::length_error("f answered " + to_text(y.size()) + " values and a Jacobian of " + shape_text(J) +
                                  ", expected " + to_text(jet.rows()) + " outputs");
        jet.col(0) = y;
        jet.rightCols(Dim) = J;
        return 0;
      };
    }
  }

  /// No function, in the place of the one that answered these samples: every call is a failure that may pass.
  static CornerFunction absent(const Samples<Dim>& samples) {
    CornerFunction f(samples.output_size(), samples.jet_order, samples.difference_gradients,
                     "there is no sample here, and the grid has no function");
    f.exists_ = false;
    return f;
  }

  /// A function that an evaluator answers for, in other processes: called here it is a failure that may pass. order 0:
  /// values alone, and the grid takes gradients from differences.
  static CornerFunction elsewhere(Eigen::Index output_size, int order) {
    if (order < 0 || order > 3)
      throw std::invalid_argument("CornerFunction: jet order " + to_text(order) + ", expected 0 to 3");
    return CornerFunction(output_size, order, order == 0, "the function can be called by its evaluator alone");
  }

  /// false: absent().
  bool exists() const { return exists_; }
  Eigen::Index output_size() const { return output_size_; }
  /// K; 0 with differenced gradients.
  int order() const { return order_; }
  /// Columns of its jets.
  int derivatives() const { return jet_size(Dim, order_); }
  bool differenced() const { return differenced_; }  ///< the grid takes gradients from values on the lattice
  bool takes_start() const { return takes_start_; }  ///< wants samples with the nearest solved corner
  FunctionTraits traits() const { return traits_; }
  const FunctionIdentity& identity() const { return identity_; }

  /// Fills sample.jet and sample.branch, or sample.reason. Passes on only Interrupted and the unwinding of a cancelled
  /// thread, and then leaves the sample unchanged.
  void evaluate(CornerSample<Dim>& sample) const {
    sample.throw_if_stopped();
    const Request::Scope scope(sample.request);
    const auto start = std::chrono::steady_clock::now();
    call(sample);
    sample.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    sample.tell();
  }

 private:
  // One that every call of fails, so that another call may be tried.
  CornerFunction(Eigen::Index output_size, int order, bool differenced, std::string reason)
      : output_size_(detail::checked_output_size(output_size, "AdaptiveGrid")),
        order_(order),
        differenced_(differenced),
        traits_{.concurrent = true},
        sample_([reason = std::move(reason)](const Point<Dim>&, Eigen::Ref<Eigen::MatrixXd>,
                                             const SolvedCorner<Dim>*) -> int { throw RetryableFailure(reason); }) {}

  void call(CornerSample<Dim>& sample) const {
    try {
      Eigen::MatrixXd jet =
          Eigen::MatrixXd::Constant(output_size_, derivatives(), std::numeric_limits<double>::quiet_NaN());
      sample.branch = sample_(sample.x, jet, sample.start.get());
      sample.jet = std::move(jet);
      sample.check(output_size_, derivatives());
    } catch (const Interrupted&) {
      throw;
    } catch (const RetryableFailure& failure) {
      fail(sample, failure.what(), true);
    } catch (const std::bad_alloc&) {
      fail(sample, "out of memory", true);  // short enough to need no memory
    } catch (const std::exception& failure) {
      fail(sample, failure.what(), false);
    } catch (...) {
      if (std::current_exception() == nullptr) throw;  // no C++ exception: a cancelled thread
      fail(sample, "an exception that is no std::exception", false);
    }
  }

  static void fail(CornerSample<Dim>& sample, const char* reason, bool retry) {
    sample.reason = *reason ? reason : "an exception without words";
    sample.retry = retry;
  }

  Eigen::Index output_size_;
  int order_ = 1;
  bool exists_ = true;
  bool differenced_ = false;
  bool takes_start_ = false;
  FunctionTraits traits_;
  FunctionIdentity identity_;
  std::function<int(const Point<Dim>&, Eigen::Ref<Eigen::MatrixXd>, const SolvedCorner<Dim>*)> sample_;
};

/// Evaluates on the calling thread, one corner after the other.
struct ThisThread {
  static constexpr bool one_by_one = true;  ///< samples come one at a time, whatever f is

  /// One after the other, in their order.
  template <int Dim>
  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    for (CornerSample<Dim>& sample : samples) f.evaluate(sample);
  }
};

/// Evaluates missing corners: called with a batch of samples, it calls f.evaluate on each, in any order, from any
/// threads, and returns when all are done. If the evaluator throws, so does the query: samples that were evaluated are
/// kept, and none of the evaluator's threads may touch the samples afterwards. It may also evaluate elsewhere and fill
/// in the samples itself; the grid checks them.
///
/// Any callable will do; whether it gets batches follows from its type. If f is not concurrent, samples come one at a
/// time, unless the type says `static constexpr bool elsewhere = true`: it evaluates in other processes, never in this
/// one, and may be called from several threads. To one that says `one_by_one` they come so in any case.
template <int Dim>
class Evaluator {
 public:
  /// The corners of a batch.
  using Samples = std::span<CornerSample<Dim>>;

  Evaluator() = default;
  /// Holds a copy of the evaluator.
  template <class E>
    requires(!std::is_same_v<E, Evaluator> && std::is_invocable_v<E&, const CornerFunction<Dim>&, Samples>)
  Evaluator(E evaluate)  // NOLINT: every evaluator is one
      : one_by_one_(requires { requires E::one_by_one; }),
        elsewhere_(requires { requires E::elsewhere; }),
        evaluate_(std::move(evaluate)) {}

  /// The same, done by another callable that calls this one.
  Evaluator wrapped(std::function<void(const CornerFunction<Dim>&, Samples)> evaluate) const {
    Evaluator wrapper = *this;
    wrapper.evaluate_ = std::move(evaluate);
    return wrapper;
  }

  /// Whether there is one.
  explicit operator bool() const { return evaluate_ != nullptr; }
  /// Samples come one at a time, whatever f is.
  bool one_by_one() const { return one_by_one_; }
  /// It calls f in other processes alone.
  bool elsewhere() const { return elsewhere_; }
  /// Fills in the samples, or throws. See above.
  void operator()(const CornerFunction<Dim>& f, Samples samples) const { evaluate_(f, samples); }

 private:
  bool one_by_one_ = false, elsewhere_ = false;
  std::function<void(const CornerFunction<Dim>&, Samples)> evaluate_;
};

}  // namespace quoin
