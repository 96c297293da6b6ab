// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/arena.hpp"
#include "quoin/grid/concurrent_map.hpp"
#include "quoin/grid/lattice.hpp"
#include "quoin/grid/sweep.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <utility>

namespace quoin {

/// Who asks for a corner: queries of a level, or queries to a tolerance on their way through that level.
struct Asked {
  int level = 0;
  bool to_tolerance = false;
  std::uint64_t mark() const { return std::uint64_t{1} << (to_tolerance ? 63 : level); }
};

/// What is known at one corner: its jet, or why there is none.
struct Corner {
  /// The label of a corner whose gradient would be differenced from values on several branches: like no other's.
  static constexpr int straddling = std::numeric_limits<int>::min();

  LatticeKey key;
  const double* jet = nullptr;  ///< packed as sweep.hpp says; nullptr if the corner failed
  std::string reason = {};      ///< of the failure
  bool retry = false;           ///< the failure may pass: call again when asked again
  int branch = 0;               ///< the function's label
  /// Marks of those who have asked for the corner. Atomic, through the two members below.
  mutable std::uint64_t marks = 0;

  void note(const Asked& asked) const { std::atomic_ref(marks).fetch_or(asked.mark(), std::memory_order_relaxed); }
  bool asked_by(const Asked& asked) const {
    return std::atomic_ref(marks).load(std::memory_order_relaxed) & asked.mark();
  }

  bool failed() const { return jet == nullptr; }
};

/// Corners by address, in memory. find() is safe from any thread; the rest from one thread at a time.
class CornerStore {
 public:
  CornerStore(Eigen::Index rows, int derivatives) : rows_(rows), derivatives_(derivatives) {}

  const Corner* find(const LatticeKey& key) const { return corners_.find(key); }

  /// jet: rows x derivatives.
  const Corner* insert(const LatticeKey& key, const Eigen::Ref<const Eigen::MatrixXd>& jet, int branch) {
    double* packed = arena_.allocate(detail::packed_size(rows_, derivatives_));
    for (Eigen::Index pack = 0; pack < detail::pack_count(rows_); ++pack)
      for (int a = 0; a < derivatives_; ++a)
        for (Eigen::Index i = 0; i < detail::pack_rows; ++i) {
          const Eigen::Index row = pack * detail::pack_rows + i;
          packed[(pack * derivatives_ + a) * detail::pack_rows + i] = row < rows_ ? jet(row, a) : 0.0;
        }
    return publish({.key = key, .jet = packed, .branch = branch});
  }

  const Corner* insert_failed(const LatticeKey& key, std::string reason, bool retry) {
    return publish({.key = key, .reason = std::move(reason), .retry = retry});
  }

  /// The jet of a corner that did not fail, rows x derivatives.
  void unpack(const Corner& corner, Eigen::MatrixXd& jet) const {
    jet.resize(rows_, derivatives_);
    for (Eigen::Index row = 0; row < rows_; ++row)
      for (int a = 0; a < derivatives_; ++a)
        jet(row, a) =
            corner.jet[(row / detail::pack_rows * derivatives_ + a) * detail::pack_rows + row % detail::pack_rows];
  }

  std::size_t size() const { return corners_.size(); }
  std::size_t bytes() const { return arena_.bytes() + records_.size() * sizeof(Corner) + corners_.bytes(); }
  std::size_t failed() const {
    std::size_t count = 0;
    corners_.for_each([&](const Corner& corner) { count += corner.failed(); });
    return count;
  }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    corners_.for_each([&](const Corner& corner) { visit(corner); });
  }

  /// Keeps the corners that the predicate accepts. Corner pointers from before are dead. No other thread may read.
  template <class Predicate>
  void keep_only(Predicate&& keep) {
    Arena arena;
    std::deque<Corner> records;
    corners_.for_each([&](Corner& corner) {
      if (!keep(corner)) return;
      records.push_back(std::move(corner));
      if (records.back().failed()) return;
      const std::size_t size = detail::packed_size(rows_, derivatives_);
      double* copy = arena.allocate(size);
      std::copy_n(records.back().jet, size, copy);
      records.back().jet = copy;
    });
    corners_.clear();
    arena_ = std::move(arena);
    records_ = std::move(records);
    for (Corner& corner : records_) corners_.insert(&corner);
  }

 private:
  const Corner* publish(Corner corner) {
    records_.push_back(std::move(corner));
    corners_.insert(&records_.back());
    return &records_.back();
  }

  Eigen::Index rows_;
  int derivatives_;
  Arena arena_;
  std::deque<Corner> records_;  // addresses stay
  ConcurrentMap<Corner> corners_;
};

}  // namespace quoin
