// SPDX-License-Identifier: BSD-3-Clause
// The lock-free lookup of a query in the stores of corners and of cells.
#pragma once

#include "quoin/grid/detail/arena.hpp"
#include "quoin/grid/detail/lattice.hpp"

#include <atomic>
#include <cstddef>
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
/// Invariants: at most half of the slots are used; an outgrown table lives until clear(), since a reader may still be
/// in it (together they are smaller than the current one). An empty map owns no memory.
template <class Record>
class ConcurrentMap {
 public:
  ConcurrentMap() = default;

  /// Safe from any thread.
  Record* find(const LatticeKey& key) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    for (std::size_t i = key.hash() & table.mask;; i = (i + 1) & table.mask) {
      Record* record = table.slots[i].load(std::memory_order_acquire);
      if (record == nullptr || record->key == key) return record;
    }
  }

  /// Makes room for one more record; the only member that allocates. One thread at a time, as for all that follow.
  void reserve_one() {
    if (tables_.empty() || 2 * (size_ + 1) > tables_.back()->mask + 1) grow();
  }

  /// Publishes a record, in place of the one with the same key if there is one. reserve_one() came before.
  void insert(Record* record) noexcept {
    if (place(*tables_.back(), record)) ++size_;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t slots = 0;
    for (const auto& table : tables_) slots += table->mask + 1;
    return slots * sizeof(std::atomic<Record*>);
  }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    const Table& table = tables_.empty() ? nothing() : *tables_.back();
    for (std::size_t i = 0; i <= table.mask; ++i)
      if (Record* record = table.slots[i].load(std::memory_order_acquire)) visit(*record);
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
    std::size_t slots = least_slots;
    while (slots < 2 * records.size()) slots *= 2;
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
  static constexpr std::size_t least_slots = 16;

  struct Table {
    Table() = default;
    explicit Table(std::size_t count)
        : mask(count - 1),
          owned(allocate_pages<std::atomic<Record*>>(count * sizeof(std::atomic<Record*>))),
          slots(owned.get()) {
      std::uninitialized_value_construct_n(slots, count);
    }
    void empty() {
      for (std::size_t i = 0; i <= mask; ++i) slots[i].store(nullptr, std::memory_order_relaxed);
    }
    std::size_t mask = 0;
    std::atomic<Record*> single = nullptr;  // of the table that holds nothing
    std::unique_ptr<std::atomic<Record*>, ReleasePages> owned;
    std::atomic<Record*>* slots = &single;
  };

  static const Table& nothing() {
    static const Table table;
    return table;
  }

  static bool place(Table& table, Record* record) {
    for (std::size_t i = record->key.hash() & table.mask;; i = (i + 1) & table.mask) {
      const Record* present = table.slots[i].load(std::memory_order_relaxed);
      if (present != nullptr && !(present->key == record->key)) continue;
      table.slots[i].store(record, std::memory_order_release);
      return present == nullptr;
    }
  }

  void grow() {
    const std::size_t slots = tables_.empty() ? least_slots : 2 * (tables_.back()->mask + 1);
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
