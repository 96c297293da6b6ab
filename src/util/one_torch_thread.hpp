// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/Parallel.h>

namespace quoin {

/// While it lives, libtorch works in the calling thread alone: the products are too small to be worth its thread pool.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = at::get_num_threads();
};

}  // namespace quoin
