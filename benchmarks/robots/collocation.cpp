// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/notes/collocation.md: orders of the schemes, refinement, and grabs with a chain, replayed.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/draw.hpp"
#include "quoin/robots/planning/collocation/refinement.hpp"
#include "testing/robots/swing_up_errors.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;
using namespace quoin::planning;
using namespace quoin::planning::test;
using Eigen::VectorXd;
using studies::figures::format_number;
using studies::figures::ResultRow;

constexpr CollocationScheme all_schemes[] = {CollocationScheme::euler, CollocationScheme::trapezoid,
                                             CollocationScheme::hermite_simpson};

void orders(Report& report) {
  const CollocationPlan truth = solve_swing_up(256, CollocationScheme::hermite_simpson);
  bool right = truth.converged();
  for (const CollocationScheme scheme : all_schemes) {
    double coarse = 0;
    for (const int intervals : {32, 64}) {
      const CollocationPlan plan = solve_swing_up(intervals, scheme);
      const Difference error = difference(plan, truth);
      const VectorXd end = replay(node_dynamics(pendulum()), plan, 0.005).final_state();
      report.results.add(ResultRow()
                             .show("scheme", to_string(scheme))
                             .show("intervals", intervals)
                             .show("mesh", error.on_mesh, "state on the mesh", 2)
                             .show("between", error.between, "", 2)
                             .show("control", error.control, "control, inside", 2)
                             .show("defect", plan.largest_defect, "defect of an interval", 2)
                             .show("miss", (end - leaning(pendulum(), EIGEN_PI)).norm(), "miss of the replay", 2));
      const double order = scheme == CollocationScheme::hermite_simpson ? 4
                           : scheme == CollocationScheme::trapezoid     ? 2
                                                                        : 1;
      if (intervals == 64) right = right && std::abs(std::log2(coarse / error.on_mesh) - order) < 0.4;
      coarse = error.on_mesh;
    }
  }
  report.notes =
      "Largest errors of a pendulum's swing-up by least effort, 4 time units; truth: Hermite-Simpson, 256 "
      "intervals.\n";
  report.checks.push_back({"on the mesh Euler is of order 1, the trapezoid 2, Hermite-Simpson 4, to 0.4", right});
}

void refinement(Report& report) {
  const CollocationProblem problem = through_narrow_field(12);
  const VectorXd goal = 2 * VectorXd::Unit(2, 0);
  const double tolerance = 1e-5;
  const RefinedCollocation refined =
      collocation_refined(problem, straight_guess(problem, goal), {.tolerance = tolerance});
  studies::figures::JsonResults table;
  for (std::size_t i = 0; i < refined.meshes.size(); ++i)
    table.add(ResultRow()
                  .show("mesh", "refined, solve " + std::to_string(i + 1))
                  .show("intervals", refined.meshes[i].size() - 1)
                  .show("defect", refined.defects[i], "", 2));
  const int intervals = static_cast<int>(refined.plan.intervals());
  const auto uniform = [&](int count) {
    const CollocationProblem even = through_narrow_field(count);
    return collocation(even, refined.plan).largest_defect;
  };
  const double alike = uniform(intervals);
  table.add(ResultRow().set("mesh", "uniform").set("intervals", intervals).set("defect", alike));
  int enough = intervals;
  double defect = alike;
  while (defect > tolerance && enough < 10 * intervals) defect = uniform(enough += 4);
  table.add(ResultRow()
                .set("mesh", "uniform, the first within the tolerance")
                .set("intervals", enough)
                .set("defect", defect));
  report.add_table("Refinement to a defect of 1e-5, of a motion through a narrow field of force; " +
                       std::to_string(refined.iterations) + " iterations of Ipopt in all.",
                   table);
  report.checks.push_back({"a uniform mesh needs twice the intervals that refinement needs: " + std::to_string(enough) +
                               " against " + std::to_string(intervals),
                           refined.converged() && enough >= 2 * intervals});
}

/// Some way of solving a grab.
struct Way {
  std::string words;
  CollocationOptions options;
  int intervals;
  bool bounded = true, refined = false;
};

struct Tried {
  studies::Rate converged, hit;
  std::vector<double> iterations, misses, speeds, defects, ratios;
};

