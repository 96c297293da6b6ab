// SPDX-License-Identifier: BSD-3-Clause
#include "known_problems.hpp"

#include "benchmarks/support/draw.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"
#include "testing/robots/planning_problems.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace benchmarks {

using namespace quoin::planning;
using namespace quoin::planning::test;
using studies::figures::ResultRow;

namespace {

constexpr int cart_poles = 0, free_cars = 1, cars_among_discs = 2, limited_cars = 3;
constexpr const char* names[] = {"cart-pole swing-up, n 4, m 1, K 100", "car to a goal, n 4, m 2, K 50",
                                 "car among two discs", "car with a speed limit of 1.2"};
constexpr const char* solvers[] = {"iLQR", "Ipopt", "Ipopt from iLQR's optimum"};

struct Solve {
  bool converged = false;
  double cost = 0, iterations = 0, calls = 0, derivatives = 0, seconds = 0;
};

/// By each of the solvers, in their order.
template <class Problem>
std::vector<Solve> solved(const Problem& problem, const Matrix& start) {
  std::vector<Solve> all;
  IlqrResult shot;
  const double seconds = seconds_of([&] { shot = ilqr(problem, start); });
  all.push_back({shot.converged(), shot.trajectory.cost, static_cast<double>(shot.iterations),
                 static_cast<double>(shot.dynamics_calls), static_cast<double>(shot.derivative_calls), seconds});
  const auto transcribe = [&](const Trajectory& from) {
    TranscriptionResult found;
    const double taken =
        seconds_of([&] { found = ipopt_transcription(problem, from, {.ipopt = {.tolerance = 1e-6}}); });
    all.push_back({found.converged(), found.trajectory.cost, static_cast<double>(found.iterations),
                   static_cast<double>(found.dynamics_calls), static_cast<double>(found.derivative_calls), taken});
  };
  transcribe({.controls = start});
  transcribe(shot.trajectory);
  return all;
}

std::vector<Solve> drawn(int kind, Draw& draw) {
  if (kind == cart_poles) {
    auto problem = cart_pole_swing_up();
    problem.initial_state[0] = draw.uniform(-0.5, 0.5);
    problem.initial_state[1] += draw.uniform(-0.3, 0.3);
    return solved(problem, Matrix::Zero(1, problem.horizon));
  }
  auto problem = car_among_discs();
  problem.residuals.goal[0] += draw.uniform(-0.5, 0.5);
  problem.residuals.goal[1] += draw.uniform(-0.5, 0.5);
  if (kind != cars_among_discs) problem.constraints.discs.clear();
  if (kind == limited_cars) {
    problem.lower_state = (Vector(4) << -10, -10, -10, -1.2).finished();
    problem.upper_state = -problem.lower_state;
  }
  return solved(problem, gentle_start(problem));
}

/// What iLQR itself takes where the dynamics are one small product, with bounds that are active or far away.
std::string own_time(double bound, int rounds) {
  auto problem = random_linear_problem(10001, 12, 4, 200);
  problem.lower_control = Vector::Constant(4, -bound);
  problem.upper_control = -problem.lower_control;
  std::vector<double> each;
  IlqrResult result;
  for (int i = 0; i < rounds; ++i)
    each.push_back(1e3 * seconds_of([&] { result = ilqr(problem, Matrix::Zero(4, 200)); }));
  return studies::figures::format_number(median(each), 2) + " ms and " + std::to_string(result.iterations) +
         " iterations";
}

}  // namespace

void known_problems(Report& report, bool quick) {
  const int draws = quick ? 8 : 40;
  Draw draw(10001);
  studies::figures::JsonResults table;
  studies::Rate faster, stays;
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<std::vector<Solve>> all;
    for (int i = 0; i < draws; ++i) all.push_back(drawn(kind, draw));
    for (std::size_t s = 0; s < all.front().size(); ++s) {
      studies::Rate converged, best;
      std::vector<double> iterations, calls, derivatives, ratios;
      for (const std::vector<Solve>& one : all) {
        double least = INFINITY;
        for (const Solve& any : one)
          if (any.converged) least = std::min(least, any.cost);
        converged.count(one[s].converged);
        best.count(one[s].converged && one[s].cost < 1.001 * least);
        iterations.push_back(one[s].iterations);
        calls.push_back(one[s].calls);
        derivatives.push_back(one[s].derivatives);
        ratios.push_back(one[s].seconds / one[0].seconds);
        if (s == 1) faster.count(one[0].seconds < one[s].seconds);
        if (s == 2 && one[0].converged) stays.count(std::abs(one[s].cost - one[0].cost) < 1e-3 * one[0].cost);
      }
      table.add(ResultRow()
                    .show("problem", names[kind])
                    .show("solver", solvers[s])
                    .show("converged", in_words(converged))
                    .show("best", in_words(best), "least cost found, to 0.1 %")
                    .show("iterations", std::lround(median(iterations)))
                    .show("calls", std::lround(median(calls)), "steps")
                    .show("derivatives", std::lround(median(derivatives)), "with derivatives")
                    .show("time", median(ratios), "time / iLQR", 2));
    }
  }
  report.add_table("iLQR (relative tolerance 1e-7) and transcription (Ipopt, 1e-6) from the same start, over " +
                       std::to_string(draws) +
                       " drawn goals, or initial states of the cart-pole; medians, times as ratios on the same draw. "
                       "iLQR alone, n 12, m 4, K 200, dynamics of a small product: " +
                       own_time(1e3, quick ? 5 : 21) + " a solve, with active bounds " + own_time(0.1, quick ? 5 : 21) +
                       ".",
                   table);
  report.checks.push_back(at_least("iLQR takes less time than Ipopt on 80 % of the draws", faster, 0.8));
  report.checks.push_back(at_least("started from iLQR's optimum Ipopt stays there on 80 % of the draws", stays, 0.8));
}

}  // namespace benchmarks
