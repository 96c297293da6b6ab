// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <cmath>

namespace quoin::rigid_body::detail {

/// sine[i] and cosine[i] of angle[i], i < count.
template <class T>
void sines_cosines(const T* angle, T* sine, T* cosine, int count) {
  using std::cos;
  using std::sin;
  for (int i = 0; i < count; ++i) {
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
  }
}

/// The same for double, vectorized, to 3e-16; angles beyond 1e5 rad by the standard library.
void sines_cosines(const double* angle, double* sine, double* cosine, int count);

}  // namespace quoin::rigid_body::detail
