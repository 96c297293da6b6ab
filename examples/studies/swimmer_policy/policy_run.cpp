// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_policy/policy_run.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/program/cores.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace studies::stroke {
namespace {

using figures::format_number;

Fish ellipsoids(int mesh) {
  Setup setup;
  setup.chain.mesh = mesh;
  return Fish(setup);
}

int all_iterations(const LearningChoice& choice) {
  const int levels = levels_for(choice.grid.spacing, choice.grid.threshold).last + 1;
  int sum = 0;
  for (int level = 0; level < levels; ++level)
    sum += choice.iterations[std::min<std::size_t>(static_cast<std::size_t>(level), choice.iterations.size() - 1)];
  return sum;
}

SeedResult learn(const Fish& fish, const LearningChoice& choice, const planning::Learner& start,
                 const figures::OutputFolder& out) {
  figures::Progress progress(std::cerr, "seed " + to_text(start.seed) + ", iterations", all_iterations(choice),
                             {.line_seconds = 5});
  AdaptiveGrid<joints> grid = make_grid(fish, choice.grid);
  const std::filesystem::path file = out / ("learner_" + to_text(start.seed) + ".txt");
  const auto note = [](const LearningIteration& it) {
    return format_number(it.distance) + " m" + (it.failed ? " and out" : "") + ", return " +
           format_number(it.ppo.mean_return) + ", " + to_text(it.evaluations) + " evaluations";
  };
  LearnedPolicy learned =
      learn_through_grid(fish, grid, choice, start, [&](const LearningIteration& it, const planning::Learner& latest) {
        progress.update(it.ppo.iteration, note(it));
        if (it.ppo.iteration % 20 == 0) save_learner(latest, file);
        return true;
      });
  if (!learned.log.empty()) save_learner(learned.learner, file);
  progress.finish(learned.log.empty() ? learned.stop : note(learned.log.back()));
  SeedResult result{.seed = start.seed, .learned = std::move(learned), .statistics = grid.statistics()};
  const auto& policy = result.learned.learner.policy;
  result.swim = swim_on_grid(fish, result.learned.solved, choice, policy, fish.setup.steps);
  result.longer = swim_on_grid(fish, result.learned.solved, choice, policy, 5 * fish.setup.steps);
  return result;
}

std::size_t middle_by_distance(const std::vector<SeedResult>& seeds) {
  std::vector<std::size_t> order(seeds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return seeds[a].swim.distance < seeds[b].swim.distance; });
  return order[order.size() / 2];
}

/// The initial state of every seed. Files are read before any long computation.
struct Beginning {
  LearningChoice choice;
  planning::Learner learner;
};

std::vector<Beginning> beginnings(const Fish& fish, const ProgramOptions& options) {
  std::vector<Beginning> all;
  const std::filesystem::path& file = options.replay.empty() ? options.resume : options.replay;
  if (file.empty()) {
    for (int s = 0; s < options.seeds; ++s) {
      LearningChoice choice = options.choice;
      choice.learner.seed = options.first_seed + static_cast<std::uint64_t>(s);
      all.push_back({choice, first_learner(fish, choice)});
    }
    return all;
  }
  Beginning one{options.choice, first_learner(fish, options.choice)};
  const planning::GaussianPolicy expected = one.learner.policy;
  if (options.replay.empty()) {
    one.learner = planning::load_learner(file);
  } else {
    one.choice.iterations = {0};  // the policy unchanged
    one.learner.policy = planning::load_policy(file);
  }
  const planning::GaussianPolicy& policy = one.learner.policy;
  if (policy.observation_size() != expected.observation_size() || policy.action_size() != expected.action_size())
    throw std::runtime_error("'" + file.string() + "' takes " + to_text(policy.observation_size()) +
                             " observations to " + to_text(policy.action_size()) + " actions; the swimmer has " +
                             to_text(expected.observation_size()) + " and " + to_text(expected.action_size()));
  all.push_back(std::move(one));
  return all;
}

Swim planned_stroke(const Fish& fish) {
  figures::Progress progress(std::cerr, "planned stroke, iterations", 0);
  const GridChoice choice{.spacing = 0.6, .threshold = 0.6};
  AdaptiveGrid<joints> grid = make_grid(fish, choice);
  const Plan plan = plan_through_grid(fish, grid, choice, [&](const PlanIteration& it) {
                      progress.update(it.iteration);
                      return true;
                    }).plan;
  if (!plan.finished) throw std::runtime_error("the stroke could not be planned: " + plan.stop);
  progress.finish(format_number(plan.distance) + " m");
  return {
      .states = plan.states, .torques = plan.controls, .distance = plan.distance, .gait = gait_of(fish, plan.states)};
}

}  // namespace

PolicyResult run_policies(const ProgramOptions& options, const figures::OutputFolder& out) {
  if (!can_learn && options.replay.empty())
    throw std::runtime_error(
        "learning needs libtorch, without which this was built (Debian: libtorch-dev); --replay does not");
  PolicyResult result{.fish = ellipsoids(options.mesh), .choice = options.choice, .cores = cores()};
  const Fish& fish = result.fish;
  const std::vector<Beginning> begin = beginnings(fish, options);
  result.planned = planned_stroke(fish);
  for (const Beginning& one : begin) result.seeds.push_back(learn(fish, one.choice, one.learner, out));
  result.shown = middle_by_distance(result.seeds);
  const LearnedPolicy& shown = result.middle().learned;
  if (options.search_iterations > 0) {
    figures::Progress progress(std::cerr, "the same without gradients", 0);
    result.searched = search_through_view(fish, shown.solved, options.choice, options.search_iterations, 1);
    result.searched_swim = swim_on_grid(fish, shown.solved, options.choice, result.searched->policy, fish.setup.steps);
    progress.finish(format_number(result.searched_swim->distance) + " m");
  }
  {
    figures::Progress progress(std::cerr, "steps on boundary elements", 0);
    result.errors = policy_errors(fish, shown.solved, options.choice, shown.learner, options.exact_samples);
    result.cost = cost_of(options.choice, shown, result.errors);
    progress.finish("relative error of a step " + format_number(result.errors.state));
  }
  {
    figures::Progress progress(std::cerr, "the policy on boundary elements", 0);
    result.on_exact = swim_on_exact(fish, options.choice, shown.learner.policy, fish.setup.steps);
    progress.finish(format_number(result.on_exact.distance) + " m");
  }
  return result;
}

}  // namespace studies::stroke