void grabs(Report& report, bool quick) {
  // Masses, stiffness and damping like those of Marchese, Tedrake, Rus 2015, Table 1.
  const Chain chain{.links = 4, .length = 0.14, .mass = 0.09, .inertia = 1e-3, .stiffness = 0.108, .damping = 4.2e-3};
  const CollocationOptions hermite;
  std::vector<Way> ways{{"Hermite-Simpson", hermite, 32},
                        {"trapezoid", {.scheme = CollocationScheme::trapezoid}, 48},
                        {"Hermite-Simpson, 80 ms", hermite, 15},
                        {"Euler, 80 ms", {.scheme = CollocationScheme::euler}, 15},
                        {"Hermite-Simpson, refined to 5e-3", hermite, 15, true, true}};
  if (!quick) {
    ways.push_back({"Hermite-Simpson, no bounds of states", hermite, 32, false});
    ways.push_back({"Hermite-Simpson, limited-memory Hessian", {.ipopt = {.limited_memory = true}}, 32});
  }
  std::vector<Tried> tried(ways.size());
  const int draws = quick ? 6 : 40;
  Draw draw(10001);
  for (int i = 0; i < draws; ++i) {
    const Eigen::Vector2d goal(draw.uniform(0.15, 0.3), -draw.uniform(0.3, 0.45));  // like those of Table 2
    const double angle = std::atan2(goal.x(), -goal.y());
    VectorXd pose = VectorXd::Constant(8, 0);
    for (int k = 0; k < 4; ++k) pose[k] = angle + draw.uniform(-0.7, 0.7);
    double beside = 0;
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const Way& way = ways[w];
      Tried& seen = tried[w];
      CollocationProblem problem = grab(chain, node_dynamics(chain), way.intervals, 0.18, goal);
      if (way.bounded) {
        problem.upper_state = (VectorXd(8) << VectorXd::Constant(4, 3), VectorXd::Constant(4, 20)).finished();
        problem.lower_state = -problem.upper_state;
      }
      const CollocationPlan guess = straight_guess(problem, pose);
      CollocationPlan plan;
      int iterations = 0;
      bool converged = false;
      const double seconds = seconds_of([&] {
        if (way.refined) {
          const RefinedCollocation refined =
              collocation_refined(problem, guess, {.collocation = way.options, .tolerance = 5e-3});
          plan = refined.plan;
          iterations = refined.iterations;
          converged = refined.converged();
        } else {
          plan = collocation(problem, guess, way.options);
          iterations = plan.iterations;
          converged = plan.converged();
        }
      });
      if (w == 0) beside = seconds;
      seen.converged.count(converged);
      seen.iterations.push_back(iterations);
      seen.ratios.push_back(seconds / beside);
      seen.defects.push_back(plan.largest_defect);
      const auto end = replay(problem.dynamics, plan, 0.002);
      Eigen::Vector2d tip, velocity;
      Eigen::MatrixXd unused, unused_too;
      chain.tip(end.final_state(), tip, velocity, unused, unused_too);
      seen.misses.push_back(100 * (tip - goal).norm());
      seen.speeds.push_back(100 * velocity.norm());
      seen.hit.count(seen.misses.back() < 2 && seen.speeds.back() < 6);
    }
  }
  studies::figures::JsonResults table;
  for (std::size_t w = 0; w < ways.size(); ++w)
    table.add(ResultRow()
                  .show("scheme", ways[w].words)
                  .show("intervals", ways[w].intervals)
                  .show("converged", in_words(tried[w].converged))
                  .show("iterations", std::lround(median(tried[w].iterations)))
                  .show("time", median(tried[w].ratios), "time / first row", 2)
                  .show("defect", median(tried[w].defects), "", 2)
                  .show("miss", median(tried[w].misses), "replayed miss [cm]", 2)
                  .show("speed", median(tried[w].speeds), "replayed speed [cm/s]", 2)
                  .show("hit", in_words(tried[w].hit), "replayed within 2 cm and 6 cm/s"));
  report.add_table("Grabs: a hanging chain of four rigid links of 14 cm, torques up to 0.18 N m, 1.2 s, " +
                       std::to_string(draws) +
                       " drawn goals and guesses; a tip within 1 cm and 2 cm/s of the goal is asked. Medians; the time "
                       "is that of the first row on the same grab.",
                   table);
  report.checks.push_back(
      at_least("Hermite-Simpson at 37.5 ms converges in 50 % of the grabs", tried[0].converged, 0.5));
  report.checks.push_back(at_least("refined it hits, replayed, in 50 %", tried[4].hit, 0.5));
  report.checks.push_back(at_most("Euler at 80 ms hits, replayed, in at most 50 %", tried[3].hit, 0.5));
}

Report run(bool quick) {
  Report report;
  orders(report);
  refinement(report);
  grabs(report, quick);
  return report;
}
}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "collocation", "Collocation: orders of the schemes, refinement, grabs.", run);
}
