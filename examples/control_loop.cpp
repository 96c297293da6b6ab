// SPDX-License-Identifier: BSD-3-Clause
// A control loop asks a frozen view: it never calls f, and so each answer comes in time.
//   g++ -std=c++20 -O2 -Iinclude $(pkg-config --cflags eigen3) examples/control_loop.cpp -o control_loop -pthread
#include <Eigen/LU>
#include <quoin/quoin.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <thread>
#include <vector>

int main() {
  using Clock = std::chrono::steady_clock;
  // The tip of an arm with two joints, m; imagine finite elements.
  int calls = 0;
  auto tip = quoin::exact_function<2>(2, [&](const quoin::Point<2>& q, auto y, auto J) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const double a = q[0], b = q[0] + q[1];
    y << std::cos(a) + std::cos(b), std::sin(a) + std::sin(b);
    J << -y[1], -std::sin(b), y[0], std::cos(b);
  });
  const quoin::AdaptiveGrid<2> grid(tip, {.spacing = {0.2, 0.2}});

  // Beforehand, all that the loop will need: here the joints' whole range of work.
  grid.fill({-0.5, 0.4}, {1.3, 2.2});
  const quoin::FrozenView<2> model = grid.frozen();
  const int calls_before = calls;

  // A turn of a circle in 1000 periods: the joints follow it by the Jacobian.
  quoin::Point<2> q(0, 1.2);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  std::vector<double> seconds;
  double largest_error = 0;
  int coarser = 0;
  for (int k = 0; k <= 1000; ++k) {
    const double angle = 2 * std::numbers::pi * k / 1000;
    const Eigen::Vector2d target(1.3 + 0.2 * std::cos(angle), 0.9 + 0.2 * std::sin(angle));
    const auto begin = Clock::now();
    const quoin::Answer said = model.try_evaluate(q, y, J);
    if (!said.has_value()) return 1;  // here a controller would stop, and not ask what takes its time
    coarser += said.trust == quoin::Trust::coarser;
    q += J.partialPivLu().solve(target - y);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    if (k > 10) largest_error = std::max(largest_error, (target - y).norm());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%d calls of f before, %d within; %zu cells, %zu kB; %d coarser\n", calls_before, calls - calls_before,
              model.cells(), model.bytes() / 1024, coarser);
  std::printf("tip within %.1e m; a period takes %.2f us, the slowest %.2f us\n", largest_error,
              1e6 * seconds[seconds.size() / 2], 1e6 * seconds.back());
  return calls == calls_before && coarser == 0 && largest_error < 2e-3 ? 0 : 1;
}
