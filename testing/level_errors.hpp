// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quoin::test {

/// Largest errors of values and Jacobians on levels 0 to 4 of a grid.
struct LevelErrors {
  std::vector<double> values, jacobians;

  double value_order() const { return order(values); }
  double jacobian_order() const { return order(jacobians); }

 private:
  static double order(const std::vector<double>& errors) { return std::log2(errors.front() / errors.back()) / 4; }
};

struct LevelErrorPoints {
  int count = 240;
  unsigned seed = 17;
  bool relative = false;  ///< errors are divided by the map's largest output at the point
};

/// At every level the points lie in the cells around the same anchors, at the same local positions.
template <int Dim, class Map>
LevelErrors level_errors(const AdaptiveGrid<Dim>& grid, const Map& map, const std::vector<Point<Dim>>& anchors,
                         const LevelErrorPoints& points = {}) {
  const auto places = random_points<Dim>(points.count, Point<Dim>::Zero(), Point<Dim>::Ones(), points.seed);
  LevelErrors errors;
  Eigen::VectorXd y, f;
  Eigen::MatrixXd J, df;
  for (int level = 0; level <= 4; ++level) {
    const GridView<Dim> view = grid.at_level(level);
    const Point<Dim> h = view.spacing(), origin = grid.options().origin;
    double value = 0, jacobian = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
      const Point<Dim> cell = (anchors[n % anchors.size()] - origin).cwiseQuotient(h).array().floor().matrix();
      const Point<Dim> x = origin + (cell + places[n]).cwiseProduct(h);
      view.evaluate(x, y, J);
      map.evaluate(x, f, df);
      const double scale = points.relative ? f.cwiseAbs().maxCoeff() : 1;
      value = std::max(value, (y - f).cwiseAbs().maxCoeff() / scale);
      jacobian = std::max(jacobian, (J - df).cwiseAbs().maxCoeff() / scale);
    }
    errors.values.push_back(value);
    errors.jacobians.push_back(jacobian);
  }
  return errors;
}

}  // namespace quoin::test
