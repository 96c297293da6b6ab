// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sines_cosines.hpp"
#include "util/simd_lanes.hpp"

#include <cmath>

namespace quoin::rigid_body::detail {

inline constexpr int pack_lanes = simd_lanes;

/// As many states at once as the processor's SIMD registers hold: a scalar for the templates of the recursions.
struct Pack {
  using Lanes = double __attribute__((vector_size(pack_lanes * sizeof(double))));
  Lanes lanes;

  Pack() = default;
  Pack(Lanes values) : lanes(values) {}
  Pack(double value) : lanes(value - Lanes{}) {}

  double& operator[](int lane) { return reinterpret_cast<double*>(&lanes)[lane]; }
  double operator[](int lane) const { return lanes[lane]; }

  Pack& operator+=(const Pack& b) {
    lanes += b.lanes;
    return *this;
  }
  friend Pack operator+(const Pack& a, const Pack& b) { return a.lanes + b.lanes; }
  friend Pack operator-(const Pack& a, const Pack& b) { return a.lanes - b.lanes; }
  friend Pack operator*(const Pack& a, const Pack& b) { return a.lanes * b.lanes; }
  friend Pack operator*(double a, const Pack& b) { return a * b.lanes; }
  friend Pack operator*(const Pack& a, double b) { return a.lanes * b; }
};

inline void sines_cosines(const Pack* angle, Pack* sine, Pack* cosine, int count) {
  for (int i = 0; i < count; ++i) {
    double angles[pack_lanes], sines[pack_lanes], cosines[pack_lanes];
    bool small = true;
    for (int k = 0; k < pack_lanes; ++k) {
      angles[k] = angle[i][k];
      small = small && std::abs(angles[k]) <= largest_angle;
    }
    for (int k = 0; k < pack_lanes; ++k) sine_cosine(angles[k], sines[k], cosines[k]);
    for (int k = 0; k < pack_lanes; ++k) {
      const bool far = !small && !(std::abs(angles[k]) <= largest_angle);
      sine[i][k] = far ? std::sin(angles[k]) : sines[k];
      cosine[i][k] = far ? std::cos(angles[k]) : cosines[k];
    }
  }
}

}  // namespace quoin::rigid_body::detail
