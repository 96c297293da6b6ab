// SPDX-License-Identifier: BSD-3-Clause
// Any program that answers as a worker (docs/own_simulator.md): two numbers go in, two or more come out. The grid finds
// what to put in so that the first two outputs follow a circle; the program itself says whether they do.
//   any_program [--workers N] [--storage FILE] [--spacing H] [--radius R] COMMAND...
#include "examples/terminal_progress.hpp"
#include "quoin/evaluation/workers.hpp"
#include "quoin/quoin.hpp"
#include "quoin/storage/sqlite_storage.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Task {
  quoin::WorkerOptions workers{.command = {}, .count = 2};
  std::string storage;
  double spacing = 0.5, radius = 0.05;
};

Task read(int argc, char** argv) {
  Task task;
  int i = 1;
  for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--workers") task.workers.count = std::stoi(value);
    if (option == "--storage") task.storage = value;
    if (option == "--spacing") task.spacing = std::stod(value);
    if (option == "--radius") task.radius = std::stod(value);
  }
  task.workers.command.assign(argv + i, argv + argc);
  return task;
}

int follow_a_circle(const Task& task) {
  const quoin::Workers<2> workers(task.workers);
  quoin::GridOptions<2> options{.spacing = quoin::Point<2>::Constant(task.spacing)};
  if (!task.storage.empty())
    options.storage = std::make_shared<quoin::storage::SqliteStorage<2>>(task.storage, workers.fingerprint());
  const quoin::AdaptiveGrid<2> grid(workers, options);

  std::optional<examples::TerminalProgress> progress(std::in_place);
  const int points = 24;
  Eigen::Matrix2Xd plan(2, points), circle(2, points);
  quoin::Point<2> u = quoin::Point<2>::Zero();
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  grid.evaluate(u, y, J);
  const Eigen::Vector2d centre = y.head<2>();
  for (int i = 0; i < points; ++i) {
    const double angle = 2 * std::numbers::pi * i / points;
    circle.col(i) = centre + task.radius * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    for (int iteration = 0;; ++iteration) {  // Newton's method
      if (iteration == 20) throw std::runtime_error("finds no way to point " + std::to_string(i) + " of the circle");
      grid.evaluate(u, y, J);
      const quoin::Point<2> change = J.topRows<2>().lu().solve(circle.col(i) - y.head<2>());
      u += change;
      if (change.norm() < 1e-10) break;
    }
    plan.col(i) = u;
  }
  progress.reset();
  const quoin::GridStatistics used = grid.statistics();
  std::printf("%d points planned with %zu evaluations of the program in %zu batches, %zu from the file\n", points,
              used.exact_evaluations, used.batches, used.from_storage);

  double farthest = 0;
  quoin::WorkerPool itself(2, task.workers);
  itself.evaluate(plan, [&](Eigen::Index i, const quoin::WorkerAnswer& answer) {
    if (answer.jet.cols() == 0) throw std::runtime_error(answer.reason);
    farthest = std::max(farthest, (answer.jet.col(0).head<2>() - circle.col(i)).norm());
  });
  std::printf("the program itself, given the plan, leaves the circle by %.2g of its radius at most\n",
              farthest / task.radius);
  return farthest < 1e-2 * task.radius ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Task task = read(argc, argv);
    if (!task.workers.command.empty()) return follow_a_circle(task);
    std::fprintf(stderr, "usage: any_program [--workers N] [--storage FILE] [--spacing H] [--radius R] COMMAND...\n");
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "any_program: %s\n", error.what());
    return 1;
  }
}
