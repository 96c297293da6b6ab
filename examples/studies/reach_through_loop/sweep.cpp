// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/sweep.hpp"
#include "examples/studies/program/statistics.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/util/parallel_for.hpp"

#include <algorithm>
#include <tuple>

namespace studies::loop {
namespace {

void choose(Setting& setting, Side side, int first, int second) {
  const auto power = [](int i) { return i == 0 ? 1e2 : i == 1 ? 1e3 : 1e4; };
  switch (side) {
    case Side::topology:
    case Side::topology_line:
      setting.mesh = first == 0 ? 30 : first == 1 ? 100 : 300;
      setting.writhe = (second == 0 ? 0.1 : 1) * setting.mesh;
      break;
    case Side::collision:
      setting.margins = power(first);
      setting.margin = second == 0 ? 0.03 : 0.06;
      break;
    case Side::collision_way:
      setting.margins = power(first);
      setting.way = second == 0 ? 1e2 : 1e3;
      break;
    case Side::way:
    case Side::way_line:
      setting.way = power(first) / 10;
      setting.position = second == 0 ? 1e4 : 1e5;
      break;
  }
}

}  // namespace

std::vector<Setting> settings_of(Side side) {
  std::vector<Setting> settings;
  for (int first = 0; first < 3; ++first)
    for (int second = 0; second < 2; ++second)
      for (const double tolerance : {1e-1, 1e-2, 1e-3})
        for (const double damping : {1e-2, 1.0})
          for (const bool from_end_state : {true, false}) {
            Setting setting{.tolerance = tolerance, .damping = damping, .from_end_state = from_end_state};
            choose(setting, side, first, second);
            settings.push_back(setting);
          }
  return settings;
}

std::vector<Trial> try_boxes(const ReachScene& scene, const std::vector<HollowBox>& boxes, Side side,
                             const Setting& setting, int threads) {
  std::vector<Trial> trials(boxes.size());
  parallel_for(boxes.size(), static_cast<std::size_t>(threads), [&](std::size_t i) {
    trials[i].plan = plan_reach(scene, boxes[i], side, setting);
    trials[i].verdict = judge(scene, boxes[i], trials[i].plan.path());
  });
  return trials;
}

double planning_milliseconds(const ReachScene& scene, const std::vector<HollowBox>& boxes, Side side,
                             const Setting& setting) {
  std::vector<double> times;
  for (const HollowBox& box : boxes) {
    const studies::Stopwatch watch;
    plan_reach(scene, box, side, setting);
    times.push_back(1e3 * watch.seconds());
  }
  return studies::median(times);
}

Score score_of(Side side, const Setting& setting, const std::vector<Trial>& trials) {
  Score score{.side = side, .setting = setting, .boxes = static_cast<int>(trials.size())};
  std::vector<int> iterations;
  const double share = 1.0 / static_cast<double>(trials.size());
  for (const Trial& trial : trials) {
    score.successes += trial.verdict.success();
    score.there += trial.verdict.there();
    score.linked += trial.verdict.linked();
    score.free += trial.verdict.free();
    score.within_limits += trial.verdict.limits_passed < 0.02;
    score.converged += trial.plan.result.converged();
    iterations.push_back(trial.plan.result.iterations);
    score.mean_iterations += share * trial.plan.result.iterations;
    score.end_iterations += share * trial.plan.end_iterations;
    score.checks += share * static_cast<double>(trial.plan.checks);
  }
  score.median_iterations = studies::median({iterations.begin(), iterations.end()});
  score.most_iterations = iterations.empty() ? 0 : *std::ranges::max_element(iterations);
  return score;
}

std::vector<Score> sweep(const ReachScene& scene, const std::vector<HollowBox>& boxes, int threads, int every) {
  std::vector<Score> scores;
  for (const Side side : all_sides) {
    const std::vector<Setting> settings = settings_of(side);
    for (std::size_t i = 0; i < settings.size(); i += static_cast<std::size_t>(every))
      scores.push_back(score_of(side, settings[i], try_boxes(scene, boxes, side, settings[i], threads)));
  }
  return scores;
}

const Score& best(const std::vector<Score>& scores, Side side) {
  const auto order = [side](const Score& s) {
    return std::make_tuple(s.side != side, -s.successes, s.median_iterations, s.mean_iterations);
  };
  return *std::ranges::min_element(scores, {}, order);
}

}  // namespace studies::loop
