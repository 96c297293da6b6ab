// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/convergence/curve_report.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace benchmarks {
namespace {

std::string two_decimals(double value) { return to_fixed(value, 2); }

}  // namespace

void add_rows(Report& report, const std::string& function, int dim, const std::vector<Curve>& curves, double spacing) {
  for (const Curve& curve : curves) {
    const auto shown = std::min_element(curve.spacings.begin(), curve.spacings.end(), [&](double a, double b) {
      return std::abs(a - spacing) < std::abs(b - spacing);
    });
    const auto at = static_cast<std::size_t>(shown - curve.spacings.begin());
    studies::figures::ResultRow row;
    row.set("function", function)
        .set("dim", dim)
        .set("method", curve.method.name)
        .set("value_order_expected", curve.method.value_order)
        .set("value_order", fitted_order(curve.spacings, curve.value_errors))
        .set("jacobian_order_expected", curve.method.jacobian_order)
        .set("jacobian_order", fitted_order(curve.spacings, curve.jacobian_errors))
        .set("spacing", curve.spacings[at])
        .set("value_error", curve.value_errors[at])
        .set("jacobian_error", curve.jacobian_errors[at])
        .set("spacings", curve.spacings)
        .set("value_errors", curve.value_errors)
        .set("jacobian_errors", curve.jacobian_errors);
    if (!curve.worst_values.empty()) row.set("worst_value_errors", curve.worst_values);
    report.results.add(std::move(row));
  }
}

void Furthest::look_at(const std::vector<Curve>& curves, int dim) {
  for (const Curve& curve : curves)
    for (const bool of_value : {true, false}) {
      const double order = fitted_order(curve.spacings, of_value ? curve.value_errors : curve.jacobian_errors);
      const int expected = of_value ? curve.method.value_order : curve.method.jacobian_order;
      const double off = std::abs(order - expected);
      if (off <= deviation) continue;
      deviation = std::isfinite(off) ? off : std::numeric_limits<double>::infinity();
      name = curve.method.name + ", d = " + to_text(dim) + (of_value ? ", value: " : ", Jacobian: ") +
             two_decimals(order) + " for " + to_text(expected);
    }
}

}  // namespace benchmarks
