// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace quoin::soft_arm {

/// Transposes in place.
[[gnu::always_inline]] inline void transpose_packs(double __attribute__((vector_size(64))) (&m)[8]) {
  double __attribute__((vector_size(64))) a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      b[4 * i + j] = __builtin_shufflevector(a[4 * i + j], a[4 * i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[4 * i + j + 2] = __builtin_shufflevector(a[4 * i + j], a[4 * i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    m[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace quoin::soft_arm
