// SPDX-License-Identifier: BSD-3-Clause
// What one field holds in memory, and how it leaves: corners, and the cells that stand on them.
#pragma once

#include "quoin/grid/detail/concurrent_map.hpp"
#include "quoin/grid/detail/corners/corner_store.hpp"
#include "quoin/grid/detail/corners/nearest_corner.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/query/surplus.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// What was measured of a cell: its surplus, perhaps with its errors along axes; how far it was from f at other places
/// (SpotLooks); or the height of the jump between its corners against a coarser level.
struct Measured {
  enum class Kind : std::uint8_t { surplus, at_spots, jump };
  static constexpr int nothing = -1, room = -2, edges = -3;
  Kind kind = Kind::surplus;
  int beside = nothing;        ///< a coarser level; or, of errors along axes, the room for them, or f on edges
  double height_or_error = 0;  ///< of a jump; along axes
  Surplus surplus = {};
  const Measured* other = nullptr;  ///< of the same cell
};

/// What was seen of a cell, or done with it, once; bits.
enum CellNote : std::uint8_t {
  counted_in_doubts = 1,  ///< JetField::doubts()
  has_answered = 2        ///< to a tolerance, and there is no more to it
};

/// A cell whose corners are all known. It points to them and copies nothing.
template <int Dim>
struct ReadyCell {
  using Jets = std::array<const void*, std::size_t{1} << Dim>;

  Jets jets;
  int branch;                                           ///< of its first corner
  bool mixed;                                           ///< its corners lie on different branches
  std::atomic<bool> ready = false;                      ///< the above is set
  mutable std::atomic<bool> in_tolerance_mode = false;  ///< met on the way to a leaf
  mutable std::atomic<std::uint8_t> noted = 0;          ///< CellNote
  /// Set under the lock: a function of the cell, and of the coarser level.
  mutable std::atomic<const Measured*> measured = nullptr;

  /// Null if it has not been measured.
  const Surplus* surplus() const {
    const Measured* found = find([](const Measured& m) { return m.kind == Measured::Kind::surplus; });
    return found == nullptr ? nullptr : &found->surplus;
  }
  /// Null if it was not compared with f there.
  const Surplus* at_spots() const {
    const Measured* found = find([](const Measured& m) { return m.kind == Measured::Kind::at_spots; });
    return found == nullptr ? nullptr : &found->surplus;
  }
  std::optional<double> jump(int coarser_level) const { return found_beside(Measured::Kind::jump, coarser_level); }
  std::optional<double> along_axes(int beside) const { return found_beside(Measured::Kind::surplus, beside); }

 private:
  template <class Which>
  const Measured* find(const Which& which) const {
    const Measured* m = measured.load(std::memory_order_acquire);
    while (m != nullptr && !which(*m)) m = m->other;
    return m;
  }
  std::optional<double> found_beside(Measured::Kind kind, int beside) const {
    const Measured* found = find([&](const Measured& m) { return m.kind == kind && m.beside == beside; });
    return found == nullptr ? std::nullopt : std::optional(found->height_or_error);
  }
};

/// Neighbouring cells of a level, ready or not, two along each axis: one key for all, and one slot in the table
/// through which they are found. One cell where there are more than three axes: there cells have fewer neighbours that
/// are asked for, and key and slot are little beside the pointers.
template <int Dim>
struct alignas(64) CellBlock {
  static constexpr unsigned axes = Dim <= 3 ? Dim : 0;

  explicit CellBlock(const LatticeKey& at) : key(at) {}

  std::array<ReadyCell<Dim>, std::size_t{1} << axes> cells;
  LatticeKey key;                               ///< of its lower corner
  mutable std::atomic<std::uint64_t> used = 0;  ///< when a cell of it last answered, by UseClock, if that runs
};

/// A field's corners, its cells by level, and what was measured of these. find_cell() is safe from any thread; the rest
/// is for who has the lock, and what drops corners for who is alone.
template <int Dim>
class FieldMemory {
 public:
  using Cell = ReadyCell<Dim>;
  using Block = CellBlock<Dim>;

  /// largest, format: as for CornerStore. per_level: a corner's jet depends on the level from which it is asked for.
  /// clock: marks use, if it runs. parent: of the field from whose corners these are computed, or nullptr. Keeps
  /// references.
  FieldMemory(const Lattice<Dim>& lattice, Eigen::Index rows, const std::vector<double>& largest,
              const JetFormat& format, bool per_level, const UseClock& clock, const FieldMemory* parent)
      : lattice_(lattice), clock_(clock), timed_(clock.running), parent_(parent), blocks_(lattice.levels()) {
    for (std::size_t i = 0; i < (per_level ? lattice.levels() : 1); ++i) stores_.emplace_back(rows, largest, format);
  }

  const CornerStore& store(int level) const { return stores_[store_index(level)]; }
  CornerStore& store(int level) { return stores_[store_index(level)]; }
  const Corner* find_corner(int level, const Address<Dim>& address) const {
    return store(level).find(Lattice<Dim>::key(address));
  }

