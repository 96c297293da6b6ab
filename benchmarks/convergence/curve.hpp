// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/io/svg_plot.hpp"

#include <array>
#include <string>
#include <vector>

namespace quoin::benchmarks {

/// How a surrogate is made, what is expected of it, and how it is drawn.
struct Method {
  std::string name;
  int value_order, jacobian_order;
  double largest_spacing;  // on the waves: each method where its errors are above rounding
  int halvings;
  const char* color;
  io::Marker marker;
  bool triangle;  // one for each order
};

inline const std::array<Method, 4> jets{{{"jets, K = 0", 2, 1, 0.8, 5, io::palette::grey, io::Marker::circle, false},
                                         {"jets, K = 1", 4, 3, 0.8, 5, io::palette::blue, io::Marker::circle, true},
                                         {"jets, K = 2", 6, 5, 1.6, 5, io::palette::green, io::Marker::circle, true},
                                         {"jets, K = 3", 8, 7, 1.6, 4, io::palette::purple, io::Marker::circle, true}}};
inline const Method values_only{"values only", 4, 3, 0.2, 5, io::palette::orange, io::Marker::square, false};
inline const Method zero_twist{"zero twist", 2, 1, 0.8, 5, io::palette::vermilion, io::Marker::diamond, true};

/// Errors against the spacing.
struct Curve {
  Method method;
  std::vector<double> spacings = {}, value_errors = {}, jacobian_errors = {};
  std::vector<double> worst_values = {};  // of the arm, relative to the displacement at the same point
};

/// Order by least squares: the slope of log error over log spacing.
double fitted_order(const std::vector<double>& spacings, const std::vector<double>& errors);

}  // namespace quoin::benchmarks
