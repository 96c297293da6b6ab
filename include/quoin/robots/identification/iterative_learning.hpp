// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <concepts>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::identification {

/// Why iterative_learning ended.
enum class LearningStop {
  goal_met,
  iteration_limit,       ///< max_runs runs did not meet the goal; the last run is identified as well
  no_plan,               ///< the planner found nothing in any of its attempts
  not_realizable,        ///< it did, but each plan is predicted to miss by more than the threshold
  run_failed,            ///< the machine gave no recording
  identification_failed  ///< the recordings gave no model
};

constexpr const char* to_string(LearningStop stop) {
  switch (stop) {
    case LearningStop::goal_met: return "goal met";
    case LearningStop::iteration_limit: return "iteration limit";
    case LearningStop::no_plan: return "no plan";
    case LearningStop::not_realizable: return "not realizable";
    case LearningStop::run_failed: return "run failed";
    case LearningStop::identification_failed: return "identification failed";
  }
  return "unknown";
}

/// How often to run, and what to refuse.
struct LearningOptions {
  int max_runs = 5;     ///< of the machine
  int max_replans = 5;  ///< of a round, after its first plan
  /// A plan with a predicted miss above this is not run but planned anew.
  double max_miss = std::numeric_limits<double>::infinity();
};

/// The plan that is asked for: a planner draws its start by these numbers, and shifts its goal by the
/// error of the last plan.
template <class Inputs>
struct PlanAttempt {
  int round = 0;                    ///< runs so far
  int replan = 0;                   ///< attempts of this round so far, failed ones included
  const Inputs* refused = nullptr;  ///< those of this round's last plan; null if there was none
};

/// One round, from a model to the next.
template <class Plan, class Inputs, class Recording>
struct LearningRound {
  int planned = 0;                                                  ///< plans that were found
  int failures = 0;                                                 ///< attempts that found none
  std::optional<Plan> plan;                                         ///< the last one
  std::optional<Inputs> inputs;                                     ///< and the inputs for it
  double predicted_miss = std::numeric_limits<double>::infinity();  ///< of these inputs
  std::optional<Recording> recording;                               ///< nothing if it was not run
  bool met = false;                                                 ///< the recording met the goal
  bool identified = false;  ///< a model was identified from the recordings up to here
};

/// The last model, and what every round did.
template <class Model, class Plan, class Inputs, class Recording>
struct LearningResult {
  Model model;                                                 ///< the last
  std::vector<LearningRound<Plan, Inputs, Recording>> rounds;  ///< in their order
  LearningStop stop = LearningStop::iteration_limit;           ///< why it ended

  /// Whether a run met the goal.
  bool met() const { return stop == LearningStop::goal_met; }
  /// Rounds in which the machine was run.
  int runs() const {
    int count = 0;
    for (const auto& round : rounds) count += round.recording.has_value();
    return count;
  }
  /// Rounds that identified a model.
  int identifications() const {
    int count = 0;
    for (const auto& round : rounds) count += round.identified;
    return count;
  }
};

/// Plans, acts and learns from the recording until the goal is met: iterative learning control by identification
/// (Marchese, Tedrake, Rus 2015, Algorithm 2), for any planner, machine and identification:
///
///     auto result = iterative_learning<Plan, Inputs, Recording>(model, {.max_runs = 4, .max_miss = 0.02},
///         [&](const Model& m, const PlanAttempt<Inputs>& attempt) -> std::optional<Plan> { ... },    // TrajOpt
///         [&](const Model& m, const Plan& plan) -> Inputs { ... },                          // InvertActuators
///         [&](const Inputs& inputs) -> std::optional<Recording> { ... },                    // RunPolicy
///         [&](const Recording& seen) -> bool { ... },                                       // Goal is met
///         [&](const Model& m, const std::vector<Recording>& all) -> std::optional<Model> { ... });  // SystemID
///
/// Inputs is a type of the caller's with a number predicted_miss: how far from the goal the model itself expects to end
/// with inputs that the actuators can realize, in the units of max_miss. The paper leaves open how plans are
/// refused: while predicted_miss is above max_miss (or not a number), another plan is asked for, at most
/// max_replans times; a planner that fails uses up an attempt. The first plan of a round that is good enough is run.
/// The identification gets all recordings so far, oldest first. Throws std::invalid_argument for max_runs < 1,
/// max_replans < 0 or a max_miss that is NaN or negative, and what the parts throw.
template <class Plan, class Inputs, class Recording, class Model, class Planner, class Inverter, class Runner,
          class Judge, class Identifier>
  requires requires(const Inputs& inputs) {
    { inputs.predicted_miss } -> std::convertible_to<double>;
  }
LearningResult<Model, Plan, Inputs, Recording> iterative_learning(Model model, const LearningOptions& options,
                                                                  Planner&& plan, Inverter&& invert, Runner&& run,
                                                                  Judge&& met, Identifier&& identify) {
  if (options.max_runs < 1 || options.max_replans < 0) {
    throw std::invalid_argument("iterative_learning: max_runs is " + to_text(options.max_runs) + ", max_replans " +
                                to_text(options.max_replans));
  }
  OptionsOf{"iterative_learning"}.not_negative("max_miss", options.max_miss);
  LearningResult<Model, Plan, Inputs, Recording> result{std::move(model), {}, LearningStop::iteration_limit};
  std::vector<Recording> recordings;
  const auto end = [&](LearningStop stop) {
    result.stop = stop;
    return std::move(result);
  };
  for (int r = 0; r < options.max_runs; ++r) {
    auto& round = result.rounds.emplace_back();
    bool realizable = false;
    for (int replan = 0; replan <= options.max_replans && !realizable; ++replan) {
      const PlanAttempt<Inputs> attempt{r, replan, round.inputs ? &*round.inputs : nullptr};
      std::optional<Plan> found = plan(std::as_const(result.model), attempt);
      if (!found) {
        ++round.failures;
        continue;
      }
      ++round.planned;
      round.inputs.emplace(invert(std::as_const(result.model), std::as_const(*found)));
      round.plan = std::move(found);
      round.predicted_miss = round.inputs->predicted_miss;
      realizable = round.predicted_miss <= options.max_miss;
    }
    if (!realizable) return end(round.planned > 0 ? LearningStop::not_realizable : LearningStop::no_plan);

    round.recording = run(std::as_const(*round.inputs));
    if (!round.recording) return end(LearningStop::run_failed);
    round.met = met(std::as_const(*round.recording));
    if (round.met) return end(LearningStop::goal_met);

    recordings.push_back(*round.recording);
    std::optional<Model> learned = identify(std::as_const(result.model), std::as_const(recordings));
    if (!learned) return end(LearningStop::identification_failed);
    result.model = std::move(*learned);
    round.identified = true;
  }
  return end(LearningStop::iteration_limit);
}

}  // namespace quoin::identification