  const Cell* find_cell(int level, const Address<Dim>& lower) const {
    const Position at = position(level, lower);
    const Block* block = blocks_[static_cast<std::size_t>(level)].find(at.block);
    if (block == nullptr || !block->cells[at.cell].ready.load(std::memory_order_acquire)) return nullptr;
    if (timed_) note_use(*block);
    return &block->cells[at.cell];
  }

  /// Asks for the memory that find_cell() will read, for who looks for many cells: for the place where a block is
  /// noted, and once that has come, for the block. Safe from any thread, as find_cell().
  void prefetch_place(int level, const Address<Dim>& lower) const {
    blocks_[static_cast<std::size_t>(level)].prefetch_slot(position(level, lower).block);
  }
  void prefetch_block(int level, const Address<Dim>& lower) const {
    const Position at = position(level, lower);
    const Block* block = blocks_[static_cast<std::size_t>(level)].guess(at.block);
    if (block == nullptr) return;
    __builtin_prefetch(&block->key);
    __builtin_prefetch(&block->cells[at.cell]);
    __builtin_prefetch(&block->cells[at.cell].ready);
  }

  /// The new cell, or the one that is there.
  const Cell* insert_cell(int level, const Address<Dim>& lower, const typename Cell::Jets& jets, int branch,
                          bool mixed) {
    const Position at = position(level, lower);
    ConcurrentMap<Block>& blocks = blocks_[static_cast<std::size_t>(level)];
    Block* block = blocks.find(at.block);
    if (block == nullptr) {
      blocks.reserve_one();
      block_memory_.reserve_one();
      block = ::new (static_cast<void*>(block_memory_.take())) Block(at.block);
      blocks.insert(block);
    }
    if (timed_) note_use(*block);
    Cell& cell = block->cells[at.cell];
    if (cell.ready.load(std::memory_order_relaxed)) return &cell;
    cell.jets = jets;
    cell.branch = branch;
    cell.mixed = mixed;
    cell.ready.store(true, std::memory_order_release);
    ++cell_count_;
    return &cell;
  }
  /// Lets all cells be looked at again where they answer.
  void forget_answers() {
    for (const auto& blocks : blocks_)
      blocks.for_each([](const Block& block) {
        for (const Cell& cell : block.cells)
          cell.noted.fetch_and(static_cast<std::uint8_t>(~has_answered), std::memory_order_relaxed);
      });
  }

  /// What was measured of a cell; the first measurement of the surplus stays.
  const Surplus& keep_surplus(const Cell& cell, const Surplus& surplus) {
    if (const Surplus* known = cell.surplus()) return *known;
    keep(cell, {.surplus = surplus});
    return *cell.surplus();
  }
  void keep_spots(const Cell& cell, const Surplus& at_spots) {
    if (cell.at_spots() == nullptr) keep(cell, {.kind = Measured::Kind::at_spots, .surplus = at_spots});
  }
  void keep_jump(const Cell& cell, int coarser_level, double height) {
    keep(cell, {.kind = Measured::Kind::jump, .beside = coarser_level, .height_or_error = height});
  }
  /// Beside the surplus, with which it is read; of a cell that has none nothing is kept.
  void keep_along_axes(const Cell& cell, int beside, double error) {
    if (const Surplus* surplus = cell.surplus())
      keep(cell, {.beside = beside, .height_or_error = error, .surplus = *surplus});
  }

  /// The corner that did not fail and is nearest to x, in units of the spacing; nullptr if there is none.
  const Corner* nearest_solved(const Point<Dim>& x) {
    const auto scaled = [this](const Point<Dim>& point) -> Point<Dim> {
      return point.cwiseQuotient(lattice_.spacing(0));
    };
    nearest_.take_in(stores_[0],
                     [&](const Corner& corner) { return scaled(lattice_.point(Lattice<Dim>::address(corner.key))); });
    return nearest_.find(scaled(x));
  }

  /// All corners of the first level's store, failed ones included, and the reasons of these.
  std::vector<std::pair<const Corner*, std::string>> known_corners() const {
    std::vector<std::pair<const Corner*, std::string>> corners;
    corners.reserve(stores_[0].size());
    for (const Corner& corner : stores_[0].records())
      if (!corner.superseded)
        corners.emplace_back(&corner, corner.failed() ? stores_[0].reason(corner) : std::string());
    return corners;
  }

  /// How many corners were asked for ahead, and by no query since.
  std::size_t idle_corners() const { return stores_[0].idle(); }
  std::size_t cell_count() const { return cell_count_; }
  std::size_t bytes() const {
    std::size_t sum = block_memory_.bytes() + measured_.size() * sizeof(Measured);
    for (const auto& blocks : blocks_) sum += blocks.bytes();
    for (const CornerStore& store : stores_) sum += store.bytes();
    return sum;
  }

