// SPDX-License-Identifier: BSD-3-Clause
// Where samples come from: the storage, or f through the evaluator.
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The function under a grid, and who calls it; what it answers is counted, and stored if there is a storage.
template <int Dim>
class FunctionCalls : private SampleReceiver<Dim> {
 public:
  /// storage: or nullptr.
  FunctionCalls(CornerFunction<Dim> f, Evaluator<Dim> evaluator, std::shared_ptr<SampleStorage<Dim>> storage)
      : f_(std::move(f)), evaluator_(std::move(evaluator)), storage_(std::move(storage)) {}

  const CornerFunction<Dim>& function() const { return f_; }
  const Evaluator<Dim>& evaluator() const { return evaluator_; }

  /// Fills in the samples. within(x): as far as a stored sample may lie from x; start(x): the start of a function that
  /// takes one.
  template <class Within, class Start>
  void operator()(std::span<CornerSample<Dim>> samples, Within&& within, Start&& start) {
    if (!storage_) return call(samples, start);
    std::vector<CornerSample<Dim>> missing;
    std::vector<std::size_t> places;
    missing.reserve(samples.size());
    places.reserve(samples.size());
    StopCheck stop(64);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      stop();
      if (storage_->find(samples[i], within(samples[i].x), f_.derivatives())) continue;
      places.push_back(i);
      missing.push_back(std::move(samples[i]));
      missing.back().receiver = this;
    }
    from_storage_.fetch_add(samples.size() - missing.size(), std::memory_order_relaxed);
    if (Watch* watch = samples.empty() ? nullptr : samples.front().watched())
      watch->found(samples.size() - missing.size());
    if (missing.empty()) return;
    struct PutBack {  // what was finished, even if the evaluator throws
      FunctionCalls& calls;
      std::span<CornerSample<Dim>> samples;
      std::vector<CornerSample<Dim>>& missing;
      const std::vector<std::size_t>& places;
      ~PutBack() {
        for (std::size_t i = 0; i < missing.size(); ++i) {
          try {
            calls.store_untold(missing[i]);
          } catch (const Interrupted&) {  // as what is on its way already
          }
          samples[places[i]] = std::move(missing[i]);
        }
      }
    };
    const PutBack put_back{*this, samples, missing, places};
    call(missing, start);
    for (CornerSample<Dim>& sample : missing) store_untold(sample);
  }

  /// Gives a sample to the storage, if there is one, unless its failure may pass. Throws Interrupted alone.
  void store(CornerSample<Dim>& sample) {
    try {
      if (!storage_ || !sample.finished()) return;
      sample.check(f_.output_size(), f_.derivatives());
      if (!sample.retry) storage_->keep(sample);
    } catch (const std::bad_alloc&) {  // the grid keeps it
    }
  }

  std::size_t evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  std::size_t batches() const { return batches_.load(std::memory_order_relaxed); }
  std::size_t from_storage() const { return from_storage_.load(std::memory_order_relaxed); }
  double seconds() const { return 1e-9 * static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)); }

 private:
  void receive(CornerSample<Dim>& sample) override { store(sample); }
  // One that was evaluated by who does not tell.
  void store_untold(CornerSample<Dim>& sample) {
    if (std::exchange(sample.receiver, nullptr) != nullptr) store(sample);
  }

  template <class Start>
  void call(std::span<CornerSample<Dim>> samples, Start&& start) {
    if (f_.takes_start())
      for (CornerSample<Dim>& sample : samples) sample.start = start(sample.x);
    struct Count {  // counts even if the evaluator throws
      FunctionCalls& calls;
      std::span<const CornerSample<Dim>> samples;
      ~Count() {
        std::size_t evaluated = 0;
        double seconds = 0;
        for (const CornerSample<Dim>& sample : samples) {
          evaluated += calls.f_.exists() && sample.finished() && sample.called;
          seconds += sample.seconds;
        }
        calls.evaluations_.fetch_add(evaluated, std::memory_order_relaxed);
        calls.nanoseconds_.fetch_add(static_cast<std::uint64_t>(1e9 * seconds), std::memory_order_relaxed);
      }
    };
    const Count count{*this, samples};
    if (Watch* watch = samples.empty() ? nullptr : samples.front().watched()) watch->miss(samples.size());
    batches_.fetch_add(1, std::memory_order_relaxed);
    evaluator_(f_, samples);
  }

  CornerFunction<Dim> f_;
  Evaluator<Dim> evaluator_;
  std::shared_ptr<SampleStorage<Dim>> storage_;
  std::atomic<std::size_t> evaluations_{0}, batches_{0}, from_storage_{0};
  std::atomic<std::uint64_t> nanoseconds_{0};
};

}  // namespace quoin::grid_detail
