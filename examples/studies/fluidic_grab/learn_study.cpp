// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/learn_study.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>

namespace studies::grab {
namespace {

Experiment experiment(Machine& machine, const SetUp& set_up, int attempts, unsigned seed) {
  Experiment done{.set_up = set_up, .learned = learn_grab(machine, set_up, seed), .open = {}, .feedback = {}};
  for (int i = 0; i < attempts; ++i) done.open.push_back(attempt(machine.plant, done.learned, set_up.goal));
  for (int i = 0; i < attempts; ++i) done.feedback.push_back(attempt_with_feedback(machine, done.learned, set_up.goal));
  return done;
}

template <class Value>
int sum(const std::vector<Experiment>& experiments, const Value& value) {
  int total = 0;
  for (const Experiment& one : experiments) total += value(one);
  return total;
}

}  // namespace

int Experiment::successes(const std::vector<Attempt>& attempts, double allowed_speed) {
  return static_cast<int>(
      std::ranges::count_if(attempts, [&](const Attempt& made) { return made.success(allowed_speed); }));
}

bool Experiment::first_run_met() const { return learned.met && learned.misses.size() == 1; }

int ProtocolRun::attempts() const {
  return sum(experiments, [](const Experiment& one) { return static_cast<int>(one.open.size()); });
}
int ProtocolRun::open_successes(double allowed_speed) const {
  return sum(experiments, [&](const Experiment& one) { return Experiment::successes(one.open, allowed_speed); });
}
int ProtocolRun::feedback_successes(double allowed_speed) const {
  return sum(experiments, [&](const Experiment& one) { return Experiment::successes(one.feedback, allowed_speed); });
}
int ProtocolRun::met_at_once() const {
  return sum(experiments, [](const Experiment& one) { return static_cast<int>(one.first_run_met()); });
}
int ProtocolRun::plans() const {
  return sum(experiments, [](const Experiment& one) { return one.learned.plans; });
}
int ProtocolRun::refused() const {
  return sum(experiments, [](const Experiment& one) { return one.learned.refused; });
}
int ProtocolRun::learned() const {
  return sum(experiments, [](const Experiment& one) { return static_cast<int>(one.learned.met); });
}
int ProtocolRun::learned_with(int identifications) const {
  return sum(experiments, [&](const Experiment& one) {
    return static_cast<int>(one.learned.met && one.learned.identifications == identifications);
  });
}

ProtocolRun consecutive_protocol(unsigned seed, Beginning beginning, const Watch& watch) {
  ProtocolRun run{.seed = seed, .experiments = {}, .machines = {}};
  Machine machine(1000 * seed, beginning);
  run.machines.emplace_back(machine);
  for (const SetUp& set_up : set_ups()) {
    run.experiments.push_back(experiment(machine, set_up, set_up.attempts, seed));
    watch("set-up " + set_up.name);
  }
  return run;
}

ProtocolRun independent_protocol(unsigned seed, Beginning beginning, bool quick, const Watch& watch) {
  ProtocolRun run{.seed = seed, .experiments = {}, .machines = {}};
  unsigned count = 0;
  for (const SetUp& set_up : set_ups())
    for (int i = 0; i < (quick ? 1 : set_up.attempts); ++i) {
      if (quick && count == 3) break;
      Machine machine(1000 * seed + ++count, beginning);
      run.machines.emplace_back(machine);
      run.experiments.push_back(experiment(machine, set_up, 1, seed));
      watch("machine " + to_text(count));
    }
  return run;
}

}  // namespace studies::grab
