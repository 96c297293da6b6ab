// SPDX-License-Identifier: BSD-3-Clause
// Functions with the period of a cell's edge, of length 1, or of a part of it.
#pragma once

#include "quoin/map/point.hpp"
#include "testing/drawn.hpp"
#include "testing/drawn_rows.hpp"
#include "testing/functions.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace quoin::test {

/// What has extremes, or is zero, at all corners: a cosine; the same less its largest value; pulses, narrower than half
/// of a period.
inline constexpr const char* periodic_shapes[] = {"cosine", "raised", "pulses"};
inline constexpr const char* periodic_kinds[] = {"one axis", "diagonal", "product"};

/// A shape of one period along one axis, along the sum of all, or the product of these.
template <int Dim>
DrawnRow<Dim> drawn_harmonic(const std::string& shape, const std::string& kind, DrawingRandom& random) {
  const double k = 2 * std::numbers::pi * (1 + drawn_index(random, 4));
  const int axis = drawn_index(random, Dim), power = 2 + drawn_index(random, 4);
  const double height = shape == "cosine" ? 1 : std::pow(10., drawn_index(random, 3) - 1);
  const auto of = [=](double s, double& slope) {
    if (shape == "cosine") return slope = -k * std::sin(k * s), std::cos(k * s);
    if (shape == "raised") return slope = k * std::sin(k * s) / 2, (1 - std::cos(k * s)) / 2;
    const double sine = std::sin(k * s / 2);
    slope = power * k * std::pow(sine, 2 * power - 1) * std::cos(k * s / 2);
    return std::pow(sine, 2 * power);
  };
  return [=](const Point<Dim>& x, Point<Dim>& gradient) {
    double value = height, slope = 0;
    if (kind == "product") {
      gradient.setConstant(height);
      for (int i = 0; i < Dim; ++i) {
        const double factor = of(x[i], slope);
        value *= factor;
        for (int j = 0; j < Dim; ++j) gradient[j] *= j == i ? slope : factor;
      }
      return value;
    }
    gradient.setZero();
    const bool diagonal = kind == "diagonal";
    value *= of(diagonal ? x.sum() : x[axis], slope);
    if (diagonal)
      gradient.setConstant(height * slope);
    else
      gradient[axis] = height * slope;
    return value;
  };
}

template <int Dim>
auto function_of_row(const DrawnRow<Dim>& row) {
  return exact_function<Dim>(1, [row](const Point<Dim>& x, auto y, auto J) {
    Point<Dim> gradient;
    y[0] = row(x, gradient);
    J = gradient.transpose();
  });
}

}  // namespace quoin::test
