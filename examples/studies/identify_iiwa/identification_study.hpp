// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/arm_scene.hpp"
#include "examples/studies/identify_iiwa/learned_models.hpp"
#include "examples/studies/program/library.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// How models of inverse dynamics learn from one motion, and how a controller performs with them
/// (Sutanto et al. 2020, section 4).
namespace studies::iiwa {

/// A model, learned or given, and the robot's errors under it.
struct Trial {
  LearnedModel model;
  double training_error = 0;  ///< normalized, mean of the joints, over the recorded motion
  double q = 0, qd = 0;       ///< normalized errors of the sines, mean of the joints
  double x = 0, xd = 0;       ///< of the end effector
  bool sines_stable = true, reaches_stable = true;
  ReachingRun reaching = {};
};

struct StudyChoice {
  std::uint64_t seed = 10001;  ///< the first; the others follow
  int seeds = 20;              ///< of first numbers and goals
  int network_seeds = 3;       ///< of MLP and DeLaN, which take longest: the first so many of them
  int draws = 100;             ///< of first numbers of the forms, where only their epochs are counted
  int goals = 5;
  LearningChoice learning = {};
  LearningChoice networks = {};
  int threads = 2;

  int seeds_of(ModelKind kind) const {
    const bool network = learns_in_steps(kind) && !form_of(kind);
    return network ? std::min(seeds, network_seeds) : seeds;
  }
};

struct IdentificationStudy {
  std::vector<Trial> trials;  ///< by kind, then by seed; first those of the given model
  std::vector<const Trial*> of(ModelKind kind) const;
};

/// Seeds choose the initial values of a model and the goals of its reaches. note: called when a trial has ended.
IdentificationStudy identify(const ArmScene& scene, const identification::RobotMotion& motion,
                             const StudyChoice& choice, const std::function<void(const std::string&)>& note = {});

/// The same learned models under another feedback of the joints.
struct FeedbackLevel {
  double frequency;  ///< rad/s
  IdentificationStudy study;
};
/// The ground truth, the MLP, DeLaN and Cov of a study, as many of each as there are networks, at every frequency.
std::vector<FeedbackLevel> under_feedback(const ArmScene& scene, const IdentificationStudy& learned,
                                          const StudyChoice& choice, const std::vector<double>& frequencies,
                                          const std::function<void(const std::string&)>& note = {});

/// The mean normalized error over a whole motion while a model learns from it in order of time, batch by batch.
struct OnlineCurve {
  ModelKind kind;
  std::uint64_t seed;
  std::vector<double> batches, errors;
};
std::vector<OnlineCurve> learn_online(const ArmScene& scene, const identification::RobotMotion& motion,
                                      const StudyChoice& choice,
                                      const std::function<void(const std::string&)>& note = {});

}  // namespace studies::iiwa
