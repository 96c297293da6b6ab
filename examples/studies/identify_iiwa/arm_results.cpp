// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"

#include "examples/studies/figures/progress.hpp"

#include "quoin/util/parallel_for.hpp"

#include <algorithm>
#include <iostream>
#include <mutex>

namespace studies::iiwa {
namespace {

/// A line of progress that counts finished items.
class Counted {
 public:
  Counted(const std::string& label, std::size_t total) : progress_(std::cerr, label, static_cast<long>(total)) {}
  std::function<void(const std::string&)> note() {
    return [this](const std::string& what) { progress_.update(++done_, what); };
  }
  void finish() { progress_.finish(); }

 private:
  figures::Progress progress_;
  long done_ = 0;
};

std::size_t models_to_learn(const StudyChoice& choice, bool in_steps_only) {
  int models = 0;
  for (const ModelKind kind : learned_kinds)
    models += can_learn(kind) && (learns_in_steps(kind) || !in_steps_only) ? choice.seeds_of(kind) : 0;
  return static_cast<std::size_t>(models);
}

IdentificationStudy run_study(const std::string& label, const ArmScene& scene,
                              const identification::RobotMotion& motion, const StudyChoice& choice) {
  Counted counted(label, models_to_learn(choice, false) + static_cast<std::size_t>(choice.seeds));
  IdentificationStudy study = identify(scene, motion, choice, counted.note());
  counted.finish();
  return study;
}

}  // namespace

ArmResults run_parts(const ProgramOptions& options) {
  ArmResults results;
  if (options.has("epochs") || options.has("simulation") || options.has("feedback") || options.has("online")) {
    const ArmScene scene = clean_scene(options.seconds, options.feedback);
    const identification::RobotMotion motion = scene.recorded();
    StudyChoice to_target = options.study;
    to_target.learning.target = to_target.networks.target = 0.1;
    if (options.has("epochs")) {
      Counted counted("epochs: learn", 11 * to_target.draws + 5 * std::max(1, to_target.draws / 5));
      results.epochs = count_epochs(scene, motion, to_target, counted.note());
      counted.finish();
    }
    if (options.has("simulation") || options.has("feedback"))
      results.simulation = run_study("simulation: learn, track, reach", scene, motion, to_target);
    if (options.has("feedback")) {
      Counted counted("feedback: track, reach", 4 * options.frequencies.size() * std::max(1, to_target.network_seeds));
      results.feedback = under_feedback(scene, *results.simulation, to_target, options.frequencies, counted.note());
      counted.finish();
    }
    if (options.has("online")) {
      Counted counted("online: batches in the order of time", models_to_learn(options.study, true));
      results.online = learn_online(scene, motion, options.study, counted.note());
      counted.finish();
    }
  }
  if (options.has("harder")) {
    const ArmScene scene = harder_scene(options.seconds, options.feedback);
    StudyChoice choice = options.study;
    choice.learning.improvement = choice.networks.improvement = 0.01;
    choice.learning.friction = choice.networks.friction = true;
    results.harder = run_study("harder plant: learn, track, reach", scene, scene.recorded(), choice);
  }
  if (options.has("payload")) {
    const ArmScene scene = payload_scene(PayloadChoice{}.seconds);
    results.payload.resize(static_cast<std::size_t>(options.payloads));
    Counted counted("payload: picked up, put down", results.payload.size() * all_adaptations.size());
    std::mutex mutex;
    parallel_for(results.payload.size(), static_cast<std::size_t>(options.study.threads), [&](std::size_t i) {
      PayloadTrial& trial = results.payload[i];
      trial.choice = random_payload(options.study.seed + i);
      for (const Adaptation adaptation : all_adaptations) {
        trial.runs.push_back(carry_payload(scene, trial.choice, adaptation));
        const std::lock_guard lock(mutex);
        counted.note()(to_string(adaptation));
      }
    });
    counted.finish();
  }
  return results;
}

}  // namespace studies::iiwa
