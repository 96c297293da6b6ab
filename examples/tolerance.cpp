// SPDX-License-Identifier: BSD-3-Clause
// A tolerance instead of a spacing: each cell is as fine as the function requires there, and estimates its own error.
//   g++ -std=c++20 -O2 -Iinclude $(pkg-config --cflags eigen3) examples/tolerance.cpp -o tolerance -pthread
#include <quoin/quoin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  // A ridge along a circle: steep near it, flat elsewhere.
  auto f = quoin::exact_function<2>(1, [](const quoin::Point<2>& x, auto y, auto J) {
    const double radius = x.norm(), height = std::tanh(5 * (radius - 1));
    y[0] = height;
    J.row(0) = 5 * (1 - height * height) / radius * x.transpose();
  });
  quoin::AdaptiveGrid<2> grid(f, {.origin = {0.5, 0.5}, .spacing = {0.25, 0.25}, .tolerance = 1e-5});

  // The largest error at 10000 points of a square, against the largest error that the answers estimate.
  const auto compare = [&](const quoin::GridView<2>& map) {
    double largest = 0, largest_estimate = 0;
    Eigen::VectorXd y, exact;
    for (int i = 0; i < 100; ++i)
      for (int j = 0; j < 100; ++j) {
        const quoin::Point<2> x(0.51 + 0.0099 * i, 0.51 + 0.0099 * j);
        const quoin::Answer answer = map.evaluate(x, y);  // answer.trust is Trust::estimated
        f.evaluate(x, exact);
        largest = std::max(largest, std::abs(y[0] - exact[0]));
        largest_estimate = std::max(largest_estimate, answer.error);
      }
    std::printf("%zu calls of f, error %.1e, estimated %.1e\n", grid.statistics().exact_evaluations, largest,
                largest_estimate);
    return largest;
  };
  const double coarse = compare(grid.at_tolerance(1e-5));
  const double fine = compare(grid.at_tolerance(1e-7));  // shares all existing corners
  return coarse <= 1e-5 && fine <= 1e-7 ? 0 : 1;
}
