// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Checks the compiler's flags before the first line that would fail or compute wrongly without them. Every public
// header includes this one first, directly or through another header of quoin. Including a file that does not exist
// ends the compilation, where an #error alone would be followed by a thousand others.

#if __cplusplus < 202002L
#error "quoin is written in C++20: compile with -std=c++20 or later."
#include "quoin/util/is_written_in_cxx20"
#endif

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "quoin answers NaN, and tests for it: compile with -fno-finite-math-only behind -ffast-math or -Ofast."
#include "quoin/util/needs_fno_finite_math_only"
#endif
