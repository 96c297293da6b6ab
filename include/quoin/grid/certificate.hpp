// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace quoin {

/// Bounds of all fourth derivatives of f over a cell, in the grid's weighted norm of the outputs: the data of a
/// certified error. A derivative without a bound, or with one that is NaN or negative, counts as unbounded, and then
/// nothing is certified.
///
///   options.fourth_derivatives = [](const Point<2>& lower, const Point<2>& upper) {
///     FourthDerivativeBounds<2> bounds;
///     bounds.at({0, 0, 0, 0}) = std::exp(upper[0]);       // |d^4 f / dx_0^4|, the order of axes does not matter
///     ...
///     return bounds;                                      // or FourthDerivativeBounds<2>::common(3.0)
///   };
template <int Dim>
class FourthDerivativeBounds {
 public:
  /// Of the fourth derivatives, mixed ones counted once.
  static constexpr int count = jet_size(Dim, 4) - jet_size(Dim, 3);

  FourthDerivativeBounds() { bounds_.fill(std::numeric_limits<double>::infinity()); }

  /// The same bound for all derivatives.
  static FourthDerivativeBounds common(double bound) {
    FourthDerivativeBounds bounds;
    bounds.bounds_.fill(bound);
    return bounds;
  }

  /// The bound of the derivative along these four axes, each 0..Dim - 1. Throws std::invalid_argument for another axis.
  double& at(std::array<int, 4> axes) { return bounds_[position(axes)]; }
  double at(std::array<int, 4> axes) const { return bounds_[position(axes)]; }

 private:
  // Sorted axes a <= b <= c <= d are counted by the combinatorial number system.
  static std::size_t position(std::array<int, 4> axes) {
    for (const int axis : axes)
      if (axis < 0 || axis >= Dim)
        throw std::invalid_argument("FourthDerivativeBounds<" + to_text(Dim) + ">::at: axis " + to_text(axis) +
                                    " is not in 0.." + to_text(Dim - 1));
    std::sort(axes.begin(), axes.end());
    const auto [a, b, c, d] = axes;
    return static_cast<std::size_t>(a + b * (b + 1) / 2 + c * (c + 1) * (c + 2) / 6 +
                                    d * (d + 1) * (d + 2) * (d + 3) / 24);
  }

  std::array<double, std::size_t{count}> bounds_;
};

/// Bounds of |f - I_1 f| and of the largest |d_m (f - I_1 f)|.
struct CertifiedError {
  double value = 0;     ///< in the norm of the outputs, absolute
  double jacobian = 0;  ///< likewise, of the largest column
};

/// Bounds of the error of the reduced Hermite cubic (K = 1) at the place t in [0, 1]^Dim of a cell with edges h. Proven
/// in docs/notes/accuracy.md; the bound of the value is attained everywhere in the cell by quartics, and largest at its
/// centre, where it is
///
///     sum_k h_k^4/384 max|d_k^4 f| + sum_{i<k} h_i^2 h_k^2/64 max|d_i^2 d_k^2 f|.
template <int Dim>
CertifiedError certified_error(const FourthDerivativeBounds<Dim>& bounds, const Point<Dim>& h, const Point<Dim>& t) {
  // Kernels of one axis, with s the distance to the nearer end: P is linear, Q cubic Hermite interpolation.
  struct Axis {
    double linear;        // |(1 - P) g| <= linear h^2 |g''|
    double linear_first;  // |(1 - P) g| <= linear_first h |g'|
    double linear_slope;  // |((1 - P) g)'| <= linear_slope h |g''|
    double cubic;         // |(1 - Q) g| <= cubic h^4 |g''''|
    double cubic_third;   // |(1 - Q) g| <= cubic_third h^3 |g'''|
    double cubic_slope;   // |((1 - Q) g)'| <= cubic_slope h^3 |g''''|
  };
  Axis axis[std::size_t{Dim}];
  for (int i = 0; i < Dim; ++i) {
    const double s = std::min(t[i], 1 - t[i]), r = 1 - s, product = s * r;
    const double turn = s > 1.0 / 3 ? (3 * s - 1) / (2 * s) : 0;  // where the slope's kernel changes its sign
    axis[i] = {.linear = product / 2,
               .linear_first = 2 * product,
               .linear_slope = (s * s + r * r) / 2,
               .cubic = product * product / 24,
               .cubic_third = 4.0 / 3 * s * s * r * r * r / ((3 - 2 * s) * (3 - 2 * s)),
               .cubic_slope = product / 12 * (r - s + 2 * turn * turn * turn * turn)};
  }
  // An invalid bound (NaN, negative) counts as unbounded. A kernel that is zero, as at a corner, makes any term zero.
  const auto term = [](double kernel, double edges, double bound) {
    if (kernel == 0 || bound == 0) return 0.0;
    if (!(bound > 0) || std::isinf(bound)) return std::numeric_limits<double>::infinity();
    return kernel * edges * bound;
  };

  CertifiedError error;
  for (int i = 0; i < Dim; ++i) {
    error.value += term(axis[i].cubic, std::pow(h[i], 4), bounds.at({i, i, i, i}));
    for (int k = i + 1; k < Dim; ++k)
      error.value += term(axis[i].linear * axis[k].linear, h[i] * h[i] * h[k] * h[k], bounds.at({i, i, k, k}));
  }
  for (int m = 0; m < Dim; ++m) {
    double slope = term(axis[m].cubic_slope, std::pow(h[m], 3), bounds.at({m, m, m, m}));
    for (int k = 0; k < Dim; ++k) {
      if (k == m) continue;
      slope += term(axis[k].cubic_third, std::pow(h[k], 3), bounds.at({k, k, k, m}));
      slope += term(axis[m].linear_slope * axis[k].linear, h[m] * h[k] * h[k], bounds.at({k, k, m, m}));
      for (int i = 0; i < k; ++i) {
        if (i == m) continue;
        slope += std::min(term(axis[i].linear * axis[k].linear_first, h[i] * h[i] * h[k], bounds.at({i, i, k, m})),
                          term(axis[i].linear_first * axis[k].linear, h[i] * h[k] * h[k], bounds.at({i, k, k, m})));
      }
    }
    error.jacobian = std::max(error.jacobian, slope);
  }
  return error;
}

}  // namespace quoin
