// SPDX-License-Identifier: BSD-3-Clause
// An optimizer of your own through interleave: it solves on ever finer views of a grid, each time from the last result.
// Here: Gauss-Newton finds the damping and the frequency of an oscillation that was measured.
//   g++ -std=c++20 -O2 -Iinclude $(pkg-config --cflags eigen3) examples/own_optimizer.cpp -o own_optimizer -pthread
#include <quoin/quoin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <cstdio>

using Parameters = quoin::Point<2>;  // damping and angular frequency, 1/s

/// Minimizes 1/2 |map(p) - measured|^2 by Gauss-Newton with halved steps. Map: a view of the grid, or f itself.
template <class Map>
quoin::SolverResult<Parameters> fit(const Map& map, const Eigen::VectorXd& measured, Parameters p) {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  map.evaluate(p, y, J);
  double cost = 0.5 * (y - measured).squaredNorm();
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Parameters gradient = J.transpose() * (y - measured);
    const Parameters step = -Parameters((J.transpose() * J).ldlt().solve(gradient));
    double length = 1, next = cost;
    for (; length > 1e-6; length /= 2) {
      map.evaluate(p + length * step, y, J);
      next = 0.5 * (y - measured).squaredNorm();
      if (next < cost) break;
    }
    if (next >= cost || (length * step).norm() < 1e-10) return {.iterate = p, .cost = cost, .converged = true};
    p += length * step;
    cost = next;
  }
  return {.iterate = p, .cost = cost, .converged = false};
}

auto oscillation() {
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(40, 0, 4);
  return quoin::exact_function<2>(40,
                                  [time](const Parameters& p, auto y, auto J) {  // imagine a simulation
                                    const Eigen::ArrayXd envelope = (-p[0] * time).exp();
                                    y = envelope * (p[1] * time).cos();
                                    J.col(0) = -time * y.array();
                                    J.col(1) = -time * envelope * (p[1] * time).sin();
                                  },
                                  {.concurrent = true});
}

const Parameters truth(0.37, 3.14), guess(0.8, 2.5);

int main() {
  const auto f = oscillation();
  Eigen::VectorXd measured;
  f.evaluate(truth, measured);

  quoin::AdaptiveGrid<2> grid(f, {.spacing = {0.4, 0.4}});
  const auto solve = [&](const quoin::GridView<2>& view, const Parameters& p) { return fit(view, measured, p); };
  const auto result = quoin::interleave(grid, solve, guess, {.schedule = quoin::Levels{.first = 0, .last = 4}});
  for (const quoin::Round& round : result.rounds)
    std::printf("level %d: cost %.1e, %zu new calls of f\n", round.level, round.cost, round.exact_evaluations);
  const double error = (result.iterate - truth).norm();
  std::printf("%s at damping %.5f, frequency %.5f: error %.1e\n", to_string(result.stop), result.iterate[0],
              result.iterate[1], error);
  return result.stop == quoin::InterleaveStop::converged && error < 1e-5 ? 0 : 1;
}
