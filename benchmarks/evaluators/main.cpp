// SPDX-License-Identifier: BSD-3-Clause
// What several workers save, what each evaluator costs, and how many corners plans ask for at once.
#include "benchmarks/evaluators/rounds.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/evaluation/workers.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"
#include "share/workers/quoin_worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace {
using namespace quoin;
using namespace benchmarks;
using studies::figures::ResultRow;

constexpr int dim = 4;

/// Works for this long, as a simulator does, and answers a jet of order 1.
void work(double milliseconds, int outputs, const double* x, double* jet) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(milliseconds);
  for (int i = 0; i < outputs * (1 + dim); ++i) jet[i] = x[i % dim] + i;
  while (std::chrono::steady_clock::now() < until) {
  }
}

double worker_milliseconds = 0;
int worker_outputs = 1;
const char* work_as_worker(const double* x, double* jet) {
  work(worker_milliseconds, worker_outputs, x, jet);
  return nullptr;
}

auto function(double milliseconds, int outputs) {
  return exact_function<dim>(outputs,
                             [=](const Point<dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                               Eigen::MatrixXd jet(outputs, 1 + dim);
                               work(milliseconds, outputs, x.data(), jet.data());
                               y = jet.col(0);
                               J = jet.rightCols(dim);
                             },
                             {.concurrent = true});
}

/// Seconds until all corners of some points are there, for one evaluation.
double seconds_each(AdaptiveGrid<dim> grid, int points) {
  Eigen::MatrixXd X(dim, points);
  for (int m = 0; m < points; ++m) X.col(m) = Point<dim>(m + 0.5, 0.5, 0.5, 0.5);  // each adds 8 corners
  const double seconds = seconds_of([&] { grid.prefetch(X); });
  return seconds / static_cast<double>(grid.statistics().exact_evaluations);
}

Workers<dim> workers(const std::string& program, int count, double milliseconds, int outputs) {
  return Workers<dim>({.command = {program, "--worker", to_text(milliseconds), to_text(outputs)}, .count = count});
}

/// Seconds for one evaluation by ThisThread, Threads{2}, one worker, two workers: medians of rounds in turns.
std::vector<double> seconds_of_each(const std::string& program, double milliseconds, int outputs, int points,
                                    int rounds) {
  const auto f = function(milliseconds, outputs);
  const Workers<dim> one = workers(program, 1, milliseconds, outputs), two = workers(program, 2, milliseconds, outputs);
  std::vector<std::vector<double>> seconds(4);
  for (int round = 0; round < rounds; ++round) {
    seconds[0].push_back(seconds_each(AdaptiveGrid<dim>(f), points));
    seconds[1].push_back(seconds_each(AdaptiveGrid<dim>(f, {}, Threads{2}), points));
    seconds[2].push_back(seconds_each(AdaptiveGrid<dim>(one), points));
    seconds[3].push_back(seconds_each(AdaptiveGrid<dim>(two), points));
  }
  std::vector<double> medians;
  for (std::vector<double>& of_one : seconds) medians.push_back(median(of_one));
  return medians;
}

void add(Report& report, const std::string& what, double milliseconds, int outputs, const std::vector<double>& each) {
  report.results.add(ResultRow()
                         .set("what", what)
                         .set("milliseconds", milliseconds)
                         .set("outputs", outputs)
                         .set("this_thread_us", 1e6 * each[0])
                         .set("threads_2_us", 1e6 * each[1])
                         .set("worker_us", 1e6 * each[2])
                         .set("workers_2_us", 1e6 * each[3])
                         .set("threads_2_speedup", each[0] / each[1])
                         .set("workers_2_speedup", each[2] / each[3]));
}

void add(Report& report, const rounds::PlanRounds& plan) {
  report.further_rows.push_back(ResultRow()
                                    .set("example", plan.example)
                                    .set("plan", plan.plan)
                                    .set("ahead", plan.ahead)
                                    .set("evaluations", plan.used.exact_evaluations)
                                    .set("unused", plan.used.unused_corners)
                                    .set("batches", plan.used.batches)
                                    .set("together", plan.together())
                                    .set("rounds_of_10", rounds::rounds_with(plan, 10))
                                    .set("rounds_of_100", rounds::rounds_with(plan, 100))
                                    .set("rounds_of_1000", rounds::rounds_with(plan, 1000))
                                    .set("cost", plan.cost));
  report.notes += "| " + plan.example + " | " + plan.plan + " | " + (plan.ahead ? "yes" : "no") + " | " +
                  to_text(plan.used.exact_evaluations) + " | " + to_text(plan.used.unused_corners) + " | " +
                  to_text(plan.used.batches) + " | " + to_fixed(plan.together(), 1) + " |";
  for (const double workers : {10., 100., 1000.})
    report.notes += " " + to_fixed(rounds::rounds_with(plan, workers), 0) + " |";
  report.notes += " " + to_fixed(plan.cost, 5) + " |\n";
}

