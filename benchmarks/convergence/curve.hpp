// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "examples/studies/figures/svg_plot.hpp"

#include <array>
#include <string>
#include <vector>

namespace benchmarks {

/// How a surrogate is made, the orders expected of it, and how it is drawn.
struct Method {
  std::string name;
  int value_order, jacobian_order;
  double largest_spacing;  // on the waves, where the method's errors are above rounding
  int halvings;
  const char* color;
  studies::figures::Marker marker;
  bool triangle;  // draw a slope triangle; one method of each order
};

inline const std::array<Method, 4> jets{
    {{"jets, K = 0", 2, 1, 0.8, 5, studies::figures::palette::grey, studies::figures::Marker::circle, false},
     {"jets, K = 1", 4, 3, 0.8, 5, studies::figures::palette::blue, studies::figures::Marker::circle, true},
     {"jets, K = 2", 6, 5, 1.6, 5, studies::figures::palette::green, studies::figures::Marker::circle, true},
     {"jets, K = 3", 8, 7, 1.6, 4, studies::figures::palette::purple, studies::figures::Marker::circle, true}}};
inline const Method values_only{
    "values only", 4, 3, 0.2, 5, studies::figures::palette::orange, studies::figures::Marker::square, false};
inline const Method zero_twist{
    "zero twist", 2, 1, 0.8, 5, studies::figures::palette::vermilion, studies::figures::Marker::diamond, true};

/// Errors against the spacing.
struct Curve {
  Method method;
  std::vector<double> spacings = {}, value_errors = {}, jacobian_errors = {};
  std::vector<double> worst_values = {};  // of the arm, relative to the displacement at the same point
};

/// Order by least squares: the slope of log error over log spacing.
double fitted_order(const std::vector<double>& spacings, const std::vector<double>& errors);

}  // namespace benchmarks
