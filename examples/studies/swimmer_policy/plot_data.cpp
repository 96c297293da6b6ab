// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/swimmer_policy/pictures.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"
#include "quoin/util/to_text.hpp"

#include <string>
#include <utility>
#include <vector>

namespace studies::stroke {

void write_data(const PolicyResult& result, const figures::OutputFolder& out) {
  std::vector<double> seeds;  // that learned
  for (const SeedResult& seed : result.seeds) {
    if (seed.learned.log.empty()) continue;
    seeds.push_back(static_cast<double>(seed.seed));
    figures::CsvWriter csv(
        out / ("learning_" + to_text(seed.seed) + ".csv"),
        {"iteration", "level", "evaluations", "seconds", "mean_return", "failed_share", "distance", "divergence",
         "clipped_share", "explained_variance", "seconds_acting", "seconds_advantages", "seconds_updating"});
    for (const LearningIteration& it : seed.learned.log)
      csv.row(std::vector<double>{
          static_cast<double>(it.ppo.iteration), static_cast<double>(it.level), static_cast<double>(it.evaluations),
          it.seconds, it.ppo.mean_return, it.ppo.failed_share, it.distance, it.ppo.divergence, it.ppo.clipped_share,
          it.ppo.explained_variance, it.ppo.seconds_acting, it.ppo.seconds_advantages, it.ppo.seconds_updating});
    csv.close();
  }
  std::vector<std::pair<const Swim*, std::string>> gaits = {{&result.middle().swim, "learned"},
                                                            {&result.planned, "planned"}};
  if (result.searched_swim && !result.searched_swim->failed) gaits.emplace_back(&*result.searched_swim, "searched");
  for (const auto& [swim, name] : gaits)
    write_swim(result.fish, swim->torques, swim->states.leftCols(swim->torques.cols()),
               out / ("gait_" + name + ".csv"));

  figures::ResultRow row;
  row.set("seeds", seeds)
      .set("joint_limit", result.fish.setup.joint_limit)
      .set("planned_distance", result.planned.distance)
      .set("exact_evaluations_of_an_iteration", result.cost.exact_evaluations())
      .set("searched_distances", result.searched ? result.searched->distances : std::vector<double>());
  figures::JsonResults({row}).write(out / "study.json");
}

}  // namespace studies::stroke
