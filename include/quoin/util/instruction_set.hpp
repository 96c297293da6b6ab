// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

// Code between QUOIN_COMPILE_FOR_AVX2 or _AVX512 and QUOIN_COMPILE_FOR_ALL is compiled for processors that have these
// instructions, whatever the flags of the program. Call it only where `instruction_set` says that this processor has
// them. Headers must not be included in between: their functions would be compiled in this way for all callers.
#if defined(__GNUC__) && defined(__x86_64__)
#define QUOIN_WIDE_REGISTERS
#if defined(__clang__)
#define QUOIN_COMPILE_FOR_AVX2 \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma\"))), apply_to = function)")
#define QUOIN_COMPILE_FOR_AVX512 \
  _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx2,fma\"))), apply_to = function)")
#define QUOIN_COMPILE_FOR_ALL _Pragma("clang attribute pop")
#else
#define QUOIN_COMPILE_FOR_AVX2 _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma\")")
#define QUOIN_COMPILE_FOR_AVX512 _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx2,fma\")")
#define QUOIN_COMPILE_FOR_ALL _Pragma("GCC pop_options")
#endif
#endif

// Before a loop over values that are to stay in registers: -O2 does not unroll it by itself.
#if defined(__clang__)
#define QUOIN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define QUOIN_UNROLL _Pragma("GCC unroll 8")
#endif

namespace quoin {

/// The vector registers of this processor, by the doubles that they hold: 2 (or whatever the baseline has), 4, 8.
enum class InstructionSet { baseline, avx2, avx512 };

/// What this processor has; it is asked once.
inline InstructionSet instruction_set() {
#if defined(QUOIN_WIDE_REGISTERS)
  static const InstructionSet found = __builtin_cpu_supports("avx512f") ? InstructionSet::avx512
                                      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                          ? InstructionSet::avx2
                                          : InstructionSet::baseline;
  return found;
#else
  return InstructionSet::baseline;
#endif
}

/// Before main: of a local variable that one thread makes while another forks, the child waits for ever.
inline const InstructionSet instruction_set_at_load = instruction_set();

}  // namespace quoin
