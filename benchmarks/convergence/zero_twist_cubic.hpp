// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <array>

namespace benchmarks {

/// The tensor-product Hermite cubic of the cell around x, edges h, with all mixed derivatives at the corners zero.
template <int Dim, class Map>
void zero_twist_cubic(const Map& f, const Point<Dim>& origin, double h, const Point<Dim>& x, Eigen::VectorXd& y,
                      Eigen::MatrixXd& J) {
  const Point<Dim> lower = ((x - origin) / h).array().floor();
  const Point<Dim> t = (x - origin) / h - lower;
  y.setZero(f.output_size());
  J.setZero(f.output_size(), Dim);
  Eigen::VectorXd corner_y;
  Eigen::MatrixXd corner_J;
  for (int c = 0; c < 1 << Dim; ++c) {
    Point<Dim> corner;
    std::array<std::array<double, 2>, Dim> value, slope;  // of the basis functions for the value and for the gradient
    for (int i = 0; i < Dim; ++i) {
      const bool upper = c >> i & 1;
      const double s = upper ? t[i] : 1 - t[i], sign = upper ? 1 : -1;
      corner[i] = origin[i] + h * (lower[i] + upper);
      value[i] = {s * s * (3 - 2 * s), -sign * h * s * s * (1 - s)};
      slope[i] = {sign / h * 6 * s * (1 - s), -s * (2 - 3 * s)};
    }
    f.evaluate(corner, corner_y, corner_J);
    for (int a = 0; a <= Dim; ++a) {  // 0: the value, 1 + i: the derivative along i
      Eigen::Matrix<double, Dim, 1> along = Point<Dim>::Ones();
      double weight = 1;
      for (int i = 0; i < Dim; ++i) {
        const bool derivative = a == 1 + i;
        weight *= value[i][derivative];
        for (int j = 0; j < Dim; ++j) along[j] *= i == j ? slope[i][derivative] : value[i][derivative];
      }
      const auto datum = a == 0 ? corner_y : Eigen::VectorXd(corner_J.col(a - 1));
      y += weight * datum;
      J += datum * along.transpose();
    }
  }
}

}  // namespace benchmarks
