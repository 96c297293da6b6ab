// SPDX-License-Identifier: BSD-3-Clause
// A table of an equation of state in four variables, on logarithmic, linear and periodic axes: ionized hydrogen and
// helium by Saha's equations.
//   g++ -std=c++20 -O2 -Iinclude $(pkg-config --cflags eigen3) examples/equation_of_state.cpp -o eos -pthread
#include <quoin/choosing/table.hpp>
#include <quoin/evaluation/threads.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

// Electrons for each of n nuclei / cm^3, of which x are helium, at T K; and what a cloud of them, brighter on one side,
// emits towards phi, in its unit at n^2 and 1e4 K.
static void eos(const quoin::Point<4>& at, Eigen::Ref<Eigen::VectorXd> y) {
  const double T = at[0], n = at[1], x = at[2], phi = at[3];
  const std::array volts = {13.598, 24.587, 54.418}, weights = {1.0, 4.0, 1.0};  // of H, He, He+: 2 g+/g
  std::array<double, 3> K;
  for (std::size_t i = 0; i < 3; ++i)
    K[i] = weights[i] * 2.4146830e15 * std::pow(T, 1.5) * std::exp(-volts[i] * 11604.518 / T);  // 1/cm^3
  double low = -40, high = std::log(1 + x);  // the electrons' logarithm, by bisection
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2, electrons = std::exp(middle), each = 1 / (n * electrons);
    const double hydrogen = (1 - x) * K[0] * each / (1 + K[0] * each);
    const double first = K[1] * each, second = first * K[2] * each;
    const double helium = x * (first + 2 * second) / (1 + first + second);
    (hydrogen + helium > electrons ? low : high) = middle;
  }
  y[0] = std::exp((low + high) / 2);
  y[1] = y[0] * y[0] * std::sqrt(T / 1e4) * (1 + 0.3 * std::cos(phi));
}

int main() {
  const double relative = 3e-2, turn = 2 * std::numbers::pi;
  const quoin::Table<4> table(quoin::exact_function_without_derivatives<4>(2, eos, {.concurrent = true}),
                              {quoin::log_axis("T", 3e3, 3e4), quoin::log_axis("n", 1e12, 1e20),
                               quoin::linear_axis("x", 0, 0.3), quoin::periodic_axis("phi", 0, turn)},
                              {.relative = Eigen::VectorXd::Constant(1, relative)}, quoin::Threads{});
  const quoin::Filled filled = table.fill();
  std::printf("%zu cells from %td calls, f failed in %zu\n", filled.cells, table.samples().size(), filled.failed);

  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit;
  int within = 0, good = 0;
  Eigen::VectorXd y, truth(2);
  for (int draw = 0; draw < 1000; ++draw) {
    const quoin::Point<4> x(3e3 * std::pow(10, unit(random)), 1e12 * std::pow(1e8, unit(random)), 0.3 * unit(random),
                            60 * unit(random) - 30);  // any turn
    const quoin::Answer said = table.evaluate(x, y);
    eos(x, truth);
    const double off = ((y - truth).array() / table.sizes().array()).abs().maxCoeff();
    within += off <= said.error, good += off <= 1.5 * relative;
  }
  std::printf("at 1000 other points: %.1f %% within what is stated\n", within / 10.0);
  return good >= 990 ? 0 : 1;
}
