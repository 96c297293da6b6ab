// SPDX-License-Identifier: BSD-3-Clause
// A first grid: it calls an expensive function at the corners of the cells that queries meet, and nowhere else.
//   g++ -std=c++20 -O2 -Iinclude $(pkg-config --cflags eigen3) examples/first_grid.cpp -o first_grid -pthread
#include <quoin/quoin.hpp>

#include <cmath>
#include <cstdio>

int main() {
  int calls = 0;
  auto f = quoin::exact_function<2>(3, [&](const quoin::Point<2>& x, auto y, auto J) {  // imagine a second per call
    ++calls;
    y << std::sin(x[0]) * x[1], std::exp(x[0] - x[1]), std::cos(x[1]);
    J << std::cos(x[0]) * x[1], std::sin(x[0]), y[1], -y[1], 0, -std::sin(x[1]);  // J(i, j) = dy_i/dx_j
  });
  quoin::AdaptiveGrid<2> grid(f, {.spacing = {0.25, 0.25}});
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  grid.evaluate({0.3, 0.4}, y, J);                             // 4 calls of f: the corners of a cell
  grid.evaluate({0.4, 0.3}, y, J);                             // none: the same cell
  grid.refine();                                               // halves the spacing; corners are kept
  auto sum = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));  // C f, applied once per corner
  sum.evaluate({0.4, 0.3}, y, J);                              // 3 calls of f: one corner was there

  const double exact = std::sin(0.4) * 0.3 + std::exp(0.4 - 0.3) + std::cos(0.3), error = std::abs(y[0] - exact);
  std::printf("%d calls of f, sum of its outputs %.5f, error %.1e\n", calls, y[0], error);
  return calls == 7 && error < 1e-5 ? 0 : 1;
}
