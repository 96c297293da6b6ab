// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "util/simd_lanes.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

namespace quoin::soft_arm {

inline constexpr int pack_size = 8;

/// Eight doubles, in as many SIMD registers as the processor needs for them. Not one vector of eight: where registers
/// are shorter, GCC 12 takes such a vector apart and moves it through memory
/// (docs/notes/soft_arm.md has what that costs).
struct Pack {
  static constexpr int lanes = simd_lanes;
  static constexpr int parts = pack_size / lanes;
  using Part = double __attribute__((vector_size(lanes * sizeof(double))));

  Part part[parts];

  double operator[](int lane) const { return part[lane / lanes][lane % lanes]; }
  double& operator[](int lane) { return reinterpret_cast<double*>(part)[lane]; }

  /// operation(i) for each part: indices that are constants keep the parts in registers at any level of optimization.
  template <class Operation>
  [[gnu::always_inline]] static void for_parts(const Operation& operation) {
    [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) { (operation(i), ...); }
    (std::make_index_sequence<std::size_t{parts}>{});
  }
};

[[gnu::always_inline]] inline Pack& operator+=(Pack& a, const Pack& b) {
  Pack::for_parts([&](std::size_t i) { a.part[i] += b.part[i]; });
  return a;
}
[[gnu::always_inline]] inline Pack& operator-=(Pack& a, const Pack& b) {
  Pack::for_parts([&](std::size_t i) { a.part[i] -= b.part[i]; });
  return a;
}
[[gnu::always_inline]] inline Pack& operator*=(Pack& a, const Pack& b) {
  Pack::for_parts([&](std::size_t i) { a.part[i] *= b.part[i]; });
  return a;
}
[[gnu::always_inline]] inline Pack& operator+=(Pack& a, double b) {
  Pack::for_parts([&](std::size_t i) { a.part[i] += b; });
  return a;
}
[[gnu::always_inline]] inline Pack& operator*=(Pack& a, double b) {
  Pack::for_parts([&](std::size_t i) { a.part[i] *= b; });
  return a;
}
[[gnu::always_inline]] inline Pack& operator/=(Pack& a, double b) {
  Pack::for_parts([&](std::size_t i) { a.part[i] /= b; });
  return a;
}

[[gnu::always_inline]] inline Pack operator+(Pack a, const Pack& b) { return a += b; }
[[gnu::always_inline]] inline Pack operator-(Pack a, const Pack& b) { return a -= b; }
[[gnu::always_inline]] inline Pack operator*(Pack a, const Pack& b) { return a *= b; }
[[gnu::always_inline]] inline Pack operator+(Pack a, double b) { return a += b; }
[[gnu::always_inline]] inline Pack operator-(Pack a, double b) { return a += -b; }
[[gnu::always_inline]] inline Pack operator*(Pack a, double b) { return a *= b; }
[[gnu::always_inline]] inline Pack operator*(double a, Pack b) { return b *= a; }
[[gnu::always_inline]] inline Pack operator-(Pack a) { return a *= -1; }
[[gnu::always_inline]] inline Pack operator/(double a, Pack b) {
  Pack::for_parts([&](std::size_t i) { b.part[i] = a / b.part[i]; });
  return b;
}

// By memcpy: what is loaded and stored is aligned as doubles only.
[[gnu::always_inline]] inline void load_pack(Pack& pack, const double* from) {
  Pack::for_parts([&](std::size_t i) { std::memcpy(&pack.part[i], from + i * Pack::lanes, sizeof(Pack::Part)); });
}
[[gnu::always_inline]] inline void store_pack(double* to, const Pack& pack) {
  Pack::for_parts([&](std::size_t i) { std::memcpy(to + i * Pack::lanes, &pack.part[i], sizeof(Pack::Part)); });
}

namespace pack_detail {

using Part = Pack::Part;

// Of a square of numbers: transposed in place; and the sums over the lanes of each.
#if defined(__AVX512F__)
[[gnu::always_inline]] inline void transpose(Part (&m)[8]) {
  Part a[8], b[8];
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
[[gnu::always_inline]] inline Part sums(const Part (&p)[8]) {
  Part a[4], b[2];
  for (int i = 0; i < 4; ++i)
    a[i] = __builtin_shufflevector(p[2 * i], p[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(p[2 * i], p[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  for (int i = 0; i < 2; ++i)
    b[i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(a[2 * i], a[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return __builtin_shufflevector(b[0], b[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(b[0], b[1], 4, 5, 6, 7, 12, 13, 14, 15);
}
#elif defined(__AVX__)
[[gnu::always_inline]] inline void transpose(Part (&m)[4]) {
  Part a[4];
  for (int i = 0; i < 2; ++i) {
    a[i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 4, 2, 6);
    a[i + 2] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 5, 3, 7);
  }
  for (int i = 0; i < 2; ++i) {
    m[i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 1, 4, 5);
    m[i + 2] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 2, 3, 6, 7);
  }
}
[[gnu::always_inline]] inline Part sums(const Part (&p)[4]) {
  Part a[2];
  for (int i = 0; i < 2; ++i)
    a[i] = __builtin_shufflevector(p[2 * i], p[2 * i + 1], 0, 4, 2, 6) +
           __builtin_shufflevector(p[2 * i], p[2 * i + 1], 1, 5, 3, 7);
  return __builtin_shufflevector(a[0], a[1], 0, 1, 4, 5) + __builtin_shufflevector(a[0], a[1], 2, 3, 6, 7);
}
#else
[[gnu::always_inline]] inline void transpose(Part (&m)[2]) {
  const Part first = __builtin_shufflevector(m[0], m[1], 0, 2);
  m[1] = __builtin_shufflevector(m[0], m[1], 1, 3);
  m[0] = first;
}
[[gnu::always_inline]] inline Part sums(const Part (&p)[2]) {
  return __builtin_shufflevector(p[0], p[1], 0, 2) + __builtin_shufflevector(p[0], p[1], 1, 3);
}
#endif

}  // namespace pack_detail

/// Transposes in place, block by block of as many numbers as a part has.
[[gnu::always_inline]] inline void transpose_packs(Pack (&m)[pack_size]) {
  constexpr std::size_t n = Pack::lanes;
  Pack::for_parts([&](std::size_t p) __attribute__((always_inline)) {
    Pack::for_parts([&](std::size_t q) __attribute__((always_inline)) {
      if (q < p) return;
      Pack::Part upper[n], lower[n];
      for (std::size_t i = 0; i < n; ++i) {
        upper[i] = m[p * n + i].part[q];
        lower[i] = m[q * n + i].part[p];
      }
      pack_detail::transpose(upper);
      pack_detail::transpose(lower);
      for (std::size_t i = 0; i < n; ++i) {
        m[p * n + i].part[q] = lower[i];
        m[q * n + i].part[p] = upper[i];
      }
    });
  });
}

/// The sum over the lanes of each of eight packs.
[[gnu::always_inline]] inline Pack sums_over_lanes(const Pack (&packs)[pack_size]) {
  constexpr std::size_t n = Pack::lanes;
  Pack result;
  Pack::for_parts([&](std::size_t p) __attribute__((always_inline)) {
    Pack::Part parts[n];
    for (std::size_t i = 0; i < n; ++i) {
      parts[i] = packs[p * n + i].part[0];
      for (std::size_t q = 1; q < Pack::parts; ++q) parts[i] += packs[p * n + i].part[q];
    }
    result.part[p] = pack_detail::sums(parts);
  });
  return result;
}

}  // namespace quoin::soft_arm
