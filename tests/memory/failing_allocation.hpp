// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace quoin::test {

/// Makes one allocation of this process fail: the one after `before` others, on any thread. All allocations of C and
/// C++ pass through it, Eigen's and those of standard containers included.
class FailingAllocation {
 public:
  explicit FailingAllocation(long before);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Whether it has failed.
  bool reached() const;
};

}  // namespace quoin::test
