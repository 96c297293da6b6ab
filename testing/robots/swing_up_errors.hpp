// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/collocation/collocation.hpp"
#include "testing/robots/collocation_systems.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::planning::test {

inline CollocationOptions precise(CollocationScheme scheme) {
  return {.scheme = scheme, .ipopt = {.tolerance = 1e-10}};
}

inline CollocationPlan solve_swing_up(int intervals, CollocationScheme scheme) {
  const CollocationProblem problem = swing_up(node_dynamics(pendulum()), intervals);
  return collocation(problem, straight_guess(problem, leaning(pendulum(), EIGEN_PI)), precise(scheme));
}

struct Difference {
  double on_mesh = 0;  // of states, at the points that all meshes share
  double between = 0;
  double control = 0;  // away from both ends, where the trapezoid's controls are first order
};

inline Difference difference(const CollocationPlan& a, const CollocationPlan& b) {
  Difference greatest;
  for (double t = 0; t <= 4; t += 0.5)
    greatest.on_mesh = std::max(greatest.on_mesh, (a.state(t) - b.state(t)).cwiseAbs().maxCoeff());
  for (int i = 0; i < 400; ++i) {
    const double t = 4 * (i + 0.37) / 400;
    greatest.between = std::max(greatest.between, (a.state(t) - b.state(t)).cwiseAbs().maxCoeff());
    if (t > 0.5 && t < 3.5) greatest.control = std::max(greatest.control, std::abs(a.control(t)[0] - b.control(t)[0]));
  }
  return greatest;
}

}  // namespace quoin::planning::test