  /// Marks the corners that were asked for, by queries of that level or by any to a tolerance, and the same corners of
  /// the parent. To be called for children before their parents.
  void mark_kept(const Requester& requester) noexcept {
    for (std::size_t s = 0; s < stores_.size(); ++s) {
      if (!requester.to_tolerance && &stores_[s] != &store(requester.level)) continue;
      for (const Corner& corner : stores_[s].records()) {
        if (!corner.asked_by(requester) && !(corner.marks & Corner::kept)) continue;
        corner.marks |= Corner::kept;
        if (parent_ == nullptr) continue;
        if (const Corner* of_parent = parent_->store(static_cast<int>(s)).find(corner.key))
          of_parent->marks |= Corner::kept;
      }
    }
  }

  /// Drops the corners that are not marked. Allocates nothing.
  void keep_marked() noexcept {
    keep_only([](const Corner& corner) {
      const bool marked = corner.marks & Corner::kept;
      corner.marks &= ~Corner::kept;
      return marked;
    });
  }

  /// Lets the corners have been used when their cells were: those that these stand on, and those that measured them.
  void note_use_of_corners(int generations) noexcept {
    for (int level = 0; level < static_cast<int>(blocks_.size()); ++level)
      blocks_[static_cast<std::size_t>(level)].for_each([&](const Block& block) {
        const std::uint64_t used = block.used.load(std::memory_order_relaxed);
        const auto note = [&](int at, const Address<Dim>& address) {
          const Corner* corner = find_corner(at, address);
          if (corner != nullptr) corner->used = std::max(corner->used, used);
        };
        for (std::size_t c = 0; c < block.cells.size(); ++c) {
          if (!block.cells[c].ready.load(std::memory_order_relaxed)) continue;
          Address<Dim> lower = Lattice<Dim>::address(block.key);
          for (unsigned i = 0; i < Block::axes; ++i)
            if (c >> i & 1) lower[i] += lattice_.stride(level);
          for (const Address<Dim>& address : lattice_.cell_corners(level, lower)) note(level, address);
          if (block.cells[c].surplus() != nullptr) lattice_.for_each_centre_below(level, lower, generations, note);
        }
      });
  }

  /// The memory of the corners that were used at that time or later, and of their cells.
  std::size_t bytes_since(std::uint64_t time) const noexcept {
    const std::size_t block = block_memory_.stride() * sizeof(double) + 4 * sizeof(Block*);
    std::size_t sum = 0;
    for (const CornerStore& store : stores_)
      for (const Corner& corner : store.records())
        if (corner.used >= time) sum += store.bytes_each() + (block >> Block::axes);
    return sum;
  }

  /// Drops the corners that were used before that time only; how many. Allocates nothing.
  std::size_t keep_since(std::uint64_t time) noexcept {
    std::size_t dropped = 0;
    keep_only([&](const Corner& corner) {
      dropped += corner.used < time;
      return corner.used >= time;
    });
    return dropped;
  }

 private:
  template <class Predicate>
  void keep_only(Predicate&& keep) noexcept {
    for (CornerStore& kept : stores_) kept.keep_only(keep);
    // The remaining cells are rebuilt from their corners when they are next asked for: nothing is computed again.
    for (auto& blocks : blocks_) blocks.clear();
    block_memory_.give_back_from({});
    cell_count_ = 0;
    measured_.clear();
    nearest_.clear();
  }

  struct Position {
    LatticeKey block;
    std::size_t cell = 0;
  };
  Position position(int level, Address<Dim> lower) const {
    Position at;
    const int bit = lattice_.deepest_level() - level;  // by which the two cells along an axis differ
    for (unsigned i = 0; i < Block::axes; ++i) {
      at.cell |= static_cast<std::size_t>(lower[i] >> bit & 1) << i;
      lower[i] &= ~(std::int64_t{1} << bit);
    }
    at.block = Lattice<Dim>::key(lower);
    return at;
  }

  void keep(const Cell& cell, Measured measured) {
    measured.other = cell.measured.load(std::memory_order_relaxed);
    measured_.push_back(measured);
    cell.measured.store(&measured_.back(), std::memory_order_release);
  }

  // Written only where it changes: blocks are read by many threads.
  void note_use(const Block& block) const {
    const std::uint64_t now = clock_.now.load(std::memory_order_relaxed);
    if (block.used.load(std::memory_order_relaxed) != now) block.used.store(now, std::memory_order_relaxed);
  }

  std::size_t store_index(int level) const { return stores_.size() == 1 ? 0 : static_cast<std::size_t>(level); }

  const Lattice<Dim>& lattice_;
  const UseClock& clock_;
  bool timed_;
  const FieldMemory* parent_;
  std::deque<CornerStore> stores_;
  static_assert(std::is_trivially_destructible_v<Block> && sizeof(Block) % sizeof(double) == 0);
  Arena block_memory_{sizeof(Block) / sizeof(double)};  // stable addresses
  std::size_t cell_count_ = 0;
  std::deque<Measured> measured_;  // stable addresses
  std::vector<ConcurrentMap<Block>> blocks_;
  NearestCorner<Dim> nearest_;
};

}  // namespace quoin::grid_detail
