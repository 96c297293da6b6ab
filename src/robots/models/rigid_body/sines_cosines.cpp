// SPDX-License-Identifier: BSD-3-Clause
#include "sines_cosines.hpp"

#include "quoin/robots/models/rigid_body/detail/sines_cosines.hpp"

#include <cmath>

namespace quoin::rigid_body::detail {

void sines_cosines(const double* angle, double* sine, double* cosine, int count) {
  constexpr int pack = 8;
  double angles[pack], sines[pack], cosines[pack];
  for (int first = 0; first < count; first += pack) {
    const int here = count - first < pack ? count - first : pack;
    bool small = true;
    for (int k = 0; k < pack; ++k) {
      angles[k] = k < here ? angle[first + k] : 0.0;
      small = small && std::abs(angles[k]) <= largest_angle;
    }
    for (int k = 0; k < pack; ++k) sine_cosine(angles[k], sines[k], cosines[k]);
    for (int k = 0; k < here; ++k) {
      const bool far = !small && !(std::abs(angles[k]) <= largest_angle);
      sine[first + k] = far ? std::sin(angles[k]) : sines[k];
      cosine[first + k] = far ? std::cos(angles[k]) : cosines[k];
    }
  }
}

}  // namespace quoin::rigid_body::detail
