// SPDX-License-Identifier: BSD-3-Clause
// Learning a 7-joint arm's inverse dynamics: Table 1 of Sutanto et al. 2020 beside ours, and the learning speed of
// Newton-Euler with inertias and of networks.
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/studies/identify_iiwa/identification_tables.hpp"
#include "examples/studies/program/cores.hpp"
#include "quoin/util/to_text.hpp"

namespace {

using namespace benchmarks;
using namespace studies::iiwa;

/// Instants per second that one thread learns from, between the first and the last step of an epoch.
double speed_of(ModelKind kind, const ArmScene& scene, const identification::RobotMotion& motion) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point first, last;
  long steps = 0;
  learn(kind, scene.described, motion, 1, {.epochs = 1}, [&](const auto& update, const auto&) {
    last = Clock::now();
    if (update.update == 1) first = last;
    steps = update.update - 1;
  });
  return static_cast<double>(256 * steps) / std::chrono::duration<double>(last - first).count();
}

Report run(bool quick) {
  const ArmScene scene = clean_scene(quick ? 60 : 240);
  const identification::RobotMotion motion = scene.recorded();
  StudyChoice choice;
  choice.learning.target = choice.networks.target = 0.1;
  choice.threads = studies::cores();
  if (quick) {
    choice.seeds = choice.network_seeds = 1;
    choice.networks.epochs = 3;
    choice.learning.epochs = 20;
  }
  const IdentificationStudy study = identify(scene, motion, choice);

  const identification::RobotMotion some = motion.columns(0, 256 * 41);
  std::vector<std::vector<double>> speeds(learned_kinds.size());
  for (int round = 0; round < (quick ? 3 : 9); ++round)
    for (std::size_t k = 0; k < learned_kinds.size(); ++k)
      if (can_learn(learned_kinds[k]) && learns_in_steps(learned_kinds[k]))
        speeds[k].push_back(speed_of(learned_kinds[k], scene, some));

  Report report;
  for (studies::figures::ResultRow& row : rows_of(study, PaperTable::simulation)) {
    for (std::size_t k = 0; k < learned_kinds.size(); ++k)
      if (!speeds[k].empty() &&
          row.at("model") == studies::figures::ResultValue(std::string(to_string(learned_kinds[k]))))
        row.set("instants_per_second", median(speeds[k]));
    report.results.add(std::move(row));
  }
  report.columns = table_columns();
  report.columns.push_back({"instants_per_second", "instants/s"});
  report.checks = checks_of(study, PaperTable::simulation, !quick);
  report.notes =
      "Beside the paper's Table 1. NMSE: mean squared error over the variance of what was wanted; mean and standard "
      "deviation over " +
      to_text(choice.seeds) + " seeds, " + to_text(choice.seeds_of(ModelKind::mlp)) +
      " of networks. Instants/s: learned from in a second by one thread, batches of 256; interleaved, medians.\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "identification",
      "Learning inverse dynamics: inertias in five forms, MLP and DeLaN (Sutanto et al. 2020, Table 1)", run);
}
