// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/lattice.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace quoin {

/// A hash table from lattice keys to records that many threads read without a lock while one inserts.
///
/// Record has a member `LatticeKey key`. Records are owned elsewhere and must not move. A record found has been
/// published: everything written to it before insert() is visible. Readers may hold on to what they found until clear().
///
/// Invariants: at most half of the slots are used; a table that was outgrown lives until clear(), since a reader may
/// still be in it (together they are smaller than the current one).
template <class Record>
class ConcurrentMap {
 public:
  ConcurrentMap() { clear(); }

  /// Safe from any thread.
  Record* find(const LatticeKey& key) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    for (std::size_t i = key.hash() & table.mask;; i = (i + 1) & table.mask) {
      Record* record = table.slots[i].load(std::memory_order_acquire);
      if (record == nullptr || record->key == key) return record;
    }
  }

  /// Publishes a record, in place of the one with the same key if there is one. One thread at a time.
  void insert(Record* record) {
    if (2 * (size_ + 1) > tables_.back()->mask + 1) grow();
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
    const Table& table = *tables_.back();
    for (std::size_t i = 0; i <= table.mask; ++i)
      if (Record* record = table.slots[i].load(std::memory_order_acquire)) visit(*record);
  }

  /// Forgets all records. No other thread may be in any member function.
  void clear() {
    tables_.clear();
    tables_.push_back(std::make_unique<Table>(64));
    table_.store(tables_.back().get(), std::memory_order_release);
    size_ = 0;
  }

 private:
  struct Table {
    explicit Table(std::size_t count) : mask(count - 1), slots(new std::atomic<Record*>[count]) {
      for (std::size_t i = 0; i < count; ++i) slots[i].store(nullptr, std::memory_order_relaxed);
    }
    std::size_t mask;
    std::unique_ptr<std::atomic<Record*>[]> slots;
  };

  static bool place(Table& table, Record* record) {
    for (std::size_t i = record->key.hash() & table.mask;; i = (i + 1) & table.mask) {
      const Record* present = table.slots[i].load(std::memory_order_relaxed);
      if (present != nullptr && !(present->key == record->key)) continue;
      table.slots[i].store(record, std::memory_order_release);
      return present == nullptr;
    }
  }

  void grow() {
    auto larger = std::make_unique<Table>(2 * (tables_.back()->mask + 1));
    for_each([&](Record& record) { place(*larger, &record); });
    tables_.push_back(std::move(larger));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<const Table*> table_;
  std::size_t size_ = 0;
};

}  // namespace quoin
