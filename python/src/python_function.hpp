// SPDX-License-Identifier: BSD-3-Clause
// Python's f under a grid: called at one corner, or handed over with a batch of corners to who has them evaluated.
#pragma once

#include "arrays.hpp"
#include "gil.hpp"
#include "python_call.hpp"
#include "python_error.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/util/to_text.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::python {

/// A weak reference to the Python object that calls f (quoin._source.Source). The maps that Python holds own it: so a
/// cycle from f through a grid back to f lies in Python, where the collector sees it.
class WeakSource {
 public:
  /// Called with the GIL.
  explicit WeakSource(const py::object& source)
      : reference_(new py::weakref(source), [](py::weakref* reference) {
          if (!Py_IsInitialized()) return;
          const WithGil gil;
          delete reference;
        }) {}

  /// Called with the GIL. Throws RetryableFailure if the source is gone: no grid and no view of Python's is left.
  py::object get() const {
    py::object source = (*reference_)();
    if (source.is_none()) throw RetryableFailure("the grid that calls f is gone");
    return source;
  }

 private:
  std::shared_ptr<py::weakref> reference_;
};

/// Copies a jet (N, derivatives) that the source has checked.
inline void read_jet(py::handle answer, Eigen::Ref<Eigen::MatrixXd> jet) {
  const auto array = as_doubles(answer, "jet");
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (array.ndim() != 2 || array.shape(0) != jet.rows() || array.shape(1) != jet.cols())
    throw std::invalid_argument("f answered a jet of shape " + shape_of(array) + ", expected (" + to_text(jet.rows()) +
                                ", " + to_text(jet.cols()) + ")");
  jet = Eigen::Map<const Rows>(array.data(), jet.rows(), jet.cols());
}

/// f with derivatives up to order K: a JetFunction<Dim>. K = 0: values alone, differenced by the grid.
template <int Dim, int K>
class PythonFunction {
 public:
  static constexpr int jet_order = K;
  static constexpr bool difference_gradients = K == 0;

  PythonFunction(Eigen::Index output_size, WeakSource source, FunctionTraits traits)
      : output_size_(output_size), source_(std::move(source)), traits_(traits) {}

  Eigen::Index output_size() const { return output_size_; }
  FunctionTraits traits() const { return traits_; }

  void sample(const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) const {
    const PythonCall call;
    try {
      const py::object call_at = source_.get().attr("call_at");
      read_jet(call_python(call_at, array_of(x)), jet);
    } catch (const py::error_already_set& raised) {
      throw_of_function(raised);
    }
  }

 private:
  Eigen::Index output_size_;
  WeakSource source_;
  FunctionTraits traits_;
};

/// Calls f on the thread that queries, with what it calls: an evaluator that brings its function.
template <int Dim>
class SingleCalls {
 public:
  static constexpr bool one_by_one = true;

  explicit SingleCalls(CornerFunction<Dim> f) : f_(std::move(f)) {}
  CornerFunction<Dim> function() const { return f_; }
  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    ThisThread{}(f, samples);
  }

 private:
  CornerFunction<Dim> f_;
};

/// Hands a batch of corners to the source: f of many points, or an executor. Never gated: the source may call f from
/// several threads or processes.
template <int Dim>
class BatchCalls {
 public:
  static constexpr bool elsewhere = true;

  BatchCalls(CornerFunction<Dim> f, WeakSource source) : f_(std::move(f)), source_(std::move(source)) {}
  CornerFunction<Dim> function() const { return f_; }

  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    const PythonCall call;
    auto points = new_array({static_cast<py::ssize_t>(samples.size()), Dim});
    for (std::size_t m = 0; m < samples.size(); ++m)
      Eigen::Map<Point<Dim>>(points.mutable_data() + Dim * static_cast<py::ssize_t>(m)) = samples[m].x;
    // Python may keep what it calls back with beyond the batch, such as a future that was given up.
    const auto open = std::make_shared<std::span<CornerSample<Dim>>>(samples);
    struct Close {
      std::shared_ptr<std::span<CornerSample<Dim>>> open;
      ~Close() { *open = {}; }
    };
    const Close close{open};
    const py::cpp_function answered([open, &f](std::size_t m, py::handle jet, double seconds) {
      if (m >= open->size()) return;
      CornerSample<Dim>& sample = (*open)[m];
      Eigen::MatrixXd read(f.output_size(), f.derivatives());
      read_jet(jet, read);
      sample.jet = std::move(read);
      finish(sample, seconds);
    });
    const py::cpp_function failed([open](std::size_t m, std::string reason, bool retry, double seconds, bool called) {
      if (m >= open->size()) return;
      (*open)[m].reason = std::move(reason);
      (*open)[m].retry = retry;
      (*open)[m].called = called;
      finish((*open)[m], seconds);
    });
    try {
      const py::object evaluate = source_.get().attr("evaluate");
      call_python(evaluate, points, answered, failed);
    } catch (const py::error_already_set& raised) {
      if (!raised.matches(PyExc_Exception)) throw PythonInterrupted(raised);
      throw;
    }
  }

 private:
  static void finish(CornerSample<Dim>& sample, double seconds) {
    sample.seconds = seconds;
    const WithoutGil release;  // a store may wait for another program
    sample.tell();
  }

  CornerFunction<Dim> f_;
  WeakSource source_;
};

}  // namespace quoin::python
