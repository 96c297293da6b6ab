// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"

#include "examples/studies/figures/progress.hpp"

#include <iostream>

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
  std::size_t kinds = 0;
  for (const ModelKind kind : learned_kinds)
    kinds += can_learn(kind) && (learns_in_steps(kind) || !in_steps_only) ? 1 : 0;
  return kinds * static_cast<std::size_t>(choice.seeds);
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
  if (options.has("simulation") || options.has("online")) {
    const ArmScene scene = clean_scene(options.seconds);
    const identification::RobotMotion motion = scene.recorded();
    if (options.has("simulation")) {
      StudyChoice choice = options.study;
      choice.learning.target = choice.networks.target = 0.1;
      results.simulation = run_study("simulation: learn, track, reach", scene, motion, choice);
    }
    if (options.has("online")) {
      Counted counted("online: batches in the order of time", models_to_learn(options.study, true));
      results.online = learn_online(scene, motion, options.study, counted.note());
      counted.finish();
    }
  }
  if (options.has("harder")) {
    const ArmScene scene = harder_scene(options.seconds);
    StudyChoice choice = options.study;
    choice.learning.improvement = choice.networks.improvement = 0.01;
    choice.learning.friction = choice.networks.friction = true;
    results.harder = run_study("harder plant: learn, track, reach", scene, scene.recorded(), choice);
  }
  if (options.has("payload")) {
    const ArmScene scene = payload_scene(results.payload_choice.seconds);
    Counted counted("payload: picked up, put down", all_adaptations.size());
    for (const Adaptation adaptation : all_adaptations) {
      results.payload.push_back(carry_payload(scene, results.payload_choice, adaptation));
      counted.note()(to_string(adaptation));
    }
    counted.finish();
  }
  return results;
}

}  // namespace studies::iiwa
