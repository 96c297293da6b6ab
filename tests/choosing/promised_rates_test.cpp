// SPDX-License-Identifier: BSD-3-Clause
// How often the errors and evaluations that suggest_surrogate expects of its choices are what they then are.
#include "quoin/choosing/suggest_surrogate.hpp"

#include "choosing/two_waves.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("grids of drawn functions along drawn paths err no more than twice as much as was expected of them") {
  const unsigned first = seed_wanted();
  const int draws = draws_wanted(40);
  int grids = 0, worse = 0, better = 0, miscounted = 0, unresolved = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 31);
    const TwoWaves waves(generator);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Eigen::MatrixXd path(2, 1500);  // a drawn oval, in a drawn size
    const double wide = 1.5 + uniform(generator), high = 1.5 + uniform(generator), turn = 3 * uniform(generator);
    for (Eigen::Index m = 0; m < path.cols(); ++m) {
      const double t = 2 * std::acos(-1.) * static_cast<double>(m) / static_cast<double>(path.cols());
      path.col(m) << wide * std::cos(t), high * std::sin(t + turn);
    }
    const double tolerance = waves.amplitude.cwiseAbs().maxCoeff() * std::pow(10, -3 + uniform(generator));
    const AdaptiveGrid<2> asked(waves.jet<3>());
    const auto advice = suggest_surrogate(asked, path, {.tolerance = tolerance});
    if (!advice.resolved()) {
      ++unresolved;
      continue;
    }
    for (const auto& choice : advice.choices) {
      if (choice.kind != SurrogateKind::grid || choice.spacing.isZero(0)) continue;
      const GridOptions<2> options{.spacing = choice.spacing};
      const AdaptiveGrid<2> grid = choice.order == 1   ? AdaptiveGrid<2>(waves.jet<1>(), options)
                                   : choice.order == 2 ? AdaptiveGrid<2>(waves.jet<2>(), options)
                                                       : AdaptiveGrid<2>(waves.jet<3>(), options);
      Eigen::VectorXd y;
      double largest = 0;
      for (Eigen::Index m = 0; m < path.cols(); ++m) {
        grid.evaluate(path.col(m), y);
        for (int r = 0; r < 2; ++r) y[r] -= waves.derivative(r, MultiIndex<2>{}, path.col(m));
        largest = std::max(largest, y.norm() / std::sqrt(2.));
      }
      ++grids;
      CAPTURE(seed, choice.order, largest, choice.error, tolerance);
      worse += largest > 2 * choice.error;
      better += largest < choice.error / 5;
      const auto taken = static_cast<double>(grid.statistics().exact_evaluations);
      miscounted += std::abs(choice.evaluations - taken) > 0.1 * taken;
    }
  }
  INFO(worse << " of " << grids << " grids err by more than twice what was expected, " << better
             << " by less than a fifth, " << miscounted << " evaluations are off by a tenth, " << unresolved
             << " unresolved");
  CHECK(worse <= 0.05 * grids);
  CHECK(better <= 0.1 * grids);
  CHECK(miscounted <= 0.05 * grids);
  CHECK(grids > draws);
}
