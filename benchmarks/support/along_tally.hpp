// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/draw.hpp"
#include "benchmarks/support/drawn_functions.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/quoin.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace benchmarks {

/// How GridView::error_along compares with the largest error along a curve, on levels 2 to 4 of grids over drawn
/// functions. Ratios: the true error over what was said.
struct AlongTally {
  std::vector<double> values, jacobians;

  static double share_above(const std::vector<double>& ratios, double bound) {  // in percent
    const auto above = std::ranges::count_if(ratios, [&](double ratio) { return ratio > bound; });
    return 100. * static_cast<double>(above) / static_cast<double>(ratios.size());
  }
  static double median(std::vector<double> ratios) {
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    return *middle;
  }
};

/// Three curves for each seed and family. narrowest, widest: of the features, in cells of level 0.
template <int Dim, int K>
AlongTally tally_error_along(const std::vector<std::string>& families, double narrowest, double widest,
                             std::uint64_t first_seed, int seeds, int points = 100) {
  const DrawnFunctions<Dim> drawn(narrowest, widest);
  AlongTally tally;
  Eigen::VectorXd y;
  Eigen::MatrixXd J, exact(1, 1 + Dim);
  for (int seed = 0; seed < seeds; ++seed)
    for (std::size_t family = 0; family < families.size(); ++family) {
      Draw random(first_seed + static_cast<std::uint64_t>(seed), family, Dim);
      const auto functions = drawn.draw(families[family], 1, random);
      AdaptiveGrid<Dim> grid(exact_jet<Dim, K>(
          1, [&](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) { fill_jets<Dim>(functions, x, K, jet); }));
      for (int curve = 0; curve < 3; ++curve) {
        const auto along = random.closed_curve<Dim>(points);
        Eigen::MatrixXd X(Dim, points);
        for (int i = 0; i < points; ++i) X.col(i) = along[static_cast<std::size_t>(i)];
        for (int level = 2; level <= 4; ++level) {
          const GridView<Dim> view = grid.at_level(level);
          double largest = 0, error = 0, jacobian_error = 0;
          for (const Point<Dim>& x : along) {
            view.evaluate(x, y, J);
            fill_jets<Dim>(functions, x, 1, exact);
            largest = std::max(largest, std::abs(exact(0)));
            error = std::max(error, std::abs(y[0] - exact(0)));
            jacobian_error = std::max(jacobian_error, (J - exact.rightCols(Dim)).cwiseAbs().maxCoeff());
          }
          if (error < 1e-11 * largest) continue;  // of rounding
          const Answer said = view.error_along(X);
          tally.values.push_back(error / said.error);
          tally.jacobians.push_back(jacobian_error / said.jacobian_error);
        }
      }
    }
  return tally;
}

}  // namespace benchmarks
