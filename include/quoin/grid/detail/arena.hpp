// SPDX-License-Identifier: BSD-3-Clause
// The memory of corners and cells, which queries read all over.
#pragma once

#include "quoin/util/requirements.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace quoin::grid_detail {

/// Memory that queries read all over: with large pages they spend less time on address translation.
struct ReleasePages {
  std::align_val_t alignment{};
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};
constexpr std::size_t large_page = std::size_t{1} << 21;
template <class T>
std::unique_ptr<T, ReleasePages> allocate_pages(std::size_t bytes) {
  const std::align_val_t alignment{bytes >= large_page ? large_page : 64};
  std::unique_ptr<T, ReleasePages> memory(static_cast<T*>(::operator new(bytes, alignment)), {alignment});
#if defined(__linux__)
  if (bytes >= large_page) madvise(memory.get(), bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

/// Slots of equal length that do not move: runs of doubles, taken one after the other, and freed from the end. They are
/// 64-byte aligned.
class Arena {
 public:
  /// length: doubles in a slot.
  explicit Arena(std::size_t length) : stride_((length + 7) / 8 * 8) {}

  /// Makes room for one more slot; the only member that allocates.
  void reserve_one() {
    if (last_.chunk < chunks_.size()) return;
    // Chunks grow with the arena: little of it is unused, and large ones rarely call the system.
    const std::size_t wanted = std::clamp(bytes_ / 8, min_chunk, max_chunk);
    const std::size_t whole = wanted < large_page ? wanted : (wanted + large_page - 1) / large_page * large_page;
    const std::size_t slots = std::max<std::size_t>(whole / sizeof(double) / stride_, 1);
    const std::size_t bytes = slots * stride_ * sizeof(double);
    chunks_.push_back({.memory = allocate_pages<double>(bytes), .slots = slots});
    bytes_ += bytes;
  }

  /// The position of a slot in the arena.
  struct Place {
    std::size_t chunk = 0, slot = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  double* at(Place place) const { return chunks_[place.chunk].memory.get() + place.slot * stride_; }
  Place after(Place place) const {
    return ++place.slot < chunks_[place.chunk].slots ? place : Place{place.chunk + 1, 0};
  }

  /// The next slot, not initialized. reserve_one() came before.
  double* take() noexcept {
    double* slot = at(last_);
    last_ = after(last_);
    return slot;
  }

  /// Frees this slot and all after it.
  void give_back_from(Place end) noexcept {
    last_ = end;
    const std::size_t used = end.chunk + (end.slot > 0);
    while (chunks_.size() > used) {
      bytes_ -= chunks_.back().slots * stride_ * sizeof(double);
      chunks_.pop_back();
    }
  }

  std::size_t stride() const { return stride_; }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t min_chunk = 4096, max_chunk = 4 * large_page;  // bytes

  struct Chunk {
    std::unique_ptr<double, ReleasePages> memory;
    std::size_t slots;
  };

  std::size_t stride_;
  std::vector<Chunk> chunks_;
  Place last_;  // the next to be taken
  std::size_t bytes_ = 0;
};

}  // namespace quoin::grid_detail
