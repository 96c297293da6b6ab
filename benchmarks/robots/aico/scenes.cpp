// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/support/draw.hpp"
#include "parts.hpp"
#include "testing/robots/aico_problems.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace benchmarks {

using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// A disc between where the tip is and where it should go, clear of both: the start does not see it.
DiscScene drawn(Draw& draw, int d) {
  for (;;) {
    DiscScene scene{.start = Vector::Constant(d, 1.2 / d)};
    for (double& angle : scene.start) angle += draw.uniform(-0.5, 0.5) / d;
    Matrix points, J;
    PlanarArm{d}.evaluate(scene.start, points, J);
    const double angle = draw.uniform(-0.3, 0.2);
    scene.goal = draw.uniform(0.7, 0.9) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    scene.radius = draw.uniform(0.08, 0.15);
    scene.disc =
        0.5 * (points.col(d - 1) + scene.goal) + Eigen::Vector2d(draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1));
    const double at_start = (points.colwise() - scene.disc).colwise().norm().minCoeff();
    if (at_start > scene.radius + 0.02 && (scene.goal - scene.disc).norm() > scene.radius + 0.05) return scene;
  }
}

struct Setting {
  std::string words;
  AicoOptions options;
};

std::vector<Setting> settings() {
  AicoOptions usual{.max_iterations = 400,
                    .relative_tolerance = 1e-4,
                    .step_tolerance = 1e-4,
                    .check_curvature = false,
                    .covariances = false};
  std::vector<Setting> all{{"0", usual}};
  for (const int count : {1, 3, 10}) {
    all.push_back({std::to_string(count), usual});
    all.back().options.relinearizations = count;
  }
  all.push_back({"0, initial_damping 1", usual});
  all.back().options.initial_damping = 1;
  all.push_back({"0, lambda / 5 after each accepted iteration", usual});
  all.back().options.good_gain = all.back().options.poor_gain = 0;
  return all;
}

}  // namespace

void scenes(Report& report, bool quick) {
  studies::figures::JsonResults table;
  studies::Rate converged;
  const int greatest = quick ? 7 : 20, count = quick ? 12 : 40;
  for (const int d : {3, 7, 20}) {
    if (d > greatest) break;
    const std::vector<Setting> tried = settings();
    std::vector<std::vector<AicoResult>> results(tried.size());
    Draw draw(first_seed);
    std::vector<double> best;
    for (int i = 0; i < count; ++i) {
      const AicoProblem problem = arm_around_disc(drawn(draw, d), 50);
      best.push_back(INFINITY);
      for (std::size_t s = 0; s < tried.size(); ++s) {
        results[s].push_back(aico(problem, Matrix::Zero(d, 50), tried[s].options));
        best.back() = std::min(best.back(), results[s].back().cost);
        if (s == 0) converged.count(results[s].back().converged());
      }
    }
    for (std::size_t s = 0; s < tried.size(); ++s) {
      studies::Rate near;
      std::vector<double> iterations, evaluations, costs;
      for (std::size_t i = 0; i < results[s].size(); ++i) {
        near.count(results[s][i].cost <= 1.01 * best[i]);
        costs.push_back(results[s][i].cost / best[i]);
        iterations.push_back(results[s][i].iterations);
        evaluations.push_back(static_cast<double>(results[s][i].task_evaluations));
      }
      table.add(studies::figures::ResultRow()
                    .show("d", d)
                    .show("setting", tried[s].words, "relinearizations")
                    .show("best", in_words(near))
                    .show("cost", median(costs), "cost / least, median")
                    .show("iterations", std::lround(median(iterations)), "iterations, median")
                    .show("iterations_90", std::lround(studies::quantile(iterations, 0.9)), "90 %")
                    .show("evaluations", std::lround(median(evaluations)), "task evaluations, median"));
    }
  }
  report.add_table("A planar arm of d links past a disc that the start does not see, " + std::to_string(count) +
                       " drawn scenes each, H 0.5, T 50, tolerances 1e-4; best: a cost within 1 % of the least of "
                       "all settings.",
                   table);
  report.checks.push_back(at_least("without relinearization at least 80 % of the scenes converge", converged, 0.8));
}

}  // namespace benchmarks
