// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/iterative_learning.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::identification;

namespace {

/// An unknown gain: a plan is a position, its input position / gain, and inputs are limited.
struct Gain {
  double gain = 1;
};
struct Aim {
  double position = 0;
};
struct Input {
  double u = 0, predicted_miss = 0;
};
struct Seen {
  double u = 0, position = 0;
};

/// x = 2 u + 0.3 u^3 in truth. The model x = gain u, learned from the last run alone, has the fixed point where the run
/// meets the goal: gain = x(u) / u with x(u) = goal.
struct Toy {
  double goal = 3, tolerance = 1e-3, limit = 10;
  int plans = 0, runs = 0, identifications = 0, shifts = 0, most_seen = 0;
  bool can_plan = true, can_run = true, can_identify = true;

  LearningResult<Gain, Aim, Input, Seen> learn(const LearningOptions& options) {
    return iterative_learning<Aim, Input, Seen>(
        Gain{}, options,
        [&](const Gain&, const PlanAttempt<Input>& attempt) -> std::optional<Aim> {
          ++plans;
          if (!can_plan) return std::nullopt;
          if (attempt.refused) ++shifts;
          return Aim{goal};
        },
        [&](const Gain& model, const Aim& aim) {
          const double u = std::min(aim.position / model.gain, limit);
          return Input{u, std::abs(model.gain * u - goal)};
        },
        [&](const Input& input) -> std::optional<Seen> {
          ++runs;
          if (!can_run) return std::nullopt;
          return Seen{input.u, 2 * input.u + 0.3 * input.u * input.u * input.u};
        },
        [&](const Seen& seen) { return std::abs(seen.position - goal) < tolerance; },
        [&](const Gain&, const std::vector<Seen>& all) -> std::optional<Gain> {
          ++identifications;
          most_seen = static_cast<int>(all.size());
          if (!can_identify) return std::nullopt;
          return Gain{all.back().position / all.back().u};
        });
  }
};

}  // namespace

TEST_CASE("learning from its own runs the loop ends where the run meets the goal, at the fixed point of the model",
          "[iterative_learning]") {
  Toy toy;
  toy.tolerance = 1e-9;
  const auto result = toy.learn({.max_runs = 100});
  CHECK(result.met());
  // 2 u + 0.3 u^3 = 3 by bisection
  double low = 0, high = 3;
  for (int i = 0; i < 100; ++i)
    (2 * (low + high) / 2 + 0.3 * std::pow((low + high) / 2, 3) < 3 ? low : high) = (low + high) / 2;
  CHECK(result.rounds.back().inputs->u == Approx(low).epsilon(1e-8));
  CHECK(result.model.gain == Approx(3 / low).epsilon(1e-8));
  CHECK(result.runs() == toy.runs);
  CHECK(result.identifications() == toy.runs - 1);  // the recording that met the goal is not identified
  CHECK(toy.most_seen == toy.runs - 1);
  // u' = 3 / g(u), g = 2 + 0.3 u^2: at u = 3 / g an error becomes -u g' / g of itself.
  const auto& rounds = result.rounds;
  const double rate = -0.6 * low * low / (2 + 0.3 * low * low);
  const auto error = [&](std::size_t i) { return rounds[i].recording->position - 3; };
  CHECK(error(12) / error(11) == Approx(rate).epsilon(0.05));
  for (const auto& round : rounds) CHECK(round.planned == 1);
}

TEST_CASE("plans that are predicted to miss are not run but replaced, and the planner sees what was wrong",
          "[iterative_learning]") {
  Toy toy;
  toy.limit = 1;  // gain 1: 2 short of the goal
  const auto result = toy.learn({.max_replans = 3, .max_miss = 0.5});
  CHECK(result.stop == LearningStop::not_realizable);
  CHECK(toy.runs == 0);
  CHECK(toy.plans == 4);
  CHECK(toy.shifts == 3);
  REQUIRE(result.rounds.size() == 1);
  CHECK(result.rounds[0].planned == 4);
  CHECK(result.rounds[0].predicted_miss == Approx(2));
  CHECK_FALSE(result.rounds[0].recording);

  // A planner that shifts its goal by the miss compensates an inverter that loses a tenth.
  std::vector<double> aims;
  const auto shifted = iterative_learning<Aim, Input, Seen>(
      Gain{}, {.max_replans = 5, .max_miss = 0.005},
      [&](const Gain&, const PlanAttempt<Input>& attempt) {
        aims.push_back(attempt.refused ? aims.back() + 1 - attempt.refused->u : 1);
        return std::optional<Aim>(Aim{aims.back()});
      },
      [](const Gain&, const Aim& aim) {
        return Input{0.9 * aim.position, std::abs(0.9 * aim.position - 1)};
      },
      [](const Input& input) {
        return std::optional<Seen>(Seen{input.u, input.u});
      },
      [](const Seen& seen) { return std::abs(seen.position - 1) < 0.01; },
      [](const Gain& model, const std::vector<Seen>&) { return std::optional<Gain>(model); });
  CHECK(shifted.met());
  CHECK(aims.size() == 3);  // 0.1, then 0.01, then 0.001 short
  CHECK(shifted.rounds.back().planned == 3);
}

TEST_CASE("a miss that is not a number is refused, a limit that is infinite lets all others run",
          "[iterative_learning]") {
  const auto with = [](double miss) {
    return iterative_learning<Aim, Input, Seen>(
        Gain{}, {.max_runs = 1}, [](const Gain&, const auto&) { return std::optional<Aim>(Aim{}); },
        [=](const Gain&, const Aim&) {
          return Input{0, miss};
        },
        [](const Input&) { return std::optional<Seen>(Seen{}); }, [](const Seen&) { return true; },
        [](const Gain& model, const std::vector<Seen>&) { return std::optional<Gain>(model); });
  };
  CHECK(with(std::nan("")).stop == LearningStop::not_realizable);
  CHECK(with(1e300).stop == LearningStop::goal_met);
}

TEST_CASE("each way to end is told apart, with what was done until then", "[iterative_learning]") {
  Toy toy;
  auto result = toy.learn({.max_runs = 2});
  CHECK(result.stop == LearningStop::iteration_limit);
  CHECK(result.runs() == 2);
  CHECK(result.identifications() == 2);  // the last run is learned from as well

  toy = {.can_plan = false};
  result = toy.learn({.max_replans = 2});
  CHECK(result.stop == LearningStop::no_plan);
  CHECK(result.rounds.back().failures == 3);
  CHECK(result.rounds.back().planned == 0);
  CHECK(toy.shifts == 0);

  toy = {.can_run = false};
  result = toy.learn({});
  CHECK(result.stop == LearningStop::run_failed);
  CHECK(result.rounds.size() == 1);
  CHECK(result.runs() == 0);

  toy = {.can_identify = false};
  result = toy.learn({});
  CHECK(result.stop == LearningStop::identification_failed);
  CHECK(result.runs() == 1);
  CHECK(result.model.gain == 1);

  CHECK_THROWS_AS(toy.learn({.max_runs = 0}), std::invalid_argument);
  CHECK_THROWS_AS(toy.learn({.max_replans = -1}), std::invalid_argument);
  CHECK_THROWS_WITH(toy.learn({.max_miss = std::nan("")}), Catch::Contains("max_miss = nan"));
  CHECK_THROWS_WITH(toy.learn({.max_miss = -1}), Catch::Contains("max_miss = -1"));
}
