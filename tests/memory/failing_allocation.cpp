// SPDX-License-Identifier: BSD-3-Clause
#include "memory/failing_allocation.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

// glibc's own allocation functions, under the names that they keep when a program brings its own malloc.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

constexpr long disarmed = -1, fired = -2;
std::atomic<long> countdown = disarmed;

bool fails() {
  long left = countdown.load();
  while (left >= 0 && !countdown.compare_exchange_weak(left, left == 0 ? fired : left - 1)) {
  }
  if (left != 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) { return fails() ? nullptr : __libc_memalign(alignment, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace quoin::test {

FailingAllocation::FailingAllocation(long before) { countdown = before; }
FailingAllocation::~FailingAllocation() { countdown = disarmed; }
bool FailingAllocation::reached() const { return countdown == fired; }

}  // namespace quoin::test
