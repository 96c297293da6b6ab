// SPDX-License-Identifier: BSD-3-Clause
// The store of evaluated corners, where every query finds them.
#pragma once

#include "quoin/grid/detail/arena.hpp"
#include "quoin/grid/detail/concurrent_map.hpp"
#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/util/resize_strong.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The queries that ask for a corner: those of a level, or those to a tolerance on their way through that level.
struct Requester {
  int level = 0;
  bool to_tolerance = false;
  bool ahead = false;  ///< no query yet: GridView::prefetch_async
  std::uint64_t mark() const { return std::uint64_t{1} << (to_tolerance ? 63 : level); }
};

/// Time as evictions count it: one step for every corner that comes into memory.
struct UseClock {
  bool running = false;  ///< GridOptions::memory_budget is set
  std::atomic<std::uint64_t> now{0};
};

/// One known corner: its jet, or the reason why there is none.
struct Corner {
  /// The label, equal to no other, of a corner whose gradient would be differenced from values on several branches.
  static constexpr int straddling = std::numeric_limits<int>::min();
  /// Marks apart from those of levels and of tolerances: set while a grid is trimmed; evaluated, or asked for, ahead of
  /// queries.
  static constexpr std::uint64_t kept = std::uint64_t{1} << 62, ahead = std::uint64_t{1} << 61;

  LatticeKey key;
  const void* jet = nullptr;  ///< packed in the store's format; nullptr if the corner failed
  int branch = 0;             ///< the function's label
  float seconds = 0;          ///< spent in the function
  /// Marks of the requesters that have asked for the corner. Atomic, through the members below.
  mutable std::uint64_t marks = 0;

  /// When it was last used, by UseClock, as far as that is known. Only for who has the lock, or is alone.
  mutable std::uint64_t used = 0;

  /// The failure may pass: the next request calls again. Atomic, through may_pass().
  mutable bool retry = false;
  bool superseded = false;  ///< the failure has passed, and another record holds the jet; for the store

  /// Adds a mark; what they were.
  std::uint64_t add_mark(std::uint64_t mark) const {
    return std::atomic_ref(marks).fetch_or(mark, std::memory_order_relaxed);
  }
  bool asked_by(const Requester& requester) const {
    return std::atomic_ref(marks).load(std::memory_order_relaxed) & requester.mark();
  }
  /// True of a corner that was asked for ahead, and by no query since.
  static bool idle(std::uint64_t marks) { return (marks & ~kept) == ahead; }
  bool may_pass() const { return std::atomic_ref(retry).load(std::memory_order_relaxed); }
  bool failed() const { return jet == nullptr; }
};

/// Corners by address, in memory. find() and unpack() are safe from any thread; the rest from one thread at a time.
///
/// Invariant: the jets stand in the arena in the order of the records that have one.
class CornerStore {
 public:
  /// largest: size up to which each derivative's entries are kept. Keeps a reference to the format.
  CornerStore(Eigen::Index rows, std::vector<double> largest, const JetFormat& format)
      : rows_(rows),
        derivatives_(static_cast<int>(largest.size())),
        largest_(std::move(largest)),
        format_(format),
        arena_(format.size_in_doubles(rows, derivatives_)) {}

  Eigen::Index rows() const { return rows_; }
  int derivatives() const { return derivatives_; }
  std::span<const double> largest() const { return largest_; }

  const Corner* find(const LatticeKey& key) const { return corners_.find(key); }

  /// jet: rows x derivatives. If there is no memory for it, nothing changes.
  const Corner* insert(const LatticeKey& key, const Eigen::Ref<const Eigen::MatrixXd>& jet, int branch,
                       double seconds = 0) {
    corners_.reserve_one();
    arena_.reserve_one();
    Corner* before = corners_.find(key);
    records_.push_back({.key = key, .branch = branch, .seconds = static_cast<float>(seconds)});
    double* packed = arena_.take();
    std::fill(packed + arena_.stride() - 8, packed + arena_.stride(),
              0.0);  // 64 bytes, of which the jet may leave some
    format_.pack(jet, packed);
    records_.back().jet = packed;
    if (before != nullptr) {  // a failure that has passed
      records_.back().marks = std::atomic_ref(before->marks).load(std::memory_order_relaxed);
      before->superseded = true;
      --failed_;
    }
    corners_.insert(&records_.back());
    return &records_.back();
  }

