// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

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
      chunks_.emplace_back(static_cast<double*>(::operator new(size * sizeof(double), std::align_val_t{64})));
      next_ = chunks_.back().get();
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
  static constexpr std::size_t least_chunk = 512;
  static constexpr std::size_t greatest_chunk = std::size_t{1} << 22;

  struct Release {
    void operator()(double* chunk) const { ::operator delete(chunk, std::align_val_t{64}); }
  };

  std::vector<std::unique_ptr<double, Release>> chunks_;
  double* next_ = nullptr;
  std::size_t free_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace quoin
