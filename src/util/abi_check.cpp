// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/util/abi_check.hpp"

namespace quoin {

template <class, int, int, int, int>
bool compile_program_and_components_with_the_same_march_sanitizers_and_EIGEN_MAX_ALIGN_BYTES() {
  return true;
}

template bool compile_program_and_components_with_the_same_march_sanitizers_and_EIGEN_MAX_ALIGN_BYTES<
    detail::Remedy, EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES, EIGEN_DEFAULT_ALIGN_BYTES,
    EIGEN_MALLOC_ALREADY_ALIGNED>();

}  // namespace quoin
