// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace quoin {

/// The directions and steps along which check_derivatives looks.
struct DerivativeCheckOptions {
  double largest_step = 0.1;  ///< length of the first step, in units of x
  int halvings = 12;          ///< further steps, each half as long
  int directions = 4;         ///< random unit directions
  unsigned seed = 1;          ///< of the directions
  double least_slope = 1.8;   ///< a correct Jacobian leaves a remainder of order 2
};

/// What check_derivatives found.
struct DerivativeCheck {
  bool passed = false;                                      ///< the remainder falls as that of a correct Jacobian
  double slope = std::numeric_limits<double>::quiet_NaN();  ///< worst order of the remainder; NaN if it is all rounding
  double relative_error = 0;  ///< largest |J w - central difference| / |J w| over the directions, at its best step
  std::string message;        ///< the result in words
};

/// Checks a Jacobian by the order of the Taylor remainder |f(x + h w) - f(x) - h J w| = O(h^2): a wrong entry
/// leaves a remainder of order 1. No tolerance has to be guessed; with the default steps an error of 1e-5 of the
/// Jacobian is detected.
///
///   auto check = check_derivatives<4>(map, x);
///   if (!check.passed) std::cerr << check.message;
///
/// Costs 1 + directions * (1 + 2 * halvings) evaluations. Throws what the map throws.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
DerivativeCheck check_derivatives(const Map& map, const Point<Dim>& x, const DerivativeCheckOptions& options = {}) {
  std::mt19937 random(options.seed);
  std::normal_distribution<double> normal;
  Eigen::VectorXd y, ahead, behind;
  Eigen::MatrixXd J;
  map.evaluate(x, y, J);

  DerivativeCheck check;
  bool finite = true;
  for (int d = 0; d < options.directions; ++d) {
    Point<Dim> w;
    for (double& component : w) component = normal(random);
    w.normalize();
    const Eigen::VectorXd slope = J * w;

    std::vector<double> steps, remainders;
    double best_difference = std::numeric_limits<double>::infinity();
    double h = options.largest_step;
    for (int i = 0; i <= options.halvings; ++i, h /= 2) {
      map.evaluate(x + h * w, ahead);
      map.evaluate(x - h * w, behind);
      steps.push_back(h);
      remainders.push_back((ahead - y - h * slope).norm());
      best_difference = std::min(best_difference, ((ahead - behind) / (2 * h) - slope).norm());
    }
    check.relative_error = std::max(check.relative_error, best_difference / std::max(slope.norm(), 1e-300));

    // Steps whose remainder is rounding say nothing about the order.
    const double rounding =
        1e3 * std::numeric_limits<double>::epsilon() * (y.norm() + options.largest_step * slope.norm());
    for (const double remainder : remainders) finite = finite && std::isfinite(remainder);
    std::size_t last = 0;
    while (last < steps.size() && remainders[last] > rounding) ++last;
    if (last < 2) continue;
    const double order = std::log(remainders[0] / remainders[last - 1]) / std::log(steps[0] / steps[last - 1]);
    // The remainder must fall as fast in the last halving, where lower orders show, as over all of them.
    const double tail = std::log2(remainders[last - 2] / remainders[last - 1]);
    const double worst = std::min(order, tail);
    check.slope = std::isnan(check.slope) ? worst : std::min(check.slope, worst);
  }
  if (!finite) {
    check.relative_error = std::numeric_limits<double>::infinity();
    check.message = "the map or its Jacobian is not finite at the point or on the steps around it";
    return check;
  }
  check.passed = std::isnan(check.slope) || check.slope >= options.least_slope;
  check.message = "Taylor remainder of order " + (std::isnan(check.slope) ? "(rounding only)" : to_text(check.slope)) +
                  ", relative error of J w against central differences " + to_text(check.relative_error) +
                  (check.passed ? ": the Jacobian is right" : ": the Jacobian is wrong");
  return check;
}

}  // namespace quoin
