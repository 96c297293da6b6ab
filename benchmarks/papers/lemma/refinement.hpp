// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/papers/lemma/tight_plan.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/planning/ilqr.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

/// Results of the benchmark's robots and their report: tables, orders, checks.
namespace benchmarks {

/// The bounds of a fitted order.
struct OrderBand {
  double least = 0, greatest = 0;

  bool holds(double order) const { return least <= order && order <= greatest; }
};

/// Plans on ever finer grids of one kind, and their distances from the plan on exact dynamics.
struct RefinementCurve {
  std::string method = {};  ///< "1-jets"
  OrderBand all = {};       ///< of the order over all levels, for controls and for states
  OrderBand last = {};      ///< over the last three halvings
  PlanDistance floor = {};  ///< between two plans on exact dynamics from different starts
  std::vector<double> spacings = {};
  std::vector<PlanDistance> distances = {};  ///< combined by over_lattices
  std::vector<long> evaluations = {};        ///< exact evaluations up to this level, mean over the lattices
  double last_step = 0;                      ///< largest remaining step of Newton's method, over all plans
};

/// One robot: its plan on exact dynamics, and the plans on grids.
struct Refinement {
  std::string robot = {};
  std::size_t lattices = 0;  ///< number of lattices, of different origins
  TightPlan exact = {};
  long exact_evaluations = 0;
  double default_distance = 0;  ///< largest change of a control if the steps' derivatives leave out curvature
  double default_cost = 0;      ///< relative increase of the plan's cost in that case
  std::vector<RefinementCurve> curves = {};
};

/// The same planner where the lemma's condition fails.
struct SingularCase {
  std::string robot = {};
  Stop stop = Stop::converged;
  int failed_step = -1;
  StepStatus status = StepStatus::ok;
};

/// Medians of the root mean squares and maxima of the largest distances. A plan with a state at the face of a cell,
/// where the surrogate's Jacobian jumps, may be far off the others; the median does not depend on it.
PlanDistance over_lattices(const std::vector<PlanDistance>& distances);

/// Plans on each lattice at each level, starting from the plan on the level before, as Algorithm 1 does; grid_on
/// (lattice, use): calls use(grid, plan_on) with the grid and its planner, (level, spacing, guess) -> TightPlan.
template <class GridOn>
void refine(RefinementCurve& curve, const TightPlan& exact, std::size_t lattices, double coarsest, int halvings,
            const Eigen::MatrixXd& first_guess, Eigen::Index state_rows, const GridOn& grid_on) {
  std::vector<std::vector<PlanDistance>> distances(halvings + 1);
  curve.evaluations.resize(halvings + 1);
  for (std::size_t lattice = 0; lattice < lattices; ++lattice) {
    grid_on(lattice, [&](const auto& grid, const auto& plan_on) {
      Eigen::MatrixXd guess = first_guess;
      for (int level = 0; level <= halvings; ++level) {
        const TightPlan found = plan_on(level, std::ldexp(coarsest, -level), guess);
        guess = found.trajectory.controls;
        curve.last_step = std::max(curve.last_step, found.last_step);
        distances[level].push_back(distance(found.trajectory, exact.trajectory, state_rows));
        curve.evaluations[level] += grid.statistics().exact_evaluations;
      }
    });
  }
  for (int level = 0; level <= halvings; ++level) {
    curve.spacings.push_back(std::ldexp(coarsest, -level));
    curve.distances.push_back(over_lattices(distances[level]));
    curve.evaluations[level] /= static_cast<long>(lattices);
  }
}

/// Adds rows and checks.
void tell(Report& report, const Refinement& refinement);
void tell(Report& report, const SingularCase& singular);

}  // namespace benchmarks
