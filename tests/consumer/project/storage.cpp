// SPDX-License-Identifier: BSD-3-Clause
// Stores a grid's evaluations and finds them again.
#include <quoin/quoin.hpp>
#include <quoin/storage/sqlite_storage.hpp>

#include <cstdio>
#include <memory>

int main() {
  int calls = 0;
  const auto f = quoin::exact_function<2>(1, [&calls](const quoin::Point<2>& x, auto y, auto J) {
    ++calls;
    y[0] = x[0] * x[1];
    J << x[1], x[0];
  });
  std::remove("consumer.quoin");
  for (int round = 0; round < 2; ++round) {
    quoin::GridOptions<2> options;
    options.storage = std::make_shared<quoin::storage::SqliteStorage<2>>("consumer.quoin", "product 0");
    const quoin::AdaptiveGrid<2> grid(f, options);
    Eigen::VectorXd y;
    grid.evaluate({0.5, 0.5}, y);
    if (y[0] != 0.25) return 1;
  }
  return calls == 4 ? 0 : 2;
}