  /// As insert. A corner that failed before, and may be tried again, keeps its record.
  const Corner* insert_failed(const LatticeKey& key, std::string reason, bool retry, double seconds = 0) {
    Corner* corner = corners_.find(key);
    const auto [place, is_new] = reasons_.try_emplace(key);
    std::string& kept = place->second;
    if (is_new) reason_bytes_ += kept.capacity();
    if (corner == nullptr) {
      corners_.reserve_one();
      corner = &records_.emplace_back(Corner{.key = key, .seconds = static_cast<float>(seconds)});
      corners_.insert(corner);
      ++failed_;
    }
    reason_bytes_ -= kept.capacity();
    kept = std::move(reason);
    reason_bytes_ += kept.capacity();
    std::atomic_ref(corner->retry).store(retry, std::memory_order_relaxed);
    return corner;
  }

  /// Why a corner failed: what it was told last. In the order of calls, as insert.
  const std::string& reason(const Corner& corner) const { return reasons_.at(corner.key); }

  /// That it was asked for. Safe from any thread, as find().
  void note(const Corner& corner, const Requester& requester) {
    const std::uint64_t mark = requester.ahead ? Corner::ahead : requester.mark(), before = corner.add_mark(mark);
    const bool was_idle = Corner::idle(before), is_idle = Corner::idle(before | mark);
    if (is_idle && !was_idle) idle_.fetch_add(1, std::memory_order_relaxed);
    if (was_idle && !is_idle) idle_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// The jet of a corner that did not fail, rows x derivatives.
  void unpack(const Corner& corner, Eigen::MatrixXd& jet) const {
    resize_strong(jet, rows_, derivatives_);
    format_.unpack(corner.jet, jet);
  }

  std::size_t size() const { return corners_.size(); }
  std::size_t failed() const { return failed_; }
  /// How many were asked for ahead, and by no query since.
  std::size_t idle() const { return idle_.load(std::memory_order_relaxed); }
  std::size_t bytes() const {
    return arena_.bytes() + records_.size() * sizeof(Corner) + reasons_.size() * sizeof(Reasons::value_type) +
           reason_bytes_ + corners_.bytes();
  }

  /// All records in the order in which they came, superseded ones included.
  const std::deque<Corner>& records() const { return records_; }

  /// The memory of one corner, with its place in the table.
  std::size_t bytes_each() const { return arena_.stride() * sizeof(double) + sizeof(Corner) + 4 * sizeof(Corner*); }

  /// Keeps the corners that the predicate accepts, and frees the memory of the others without allocating. Pointers to
  /// corners become invalid. No other thread may read.
  template <class Predicate>
  void keep_only(Predicate&& keep) noexcept {
    Arena::Place to;
    std::size_t count = 0;
    failed_ = 0;
    idle_ = 0;
    for (Corner& corner : records_) {
      if (corner.superseded || !keep(corner)) {
        if (corner.failed()) forget_reason(corner.key);
        continue;
      }
      if (Corner::idle(corner.marks)) ++idle_;
      if (corner.failed()) {
        ++failed_;
      } else {  // to its old slot or an earlier one
        double* jet = arena_.at(to);
        if (jet != corner.jet) std::copy_n(static_cast<const double*>(corner.jet), arena_.stride(), jet);
        corner.jet = jet;
        to = arena_.after(to);
      }
      records_[count++] = corner;
    }
    records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(count), records_.end());
    arena_.give_back_from(to);
    corners_.reset_to(records_);
  }

 private:
  using Reasons = std::map<LatticeKey, std::string>;

  void forget_reason(const LatticeKey& key) noexcept {
    const auto place = reasons_.find(key);
    if (place == reasons_.end()) return;  // two records of a corner
    reason_bytes_ -= place->second.capacity();
    reasons_.erase(place);
  }

  Eigen::Index rows_;
  int derivatives_;
  std::vector<double> largest_;
  const JetFormat& format_;
  Arena arena_;
  std::deque<Corner> records_;  // stable addresses
  ConcurrentMap<Corner> corners_;
  Reasons reasons_;  // of those that have failed: few, and so not in the records of all
  std::size_t failed_ = 0, reason_bytes_ = 0;
  std::atomic<std::size_t> idle_{0};
};

/// A corner's name in a process: the store that it is kept in, and its key there.
struct CornerName {
  const CornerStore* store;
  LatticeKey key;
  friend auto operator<=>(const CornerName&, const CornerName&) = default;
};

}  // namespace quoin::grid_detail
