// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace quoin {

/// Memory that grows and never moves: 64-byte aligned runs of doubles, given back all together.
class Arena {
 public:
  /// Not initialized. One thread at a time.
  double* allocate(std::size_t count) {
    count = (count + 7) / 8 * 8;
    if (count > free_) {
      // Chunks grow with what is stored: small grids stay small, large ones ask the system seldom.
      const std::size_t size = std::max({count, least_chunk, std::min(bytes_ / sizeof(double) / 2, greatest_chunk)});
      chunks_.emplace_back(static_cast<double*>(::operator new(size * sizeof(double), alignment)));
      next_ = chunks_.back().get();
#if defined(__linux__)
      // Corners are read all over the arena: with large pages a query from memory spends less on address translation.
      if (size * sizeof(double) >= large_page) madvise(next_, size * sizeof(double), MADV_HUGEPAGE);
#endif
      free_ = size;
      bytes_ += size * sizeof(double);
    }
    double* run = next_;
    next_ += count;
    free_ -= count;
    return run;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t large_page = std::size_t{1} << 21;
  static constexpr std::align_val_t alignment{4096};  // madvise takes whole pages
  static constexpr std::size_t least_chunk = 512;
  static constexpr std::size_t greatest_chunk = std::size_t{1} << 22;

  struct Release {
    void operator()(double* chunk) const { ::operator delete(chunk, alignment); }
  };

  std::vector<std::unique_ptr<double, Release>> chunks_;
  double* next_ = nullptr;
  std::size_t free_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace quoin
