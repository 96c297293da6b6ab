// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/map/point.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace benchmarks {

/// Random numbers that are the same on every platform: the engine's are, the standard library's distributions' are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  /// For the family at this place in its list. Reports count their seeds on from QUOIN_RELEASE, which follows from the
  /// version: nobody looked at those while choosing settings.
  Draw(std::uint64_t seed, std::size_t family, int dim)
      : Draw((seed * 100 + family) * 10 + static_cast<std::uint64_t>(dim)) {}

  double uniform(double from, double to) { return from + (to - from) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double log_uniform(double from, double to) { return std::exp(uniform(std::log(from), std::log(to))); }
  template <int Dim>
  Point<Dim> in_box(double from, double to) {
    Point<Dim> x;
    for (double& xi : x) xi = uniform(from, to);
    return x;
  }
  template <int Dim>
  Point<Dim> log_in_box(double from, double to) {
    Point<Dim> x;
    for (double& xi : x) xi = log_uniform(from, to);
    return x;
  }
  template <int Dim>
  Point<Dim> direction() {  // uniform on the sphere
    for (;;) {
      const Point<Dim> x = in_box<Dim>(-1, 1);
      if (const double norm = x.norm(); norm > 0.1 && norm <= 1) return x / norm;
    }
  }
  /// Points of a closed curve within [-2, 2]^Dim: three harmonics around a centre.
  template <int Dim>
  std::vector<Point<Dim>> closed_curve(int points) {
    const Point<Dim> centre = in_box<Dim>(-0.6, 0.6);
    std::array<Point<Dim>, 3> cosines, sines;
    for (int k = 0; k < 3; ++k) {
      cosines[k] = in_box<Dim>(-0.6, 0.6) / (k + 1);
      sines[k] = in_box<Dim>(-0.6, 0.6) / (k + 1);
    }
    std::vector<Point<Dim>> curve;
    for (int i = 0; i < points; ++i) {
      Point<Dim> x = centre;
      for (int k = 0; k < 3; ++k) {
        const double turn = 2 * std::numbers::pi * (k + 1) * i / points;
        x += std::cos(turn) * cosines[k] + std::sin(turn) * sines[k];
      }
      curve.push_back(x.cwiseMax(-1.99).cwiseMin(1.99));
    }
    return curve;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace benchmarks
