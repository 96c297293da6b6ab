// SPDX-License-Identifier: BSD-3-Clause
// What a query keeps for itself while it sums: on the stack, or in memory that its thread keeps.
#pragma once

#include "quoin/util/requirements.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace quoin::grid_detail {

/// Memory of a thread, for one query after the other: none but the first allocates. Taken and given back as a stack.
class KeptNumbers {
 public:
  static KeptNumbers& of_thread() {
    thread_local KeptNumbers kept;
    return kept;
  }
  double* take(std::size_t count) {
    if (taken_ == slots_.size()) slots_.emplace_back();
    if (slots_[taken_].size() < count) slots_[taken_] = std::vector<double>(count);
    return slots_[taken_++].data();
  }
  void give_back() noexcept { --taken_; }

 private:
  std::vector<std::vector<double>> slots_;
  std::size_t taken_ = 0;
};

/// Numbers of one query, not initialized; on the stack if there are at most `room`.
template <std::size_t room>
class QueryNumbers {
 public:
  explicit QueryNumbers(std::size_t count)
      : size_(count), data_(count <= room ? on_stack_ : KeptNumbers::of_thread().take(count)) {}
  ~QueryNumbers() {
    if (data_ != on_stack_) KeptNumbers::of_thread().give_back();
  }
  QueryNumbers(const QueryNumbers&) = delete;
  QueryNumbers& operator=(const QueryNumbers&) = delete;

  std::size_t size() const { return size_; }
  double* data() { return data_; }
  const double* data() const { return data_; }
  double& operator[](std::size_t i) { return data_[i]; }
  double operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t size_;
  double* data_;
  double on_stack_[std::max<std::size_t>(room, 1)];
};

}  // namespace quoin::grid_detail
