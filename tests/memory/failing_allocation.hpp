// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace quoin::test {

/// Makes one allocation of this process fail: the one after `before` others, on whatever thread. All that C and C++
/// allocate with goes through it, Eigen's memory and that of standard containers.
class FailingAllocation {
 public:
  explicit FailingAllocation(long before);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// It has failed.
  bool reached() const;
};

}  // namespace quoin::test
