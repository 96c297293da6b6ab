// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"

#include <array>
#include <string>
#include <vector>

namespace benchmarks {

/// How a surrogate is made, and the orders expected of it.
struct Method {
  std::string name;
  int value_order, jacobian_order;
  double largest_spacing;  // on the waves, where the method's errors are above rounding
  int halvings;
};

inline const std::array<Method, 4> jets{{{"jets, K = 0", 2, 1, 0.8, 5},
                                         {"jets, K = 1", 4, 3, 0.8, 5},
                                         {"jets, K = 2", 6, 5, 1.6, 5},
                                         {"jets, K = 3", 8, 7, 1.6, 4}}};
inline const Method values_only{"values only", 4, 3, 0.2, 5};
inline const Method zero_twist{"zero twist", 2, 1, 0.8, 5};

/// Errors against the spacing.
struct Curve {
  Method method;
  std::vector<double> spacings = {}, value_errors = {}, jacobian_errors = {};
  std::vector<double> worst_values = {};  // of the arm, relative to the displacement at the same point
};

/// Order by least squares: the slope of log error over log spacing.
double fitted_order(const std::vector<double>& spacings, const std::vector<double>& errors);

}  // namespace benchmarks
