// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <type_traits>

// Included by every header that declares what a component defines, and by no other.

namespace quoin {

/// What most likely is missing where a program and the components that it links differ; the linker's message has it.
namespace perhaps {
struct add_DEIGEN_MAX_ALIGN_BYTES_16;        ///< the program has -march, the components QUOIN_NATIVE or neither
struct leave_out_march;                      ///< the program has both, the components neither
struct add_march_native;                     ///< the program has neither, the components have -march
struct add_DEIGEN_MALLOC_ALREADY_ALIGNED_1;  ///< the program has a sanitizer, the components have none
}  // namespace perhaps

/// Every compiled component defines this function for the alignment of Eigen's types and memory that it was
/// compiled with, and every file to be linked with a component calls it. Where the alignments differ, the two sides
/// would lay out, allocate and free Eigen's objects differently, and the program does not link: the function's name
/// is the linker's message.
template <class Perhaps, int max_align_bytes, int max_static_align_bytes, int default_align_bytes, int malloc_aligns>
bool compile_program_and_components_with_the_same_march_sanitizers_and_EIGEN_MAX_ALIGN_BYTES();

namespace detail {
/// What the linker may tell a file that is compiled as this one is.
using Remedy = std::conditional_t<
    (EIGEN_MAX_ALIGN_BYTES > 16), perhaps::add_DEIGEN_MAX_ALIGN_BYTES_16,
    std::conditional_t<(EIGEN_DEFAULT_ALIGN_BYTES > 16), perhaps::leave_out_march,
                       std::conditional_t<(EIGEN_MALLOC_ALREADY_ALIGNED != 0), perhaps::add_march_native,
                                          perhaps::add_DEIGEN_MALLOC_ALREADY_ALIGNED_1>>>;
}  // namespace detail

// called before main, so that no optimization and no linker removes it
/// Refers to the function of the library's alignment; a program of another one does not link.
inline const bool abi_check = compile_program_and_components_with_the_same_march_sanitizers_and_EIGEN_MAX_ALIGN_BYTES<
    detail::Remedy, EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES, EIGEN_DEFAULT_ALIGN_BYTES,
    EIGEN_MALLOC_ALREADY_ALIGNED>();

}  // namespace quoin
