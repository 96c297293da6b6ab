// SPDX-License-Identifier: BSD-3-Clause
// When answers are compared with f at places that are no corners, and what that has shown.
#pragma once

#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/query/flatness.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/at_fork.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// What has the period of a cell's edge, or of a part of it, and its extremes at the corners is the same at all corners
/// and centres, of all levels down to that part. So one in 32 of the cells that answer, whichever are asked first, is
/// compared with f at a place inside that is no fraction of an edge; so are the first in which an output looks as if it
/// did not depend on a variable, or as if it were zero, and of each region of eight cells a side the first in which all
/// look constant. Once one of them has answered falsely all are.
template <int Dim>
class SpotChecks {
 public:
  explicit SpotChecks(const Lattice<Dim>& lattice) : lattice_(lattice) {}

  /// The numbers of the places, from the first to before the second, at which a cell that answers is to be compared:
  /// once, also if it leaves memory and comes back.
  std::pair<int, int> looks_due(int level, const Address<Dim>& lower, const Flatness& flat) {
    const bool new_output = std::ranges::find(flat.outputs, true) != flat.outputs.end();
    const std::uint64_t cell = hash_of(static_cast<std::uint64_t>(level), lower);
    const std::lock_guard lock(mutex_);
    // Of hundreds of outputs there is a new one in most cells.
    const bool first = new_output && std::has_single_bit(++with_new_outputs_);
    const bool new_region = flat.throughout && constant_.size() < most && constant_.insert(region(level, lower)).second;
    if (contradicted() || first) return {0, places};
    if (!new_region && !(cell % 32 == 0 && compared_.size() < most && compared_.insert(cell).second)) return {0, 0};
    const int any = static_cast<int>(cell / 32 % places);
    return {any, any + 1};
  }
  /// The same of points along which an error is asked for in level mode, after so many calls of f: the first time, and
  /// every 64 calls. flat: levels hardly differ there.
  bool due_after(std::size_t calls, bool flat) {
    if (!flat && !contradicted() && calls < next_.load(std::memory_order_relaxed)) return false;
    next_.store(calls + 64, std::memory_order_relaxed);
    return true;
  }

  /// Takes in that somebody asks to this tolerance: smaller errors than to those before matter. True if one that was
  /// found already is the first that contradicts.
  bool expect(double tolerance) {
    if (tolerance >= finest_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(mutex_);
    finest_.store(std::min(tolerance, finest_.load()), std::memory_order_relaxed);
    double largest = 0;
    for (const Compared& seen : overlooked_)
      if (matters_to(seen, tolerance)) largest = std::max(largest, seen.observed);
    return largest > 0 && contradict(largest);
  }

  /// Takes in a comparison in a cell that answers to a tolerance, or of a level: there an error of any size matters.
  /// True if this is the first that contradicts.
  bool compare(const Address<Dim>& lower, double stated, double observed, std::optional<double> tolerance) {
    const std::lock_guard lock(mutex_);
    if (!(observed > 3 * stated)) {
      if (agreed_.size() < most) agreed_.insert(region(0, lower));
      return false;
    }
    const Compared seen{stated, observed};
    overlook(seen);
    if (!tolerance || matters_to(seen, *tolerance) || matters_to(seen, finest_.load())) return contradict(observed);
    return false;
  }
  bool contradicted() const { return largest() > 0; }
  /// True if f was what was stated, once, in the region of level 0 around a cell.
  bool agreed(const Address<Dim>& lower) {
    const std::lock_guard lock(mutex_);
    return agreed_.contains(region(0, lower));
  }
  /// The largest error that was found where less than a third of it was stated, and it mattered; 0: none.
  double largest() const { return largest_.load(std::memory_order_relaxed); }

  /// One of `places` places in a cell, others in each: beside its middle, where waves along one axis are highest; and
  /// about a quarter of an edge from there, on one side along all axes, or on alternating ones, where those are of half
  /// the period, or along diagonals.
  static Point<Dim> place(const Address<Dim>& lower, int number) {
    std::uint64_t hash = hash_of(static_cast<std::uint64_t>(number), lower);
    double side = hash & 1 ? 1 : -1;
    Point<Dim> t;
    for (int j = 0; j < Dim; ++j) {
      hash = mixed(hash + 0x9e3779b97f4a7c15u);
      const double u = unit(hash);
      t[j] = 0.5 + side * (number == 0 ? 0.04 + 0.1 * u : 0.18 + 0.14 * u);
      if (number == 2 || (number == 0 && hash & 1)) side = -side;
    }
    return t;
  }
  static constexpr int places = 3;

  /// In [0, 1), of a point.
  static double chance(const Point<Dim>& x) {
    std::uint64_t hash = 0;
    for (const double number : x) hash = mixed(hash ^ std::bit_cast<std::uint64_t>(number));
    return unit(hash);
  }

 private:
  static constexpr std::size_t most = 4096;  // cells, or regions, that are remembered
  static constexpr double matters = 0.1;     // of the tolerance

  struct Compared {
    double stated, observed;
  };

  // A cell answers to a tolerance only if it states no more.
  static bool matters_to(const Compared& seen, double tolerance) {
    return seen.stated <= tolerance && seen.observed > matters * tolerance;
  }
  // With the lock. Kept is what another does not surpass that states no more.
  void overlook(const Compared& seen) {
    const auto surpasses = [](const Compared& a, const Compared& b) {
      return a.stated <= b.stated && a.observed >= b.observed;
    };
    if (std::ranges::any_of(overlooked_, [&](const Compared& one) { return surpasses(one, seen); })) return;
    std::erase_if(overlooked_, [&](const Compared& one) { return surpasses(seen, one); });
    if (overlooked_.size() < 64) overlooked_.push_back(seen);
  }
  // With the lock. True if nothing did before.
  bool contradict(double observed) {
    const double before = largest();
    largest_.store(std::max(before, observed), std::memory_order_relaxed);
    return before == 0;
  }

  // Of eight cells of that level a side, with the origin in the middle of one.
  std::uint64_t region(int level, Address<Dim> lower) const {
    const std::int64_t stride = lattice_.stride(level);
    for (std::int64_t& i : lower) i = (i + 4 * stride) >> (3 + std::countr_zero(static_cast<std::uint64_t>(stride)));
    return hash_of(static_cast<std::uint64_t>(level), lower);
  }
  static double unit(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }
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

  const Lattice<Dim>& lattice_;
  ForkSafeMutex mutex_;
  std::unordered_set<std::uint64_t> compared_, constant_, agreed_;
  std::atomic<std::size_t> next_{0};
  std::vector<Compared> overlooked_;  // which err by more than three times what they state, but mattered to nobody yet
  std::size_t with_new_outputs_ = 0;  // cells
  std::atomic<double> largest_{0}, finest_{std::numeric_limits<double>::infinity()};
};

}  // namespace quoin::grid_detail
