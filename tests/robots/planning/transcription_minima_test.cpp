// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of ipopt_transcription promises, asked over drawn robots whose obvious guesses are saddles.
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/planning/ipopt_transcription.hpp"
#include "robots/planning/minimum_judge.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/planning_problems.hpp"
#include "testing/robots/swing_ups.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <optional>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

TranscriptionOptions tight(bool check_curvature) {
  return {.ipopt = {.tolerance = 1e-8, .max_iterations = 2000}, .check_curvature = check_curvature};
}

/// What a way along a direction of negative curvature, or Newton's step, takes off the cost, over the cost; nothing
/// where the plan's own controls do not lead along it, or not where they are off by a millionth: it is unstable.
std::optional<double> decrease_left(const SwingUp& problem, const TranscriptionResult& plan) {
  const Matrix& controls = plan.trajectory.controls;
  const double followed = roll_out(problem, controls).trajectory.cost;
  const Matrix off = controls.array() + 1e-6 * (1 + controls.cwiseAbs().maxCoeff());
  if (!plan.converged() || !(std::abs(followed - plan.trajectory.cost) < 1e-3 * plan.trajectory.cost) ||
      cost_gradient(problem, off).gradient.size() == 0)
    return {};
  return judge(problem, controls, problem.residuals.effort).decrease;
}

}  // namespace

TEST_CASE("of drawn swing-ups and reaches none that ipopt_transcription calls converged is a saddle") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(24);
  int converged = 0, judged = 0, saddles = 0, saddles_before = 0, minima_before = 0, same = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const SwingUp problem = drawn_swing_up(seed);
    const Trajectory guess{.controls = drawn_guess(problem, seed)};
    const TranscriptionResult plan = ipopt_transcription(problem, guess, tight(true));
    const TranscriptionResult trusting = ipopt_transcription(problem, guess, tight(false));
    const double before = decrease_left(problem, trusting).value_or(0);
    const std::optional<double> decrease = decrease_left(problem, plan);
    CAPTURE(seed, static_cast<int>(problem.residuals.rates.robot), to_string(plan.stop), plan.iterations,
            plan.trajectory.cost, trusting.trajectory.cost, before, decrease.value_or(-1));
    saddles_before += before > 1e-3;
    if (trusting.converged() && before < 1e-6) {
      ++minima_before;
      same += plan.trajectory.states == trusting.trajectory.states && plan.iterations == trusting.iterations;
    }
    if (!plan.converged()) continue;
    ++converged;
    judged += decrease.has_value();
    saddles += decrease.value_or(0) > 1e-5;
    if (trusting.converged()) CHECK(plan.trajectory.cost <= trusting.trajectory.cost * (1 + 1e-6));
  }
  INFO(converged << " of " << draws << " converged, " << judged << " judged, " << saddles
                 << " at saddles; without the look " << saddles_before << " at saddles, " << minima_before
                 << " at minima, of which " << same << " are the same with it");
  CHECK(10 * converged >= 9 * draws);
  CHECK(50 * saddles <= judged);
  CHECK(same == minima_before);
  CHECK(4 * saddles_before >= draws);
}
#endif
