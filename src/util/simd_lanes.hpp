// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace quoin {

/// Doubles in a SIMD register of the processor that the library is compiled for.
#if defined(__AVX512F__)
inline constexpr int simd_lanes = 8;
#elif defined(__AVX__)
inline constexpr int simd_lanes = 4;
#else
inline constexpr int simd_lanes = 2;
#endif

}  // namespace quoin
