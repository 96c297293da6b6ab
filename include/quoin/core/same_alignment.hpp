// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

namespace quoin {

/// Every compiled component defines this function for the alignment of Eigen's types and memory that it was
/// compiled with, and every file to be linked with a component calls it. Where the alignments differ, the two sides
/// would lay out, allocate and free Eigen's objects differently, and the program does not link: the function's name
/// is the linker's message.
template <int max_align_bytes, int max_static_align_bytes, int default_align_bytes, int malloc_aligns>
bool compile_program_and_components_with_the_same_march_sanitizers_and_EIGEN_MAX_ALIGN_BYTES();

// called before main, so that no optimization and no linker removes it
/// Refers to the function of the library's alignment; a program of another one does not link.
inline const bool same_alignment =
    compile_program_and_components_with_the_same_march_sanitizers_and_EIGEN_MAX_ALIGN_BYTES<
        EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES, EIGEN_DEFAULT_ALIGN_BYTES, EIGEN_MALLOC_ALREADY_ALIGNED>();

}  // namespace quoin
