// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/reach_study.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace studies::loop {
namespace {

std::vector<Plan> plans_of(const std::vector<Trial>& trials) {
  std::vector<Plan> plans;
  for (const Trial& trial : trials) plans.push_back(trial.plan);
  return plans;
}

double best_metric(const std::vector<ChaseScore>& scores, Follower follower) {
  if (follower == Follower::none) return 0;
  return std::ranges::min_element(scores, {},
                                  [follower](const ChaseScore& s) {
                                    return std::make_tuple(s.follower != follower, -s.successes, s.tip_error);
                                  })
      ->metric;
}

template <class T>
std::vector<T> repeated(const std::vector<T>& list, int times) {
  std::vector<T> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), list.begin(), list.end());
  return all;
}

void follow_moving_boxes(StudyResults& results, const StudyChoice& choice) {
  const ChosenSide& planner = results.of(Side::topology);
  const auto tuning_trials =
      try_boxes(results.scene, results.tuning.boxes, Side::topology, planner.tuned.setting, choice.threads);
  const std::vector<Plan> tuning_plans = repeated(plans_of(tuning_trials), tuning_motions);
  const std::vector<HollowBox> tuning_boxes = repeated(results.tuning.boxes, tuning_motions);
  for (const Follower follower : all_followers)
    for (const double metric : {0.1, 0.3, 1.0, 3.0, 10.0})
      if (follower != Follower::none)
        results.metrics.push_back(chase_boxes(results.scene, tuning_boxes, tuning_plans, follower, metric,
                                              largest_amplitude, motion_seed + 10000, choice.threads));
  const std::vector<Plan> plans = repeated(plans_of(planner.trials), motions);
  const std::vector<HollowBox> boxes = repeated(results.poses.boxes, motions);
  for (const double amplitude : amplitudes)
    for (const Follower follower : all_followers)
      results.chases.push_back(chase_boxes(results.scene, boxes, plans, follower,
                                           best_metric(results.metrics, follower), amplitude, motion_seed,
                                           choice.threads));
}

}  // namespace

const ChaseScore& StudyResults::of(Follower follower, double amplitude) const {
  for (const ChaseScore& score : chases)
    if (score.follower == follower && score.amplitude == amplitude) return score;
  throw std::invalid_argument("StudyResults::of: no score of " + std::string(to_string(follower)) +
                              " with an amplitude of " + to_text(amplitude));
}

StudyResults run_study(const StudyChoice& choice) {
  StudyResults results;
  results.poses = draw_boxes(results.scene, {}, choice.poses, choice.seed);
  results.tuning = draw_boxes(results.scene, {}, choice.tuning_poses, choice.seed + 1000);
  results.scores = sweep(results.scene, results.tuning.boxes, choice.threads, choice.every);
  for (const Side side : all_sides) {
    ChosenSide chosen{.tuned = best(results.scores, side), .tested = {}, .trials = {}, .milliseconds = 0};
    chosen.trials = try_boxes(results.scene, results.poses.boxes, side, chosen.tuned.setting, choice.threads);
    chosen.tested = score_of(side, chosen.tuned.setting, chosen.trials);
    chosen.milliseconds = planning_milliseconds(results.scene, results.poses.boxes, side, chosen.tuned.setting);
    results.chosen.push_back(std::move(chosen));
  }
  follow_moving_boxes(results, choice);
  return results;
}

}  // namespace studies::loop
