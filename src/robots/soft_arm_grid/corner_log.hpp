// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"
#include "quoin/util/at_fork.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

/// The corners at which a grid asked for f_s or found it stored, in that order. Safe to use from many threads.
template <int SpaceDim>
class SoftArmGrid<SpaceDim>::CornerLog {
 public:
  /// An evaluator that records what it evaluates.
  static Evaluator<lines> noting(const Evaluator<lines>& evaluator, std::shared_ptr<CornerLog> log) {
    return evaluator.wrapped(
        [evaluator, log = std::move(log)](const CornerFunction<lines>& f, std::span<CornerSample<lines>> samples) {
          struct Note {  // records also if the evaluator throws: the results up to then are kept
            CornerLog& log;
            std::span<CornerSample<lines>> samples;
            ~Note() { log.add(samples); }
          };
          const Note note{*log, samples};
          evaluator(f, samples);
        });
  }

  /// A storage that records what is found in it.
  class NotingStorage : public SampleStorage<lines> {
   public:
    NotingStorage(std::shared_ptr<SampleStorage<lines>> storage, std::shared_ptr<CornerLog> log)
        : storage_(std::move(storage)), log_(std::move(log)) {}

    void open(Eigen::Index output_size, int jet_order) override { storage_->open(output_size, jet_order); }
    bool find(CornerSample<lines>& sample, const Point<lines>& within, Eigen::Index derivatives) override {
      if (!storage_->find(sample, within, derivatives)) return false;
      try {
        log_->add({&sample, 1});
        return true;
      } catch (...) {  // no memory to record it: f is called
        sample.jet.resize(0, 0);
        sample.reason.clear();
        return false;
      }
    }
    void keep(const CornerSample<lines>& sample) override { storage_->keep(sample); }

   private:
    std::shared_ptr<SampleStorage<lines>> storage_;
    std::shared_ptr<CornerLog> log_;
  };

  Eigen::MatrixXd all() const {
    const std::scoped_lock lock(mutex_);
    Eigen::MatrixXd points(lines, static_cast<Eigen::Index>(corners_.size()));
    for (Eigen::Index c = 0; c < points.cols(); ++c) points.col(c) = corners_[static_cast<std::size_t>(c)];
    return points;
  }

  /// The corners since the last call.
  std::vector<Point<lines>> take_new() {
    const std::scoped_lock lock(mutex_);
    std::vector<Point<lines>> fresh(corners_.begin() + static_cast<std::ptrdiff_t>(taken_), corners_.end());
    taken_ = corners_.size();
    return fresh;
  }
  /// The same, which are new for the next call too.
  std::vector<Point<lines>> look_at_new() const {
    const std::scoped_lock lock(mutex_);
    return {corners_.begin() + static_cast<std::ptrdiff_t>(taken_), corners_.end()};
  }

 private:
  void add(std::span<const CornerSample<lines>> samples) {
    const std::scoped_lock lock(mutex_);
    for (const CornerSample<lines>& sample : samples)
      if (sample.finished()) corners_.push_back(sample.x);
  }

  mutable ForkSafeMutex mutex_;
  std::vector<Point<lines>> corners_;
  std::size_t taken_ = 0;
};

}  // namespace quoin::soft_arm