/// Evaluated ahead, a plan is the same, and waits for no more batches. To the bit only where f is: the arm's equilibria
/// are solved for from the nearest one known, and differ in the last digits.
void plan_all(Report& report, bool quick) {
  using rounds::PlanRounds;
  std::vector<std::function<PlanRounds(bool)>> plans{[](bool ahead) { return rounds::laser(ahead, 1); },
                                                     [](bool ahead) { return rounds::laser(ahead, 2); },
                                                     [](bool ahead) { return rounds::stroke(ahead, 0.3); },
                                                     rounds::soft_arm_reach,
                                                     rounds::pendulum,
                                                     rounds::oscillation};
  if (!quick) plans.push_back([](bool ahead) { return rounds::stroke(ahead, 0.1); });
  bool same = true, fewer = true;
  for (const auto& plan : plans) {
    const PlanRounds asked = plan(false), foretold = plan(true);
    add(report, asked);
    add(report, foretold);
    same = same && std::abs(asked.cost - foretold.cost) <= 1e-9 * std::abs(asked.cost);
    fewer = fewer && foretold.used.batches <= asked.used.batches;
  }
  report.checks.push_back({"evaluated ahead, all plans cost the same to 1e-9", same});
  report.checks.push_back({"evaluated ahead, no plan waits for more batches", fewer});
}

Report run(const std::string& program, bool quick) {
  Report report;
  const int rounds = quick ? 3 : 5;
  double speedup_at_10 = 0;
  for (const double milliseconds : {1.0, 10.0, 100.0}) {
    const int evaluations = static_cast<int>((quick ? 600 : 2000) / milliseconds);
    const std::vector<double> each = seconds_of_each(program, milliseconds, 1, std::max(evaluations / 8, 2), rounds);
    add(report, "f of " + to_text(milliseconds) + " ms", milliseconds, 1, each);
    if (milliseconds == 10) speedup_at_10 = each[2] / each[3];
  }
  double overhead = 0;
  for (const int outputs : {1, 1575}) {
    const std::vector<double> each = seconds_of_each(program, 0, outputs, quick ? 20 : 60, rounds);
    add(report, "f of no time", 0, outputs, each);
    overhead = std::max(overhead, each[2] - each[0]);
  }
  report.notes =
      "Microseconds for one evaluation, and what the second thread or worker saves. Jets of order 1 of 4 variables: "
      "1575 outputs are 63 kB. Below, examples' plans: how many corners come together bounds what evaluators can save; "
      "by calculation, the rounds of f that 10, 100 and 1000 of them need at least.\n\n"
      "| example | plan | ahead | evaluations | of these unused | batches | evaluations / batches | with 10 | with 100 "
      "| "
      "with 1000 | cost |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  report.columns = {{"what"},
                    {"outputs"},
                    {"this_thread_us", "this thread"},
                    {"threads_2_us", "2 threads"},
                    {"worker_us", "1 worker"},
                    {"workers_2_us", "2 workers"},
                    {"threads_2_speedup", "saved by the 2nd thread"},
                    {"workers_2_speedup", "saved by the 2nd worker"}};
  report.checks = {{"two workers are at least 1.95 times as fast as one at 10 ms (" + to_fixed(speedup_at_10, 3) + ")",
                    speedup_at_10 >= 1.95, false},
                   {"a worker costs less than a millisecond an evaluation (" + to_fixed(1e3 * overhead, 3) + " ms)",
                    overhead < 1e-3}};
  plan_all(report, quick);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--worker") {  // it is its own worker
    parse_number(std::string_view(argv[2]), worker_milliseconds);
    parse_number(std::string_view(argv[3]), worker_outputs);
    return quoin_serve(work_as_worker, dim, worker_outputs, 1, "benchmark 1");
  }
  return run_benchmark(argc, argv, "evaluators", "What workers save, and what evaluators cost.",
                       [&](bool quick) { return run(argv[0], quick); });
}
