// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of AICO promises where coordinates are zero all along the guess, in drawn units.
#include "quoin/robots/planning/aico/aico.hpp"
#include "robots/planning/aico/aico_minima.hpp"
#include "robots/planning/side_step.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

AicoProblem aico_problem_of(const SideStep& side) {
  AicoProblem problem{.state_size = 3,
                      .horizon = side.horizon(),
                      .control_cost = side.effort * side.effort * side.time_step *
                                      side.control.cwiseAbs2().asDiagonal().toDenseMatrix(),
                      .initial_state = Vector::Zero(3)};
  problem.dynamics = [side](int, const Vector& x, const Vector& u, Vector& next, LinearStep* linear) {
    if (linear == nullptr) return side.step(x, u, next);
    const StepStatus status = side.step(x, u, next, linear->A, linear->B);
    linear->a = next - linear->A * x - linear->B * u;
    return status;
  };
  problem.task = [side, T = side.horizon()](int t, const Vector& x, LocalTask& task) {
    Vector r;
    Matrix dx, du;
    if (t == T && side.residual(t, x, Vector(), r, dx, du)) task.add(r, dx, x);
    return true;
  };
  return problem;
}

}  // namespace

TEST_CASE("AICO leaves the saddle of a unicycle that steps aside from zero controls, in any units") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(40);
  int converged = 0, off = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const SideStep plain = drawn_side_step(generator);
    SideStep scaled = plain;
    // One unit for all states, which dampings and the tolerance of steps are in.
    scaled.state.setConstant(std::pow(10, 6 * uniform(generator)));
    for (int j = 0; j < 2; ++j) scaled.control[j] = std::pow(10, 6 * uniform(generator));
    const double unit = 1 / scaled.state[0];
    const AicoResult plan = aico(aico_problem_of(scaled), Matrix::Zero(2, plain.horizon()),
                                 {.max_iterations = 500,
                                  .step_tolerance = 1e-6 * unit,
                                  .initial_damping = 1e-2 / (unit * unit),
                                  .max_damping = 1e10 / (unit * unit)});
    CAPTURE(seed, to_string(plan.stop), plan.iterations, plan.cost, unit, scaled.control.transpose());
    if (!plan.converged()) continue;
    ++converged;
    const AicoJudgement judgement = judge(aico_problem_of(plain), scaled.control.asDiagonal() * plan.controls);
    CAPTURE(judgement.least_curvature, judgement.decrease);
    CHECK(judgement.decrease < 1e-3);
    off += judgement.decrease > 7e-6;
  }
  INFO(converged << " of " << draws << " converged, " << off << " off");
  CHECK(10 * converged >= 9 * draws);
  CHECK(100 * off <= draws);
}
