// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/reach_study.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

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

MouthResults reach_into(const ReachScene& scene, double side_of_mouth, const StudyChoice& choice) {
  const BoxDistribution boxes{.side = side_of_mouth};
  MouthResults results{.side = side_of_mouth,
                       .tuning = draw_boxes(scene, boxes, choice.tuning_poses, choice.tuning_seed),
                       .poses = draw_boxes(scene, boxes, choice.poses, choice.seed)};
  results.scores = sweep(scene, results.tuning.boxes, choice.threads, choice.every);
  for (const Side side : all_sides) {
    ChosenSide chosen{.tuned = best(results.scores, side), .tested = {}, .trials = {}, .milliseconds = 0};
    chosen.trials = try_boxes(scene, results.poses.boxes, side, chosen.tuned.setting, choice.threads);
    chosen.tested = score_of(side, chosen.tuned.setting, chosen.trials);
    chosen.milliseconds = planning_milliseconds(scene, results.poses.boxes, side, chosen.tuned.setting);
    results.chosen.push_back(std::move(chosen));
  }
  return results;
}

/// Chooses metrics on the boxes to choose by, each of which moves and turns as far as any.
void follow_moving_boxes(StudyResults& results, const StudyChoice& choice) {
  const MouthResults& wide = results.first();
  const ChosenSide& planner = wide.of(Side::topology);
  const auto tuning_trials =
      try_boxes(results.scene, wide.tuning.boxes, Side::topology, planner.tuned.setting, choice.threads);
  const std::vector<Plan> tuning_plans = repeated(plans_of(tuning_trials), tuning_motions);
  const std::vector<HollowBox> tuning_boxes = repeated(wide.tuning.boxes, tuning_motions);
  for (const Follower follower : all_followers)
    for (const double metric : {0.1, 0.3, 1.0, 3.0, 10.0})
      if (follower != Follower::none)
        results.metrics.push_back(chase_boxes(results.scene, tuning_boxes, tuning_plans, follower, metric,
                                              {farthest.amplitude, most_turned.turn},
                                              choice.tuning_seed + motion_seed_offset, choice.threads));
  std::vector<Plan> plans = plans_of(planner.trials);
  std::vector<HollowBox> boxes = wide.poses.boxes;
  const std::size_t count = std::min(boxes.size(), static_cast<std::size_t>(choice.motions));
  plans.resize(count);
  boxes.resize(count);
  for (const MotionSize& size : sizes)
    for (const Follower follower : all_followers)
      results.chases.push_back(chase_boxes(results.scene, boxes, plans, follower,
                                           best_metric(results.metrics, follower), size,
                                           choice.seed + motion_seed_offset, choice.threads));
}

}  // namespace

const ChaseScore& StudyResults::of(Follower follower, const MotionSize& size) const {
  for (const ChaseScore& score : chases)
    if (score.follower == follower && score.size == size) return score;
  throw std::invalid_argument("StudyResults::of: no score of " + std::string(to_string(follower)) +
                              " for a box that moves by " + to_text(size.amplitude) + " m and turns by " +
                              to_text(size.turn) + " rad");
}

StudyResults run_study(const StudyChoice& choice) {
  StudyResults results;
  for (const double side : choice.mouths) results.mouths.push_back(reach_into(results.scene, side, choice));
  follow_moving_boxes(results, choice);
  return results;
}

}  // namespace studies::loop
