// SPDX-License-Identifier: BSD-3-Clause
// The lock-free lookup of a query in the stores of corners and of cells.
#pragma once

#include "quoin/grid/detail/arena.hpp"
#include "quoin/grid/detail/lattice.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// A hash table from lattice keys to records that many threads read without a lock while one inserts.
///
/// Record has a member `LatticeKey key`. Records are owned elsewhere and must not move. A record found has been
/// published: everything written to it before insert() is visible. Readers may keep it until clear().
///
/// A slot is the address of a record, with bits of its key's hash where the alignment leaves zeros: records of other
/// keys, each a miss of the cache, are hardly ever read.
///
/// Invariants: at most three quarters of the slots are used; an outgrown table lives until clear(), since a reader may
/// still be in it (together they are smaller than the current one). An empty map owns no memory.
template <class Record>
class ConcurrentMap {
 public:
  ConcurrentMap() = default;

  /// Safe from any thread.
  Record* find(const LatticeKey& key) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    const std::size_t hash = key.hash();
    for (std::size_t i = hash & table.mask;; i = (i + 1) & table.mask) {
      const std::uintptr_t slot = table.slots[i].load(std::memory_order_acquire);
      if (slot == 0) return nullptr;
      if (Record* record = record_in(slot); slot == slot_of(record, hash) && record->key == key) return record;
    }
  }

  /// Asks for the slot that find() reads first. Safe from any thread, as find().
  void prefetch_slot(const LatticeKey& key) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    __builtin_prefetch(&table.slots[key.hash() & table.mask]);
  }
  /// The record that find() will most probably find, or nullptr: without a look at it.
  const Record* guess(const LatticeKey& key) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    const std::size_t hash = key.hash();
    for (std::size_t i = hash & table.mask;; i = (i + 1) & table.mask) {
      const std::uintptr_t slot = table.slots[i].load(std::memory_order_acquire);
      if (slot == 0) return nullptr;
      if (Record* record = record_in(slot); slot == slot_of(record, hash)) return record;
    }
  }

  /// Makes room for one more record; the only member that allocates. One thread at a time, as for all that follow.
  void reserve_one() {
    if (tables_.empty() || !fits(size_ + 1, tables_.back()->mask + 1)) grow();
  }

  /// Publishes a record, in place of the one with the same key if there is one. reserve_one() came before.
  void insert(Record* record) noexcept {
    if (place(*tables_.back(), record)) ++size_;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t slots = 0;
    for (const auto& table : tables_) slots += table->mask + 1;
    return slots * sizeof(Slot);
  }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    const Table& table = tables_.empty() ? nothing() : *tables_.back();
    for (std::size_t i = 0; i <= table.mask; ++i)
      if (const std::uintptr_t slot = table.slots[i].load(std::memory_order_acquire)) visit(*record_in(slot));
  }

  /// Forgets all records. No other thread may be in any member function.
  void clear() noexcept {
    table_.store(&nothing(), std::memory_order_release);
    tables_.clear();
    size_ = 0;
  }

  /// Reduces the map to these of its records. As for clear(), no other thread may be inside. Works without memory: if
  /// there is none for a smaller table, the present one stays.
  template <class Records>
  void reset_to(Records& records) noexcept {
    if (tables_.empty()) return;
    std::swap(tables_.front(), tables_.back());
    tables_.resize(1);
    std::size_t slots = min_slots;
    while (!fits(records.size(), slots)) slots *= 2;
    try {
      if (slots <= tables_.front()->mask) tables_.front() = std::make_unique<Table>(slots);
    } catch (const std::bad_alloc&) {
    }
    tables_.front()->empty();
    table_.store(tables_.back().get(), std::memory_order_release);
    size_ = 0;
    for (Record& record : records) insert(&record);
  }

 private:
  using Slot = std::atomic<std::uintptr_t>;
  static constexpr std::size_t min_slots = 16;
  static constexpr std::uintptr_t hash_bits = alignof(Record) - 1;

  static std::uintptr_t slot_of(Record* record, std::size_t hash) {
    return reinterpret_cast<std::uintptr_t>(record) | (hash >> (8 * sizeof(hash) - 8) & hash_bits);
  }
  static Record* record_in(std::uintptr_t slot) { return reinterpret_cast<Record*>(slot & ~hash_bits); }
  static bool fits(std::size_t records, std::size_t slots) { return records <= slots / 4 * 3; }

  struct Table {
    Table() = default;
    explicit Table(std::size_t count)
        : mask(count - 1), owned(allocate_pages<Slot>(count * sizeof(Slot))), slots(owned.get()) {
      std::uninitialized_value_construct_n(slots, count);
    }
    void empty() {
      for (std::size_t i = 0; i <= mask; ++i) slots[i].store(0, std::memory_order_relaxed);
    }
    std::size_t mask = 0;
    Slot single = 0;  // of the table that holds nothing
    std::unique_ptr<Slot, ReleasePages> owned;
    Slot* slots = &single;
  };

  static const Table& nothing() {
    static constinit const Table table;
    return table;
  }

  static bool place(Table& table, Record* record) {
    const std::size_t hash = record->key.hash();
    for (std::size_t i = hash & table.mask;; i = (i + 1) & table.mask) {
      const std::uintptr_t present = table.slots[i].load(std::memory_order_relaxed);
      if (present != 0 && !(record_in(present)->key == record->key)) continue;
      table.slots[i].store(slot_of(record, hash), std::memory_order_release);
      return present == 0;
    }
  }

  void grow() {
    const std::size_t slots = tables_.empty() ? min_slots : 2 * (tables_.back()->mask + 1);
    auto larger = std::make_unique<Table>(slots);
    for_each([&](Record& record) { place(*larger, &record); });
    tables_.push_back(std::move(larger));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<const Table*> table_ = &nothing();
  std::size_t size_ = 0;
};

}  // namespace quoin::grid_detail
