// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/support/timed_task.hpp"
#include "parts.hpp"
#include "testing/robots/dense_map.hpp"

#include "quoin/robots/planning/aico/aico.hpp"
#include "quoin/robots/planning/aico/gaussian_chain.hpp"
#include "quoin/robots/planning/aico/remapping.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace benchmarks {

using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

constexpr int d = 29, T = 50;

/// Second-order motion with a task of all of x at every time.
LinearChain whole_body() {
  std::mt19937 generator(first_seed);
  LinearChain chain{.H = Matrix::Identity(d, d), .mean = Vector::Zero(2 * d)};
  chain.steps.assign(T, second_order_step(d, 0.1));
  for (int t = 0; t <= T; ++t) {
    LocalTask task;
    task.set_zero(2 * d);
    task.add(random_matrix(generator, 2 * d, 1), random_matrix(generator, 2 * d, 2 * d), Vector::Zero(2 * d));
    chain.tasks.push_back(task);
  }
  return chain;
}

/// One step of remapping, of 7 coordinates, y = C sin q.
std::function<void()> remapping(int rows) {
  std::mt19937 generator(first_seed + rows);
  const Matrix C = random_matrix(generator, rows, 7);
  const Vector q = random_matrix(generator, 7, 1), h = 0.05 * random_matrix(generator, 7, 1),
               target = C * q.array().sin().matrix();
  auto remapper = std::make_shared<Remapper>(7, 1e3 * Matrix::Identity(rows, rows),
                                             RemapOptions{.max_iterations = 1, .keep_descent = false});
  return [=] {
    for (int i = 0; i < 100; ++i)
      remapper->remap(q, h, target, [&](const Vector& at, Vector& y, Matrix* J) {
        y.noalias() = C * at.array().sin().matrix();
        if (J) J->noalias() = C * at.array().cos().matrix().asDiagonal();
        return true;
      });
  };
}

}  // namespace

void times(Report& report, bool quick) {
  const LinearChain chain = whole_body();
  GaussianChain passed(2 * d, chain.H, T);
  Gaussian marginal;
  std::vector<TimedTask> tasks;
  tasks.push_back({"forward messages", [&] {
                     passed.start(chain.mean);
                     for (int t = 0; t < T; ++t) passed.forward(t, chain.steps[t], chain.tasks[t]);
                   }});
  tasks.push_back({"backward messages with control laws", [&] {
                     passed.finish();
                     for (int t = T - 1; t >= 0; --t) passed.backward(t, chain.steps[t], chain.tasks[t + 1]);
                   }});
  tasks.push_back({"means of the beliefs", [&] {
                     for (int t = 0; t <= T; ++t) passed.belief(t, chain.tasks[t]);
                   }});
  tasks.push_back({"beliefs with covariances", [&] {
                     for (int t = 0; t <= T; ++t) passed.belief(t, chain.tasks[t], marginal);
                   }});
  const AicoProblem problem{.state_size = 2 * d,
                            .horizon = T,
                            .control_cost = chain.H,
                            .initial_state = chain.mean,
                            .dynamics = linear_dynamics(chain.steps),
                            .task = [&](int t, const Vector& x, LocalTask& task) {
                              task = chain.tasks[static_cast<std::size_t>(t)];
                              task.cost = 0.5 * x.dot(task.R * x) - task.r.dot(x);
                              return true;
                            }};
  const Matrix still = Matrix::Zero(d, T);
  tasks.push_back({"a call of aico: 3 sweeps, gains", [&] {
                     aico(problem, still, {.initial_damping = 0, .check_curvature = false, .covariances = false});
                   }});
  const std::size_t of_chain = tasks.size();
  for (const int rows : {3, 14, 60})
    tasks.push_back({"a remapping step of 7 coordinates, y of " + std::to_string(rows), remapping(rows)});

  std::mt19937 generator(first_seed);
  const Matrix left = random_matrix(generator, 2 * d, 2 * d), right = random_matrix(generator, 2 * d, 2 * d);
  Matrix product(2 * d, 2 * d);
  const auto products = [&] {
    for (int t = 0; t < T; ++t) product.noalias() = left * right;
  };
  time_in_turns(tasks, products, quick ? 21 : 201);

  studies::figures::JsonResults table;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double calls = i < of_chain ? 1 : 100;
    table.add(studies::figures::ResultRow()
                  .show("task", tasks[i].name)
                  .show("us", 1e6 * median(tasks[i].seconds) / calls, "us, median")
                  .show("ratio", median(tasks[i].ratios) / calls, "/ 50 products"));
  }
  report.add_table(
      "29 coordinates (n 58), T 50, tasks on all of x; one thread; beside 50 products of two 58 x 58 "
      "matrices, timed just before: medians.",
      table);
  const double sweep = median(tasks[0].ratios) + median(tasks[1].ratios);
  report.checks.push_back({"forward and backward messages of a step cost at most 100 products of matrices: " +
                               studies::figures::format_number(sweep),
                           sweep < 100});
  report.checks.push_back({"every answer is finite", product.allFinite() && marginal.covariance.allFinite()});
}

}  // namespace benchmarks
