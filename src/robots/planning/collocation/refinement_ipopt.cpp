// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/refinement.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

int order_of(CollocationScheme scheme) {
  switch (scheme) {
    case CollocationScheme::euler: return 1;
    case CollocationScheme::trapezoid: return 2;
    case CollocationScheme::hermite_simpson: return 4;
  }
  return 1;
}

Eigen::VectorXd refined_mesh(const CollocationPlan& plan, const CollocationRefinementOptions& options) {
  const Eigen::VectorXd mesh = plan.mesh();
  const double exponent = 1. / (order_of(plan.scheme) + 1);
  std::vector<double> times;
  for (Eigen::Index i = 0; i + 1 < mesh.size(); ++i) {
    // Half the tolerance is aimed at, as the solution moves when its mesh does; a failed integration splits in full.
    const double excess = 2 * plan.interval_defects[i] / options.tolerance;
    const int parts =
        excess <= 2 ? 1
        : std::isfinite(excess)
            ? static_cast<int>(std::clamp<double>(std::ceil(std::pow(excess, exponent)), 2, options.max_split))
            : options.max_split;
    for (int j = 0; j < parts; ++j) times.push_back(mesh[i] + (mesh[i + 1] - mesh[i]) * j / parts);
  }
  times.push_back(mesh[mesh.size() - 1]);
  return Eigen::Map<const Eigen::VectorXd>(times.data(), static_cast<Eigen::Index>(times.size()));
}

}  // namespace

RefinedCollocation collocation_refined(const CollocationProblem& problem, const CollocationPlan& guess,
                                       const CollocationRefinementOptions& options) {
  if (!(options.tolerance > 0) || options.max_solves < 1 || options.max_intervals < 1 || options.max_split < 2) {
    throw std::invalid_argument("collocation_refined: tolerance = " + to_text(options.tolerance) + ", max_solves = " +
                                to_text(options.max_solves) + ", max_intervals = " + to_text(options.max_intervals) +
                                " must be positive, max_split = " + to_text(options.max_split) + " at least 2");
  }
  const auto begin = std::chrono::steady_clock::now();
  RefinedCollocation result;
  CollocationProblem current = problem;
  CollocationOptions solve = options.collocation;
  for (int i = 0; i < options.max_solves; ++i) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    solve.ipopt.max_seconds = std::max(0., options.collocation.ipopt.max_seconds - spent.count());
    CollocationPlan plan = collocation(current, i == 0 ? guess : result.plan, solve);
    result.meshes.push_back(current.times);
    result.defects.push_back(plan.largest_defect);
    result.nlp_stops.push_back(plan.stop);
    result.iterations += plan.iterations;
    const bool solved =
        plan.converged() || plan.stop == Stop::acceptable || plan.stop == Stop::saddle;  // the plan keeps the word
    if (solved || i == 0) result.plan = std::move(plan);
    if (!solved) {
      result.stop = RefinementStop::solve_failed;
      return result;
    }
    if (result.plan.largest_defect <= options.tolerance) {
      result.stop = RefinementStop::tolerance_met;
      return result;
    }
    current.times = refined_mesh(result.plan, options);
    if (current.times.size() - 1 > options.max_intervals) {
      result.stop = RefinementStop::interval_limit;
      return result;
    }
  }
  result.stop = RefinementStop::solve_limit;
  return result;
}

}  // namespace quoin::planning
