// SPDX-License-Identifier: BSD-3-Clause
// When answers are compared with f at places that are no corners, and what that has shown.
#pragma once

#include "quoin/core/at_fork.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/detail/lattice.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace quoin::grid_detail {

/// What has the period of a cell's edge, or of a part of it, and its extremes at the corners is the same at all corners
/// and centres, of all levels down to that part. So one in 32 of the cells that answer, whichever are asked
/// first, is compared with f at a place inside that is no fraction of an edge; so is the first that looks as if f did
/// not depend on a variable, and, of those in which it looks constant, the first, second, fourth, eighth and so on.
/// Once one of them has answered falsely all are.
class SpotChecks {
 public:
  /// At how many places a cell that answers is to be compared: once, also if it leaves memory and comes back. flat,
  /// constant: it looks as if f did not depend on a variable, or on none.
  template <int Dim>
  int looks_due(int level, const Address<Dim>& lower, bool flat, bool constant) {
    if (contradicted() || (flat && !flat_seen_.exchange(true, std::memory_order_relaxed))) return 2;
    if (constant && std::has_single_bit(1 + constants_.fetch_add(1, std::memory_order_relaxed))) return 2;
    const std::uint64_t cell = hash_of<Dim>(static_cast<std::uint64_t>(level), lower);
    if (cell % 32 != 0) return 0;
    const std::lock_guard lock(mutex_);
    return compared_.size() < most && compared_.insert(cell).second ? 1 : 0;
  }
  /// The same of points along which an error is asked for in level mode, after so many calls of f: the first time, and
  /// every 64 calls. flat: levels hardly differ there.
  bool due_after(std::size_t calls, bool flat) {
    if (!flat && !contradicted() && calls < next_.load(std::memory_order_relaxed)) return false;
    next_.store(calls + 64, std::memory_order_relaxed);
    return true;
  }

  /// Takes in a comparison. matters: an error of that size does. True if this is the first that contradicts.
  bool compare(double stated, double observed, double matters) {
    if (!(observed > 3 * stated)) agreed_.store(true, std::memory_order_relaxed);
    if (!(observed > 3 * stated && observed > matters)) return false;
    double known = largest();
    while (observed > known && !largest_.compare_exchange_weak(known, observed)) continue;
    return known == 0;
  }
  bool contradicted() const { return largest() > 0; }
  /// True if f was what was stated, once.
  bool agreed() const { return agreed_.load(std::memory_order_relaxed); }
  /// The largest error that was found where less than a third of it was stated; 0: none.
  double largest() const { return largest_.load(std::memory_order_relaxed); }

  /// A place, away from faces and centre, in a cell: others in each.
  template <int Dim>
  static Point<Dim> place(const Address<Dim>& lower, std::uint64_t number) {
    std::uint64_t hash = hash_of<Dim>(number, lower);
    Point<Dim> t;
    for (int j = 0; j < Dim; ++j) {
      hash = mixed(hash + 0x9e3779b97f4a7c15u);
      const double u = static_cast<double>(hash >> 11) * 0x1p-53;
      t[j] = u < 0.5 ? 0.18 + 0.5 * u : 0.32 + 0.5 * u;  // in (0.18, 0.43) or (0.57, 0.82)
    }
    return t;
  }

 private:
  static constexpr std::size_t most = 4096;  // cells that are remembered

  template <int Dim>
  static std::uint64_t hash_of(std::uint64_t number, const Address<Dim>& lower) {
    for (const std::int64_t i : lower) number = mixed(number ^ static_cast<std::uint64_t>(i));
    return mixed(number + 0x9e3779b97f4a7c15u);
  }
  static std::uint64_t mixed(std::uint64_t h) {
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebu;
    return h ^ h >> 31;
  }

  ForkSafeMutex mutex_;
  std::unordered_set<std::uint64_t> compared_;
  std::atomic<std::size_t> next_{0}, constants_{0};
  std::atomic<double> largest_{0};
  std::atomic<bool> flat_seen_ = false, agreed_ = false;
};

}  // namespace quoin::grid_detail
