// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/identification_study.hpp"

#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace studies::iiwa {
namespace {

using identification::RobotMotion;

struct Task {
  ModelKind kind;
  std::uint64_t seed;
};

/// DeLaN takes longest and comes first, so that threads end together.
std::vector<Task> tasks_of(const StudyChoice& choice, bool in_steps_only) {
  std::vector<ModelKind> kinds(learned_kinds.begin(), learned_kinds.end());
  std::iter_swap(kinds.begin(), std::ranges::find(kinds, ModelKind::delan));
  kinds.push_back(ModelKind::given);
  std::vector<Task> tasks;
  for (const ModelKind kind : kinds)
    for (int i = 0; i < choice.seeds_of(kind); ++i)
      if (in_steps_only ? learns_in_steps(kind) && can_learn(kind) : kind == ModelKind::given || can_learn(kind))
        tasks.push_back({kind, choice.seed + static_cast<std::uint64_t>(i)});
  return tasks;
}

const LearningChoice& choice_for(const StudyChoice& choice, ModelKind kind) {
  return form_of(kind) || kind == ModelKind::least_squares ? choice.learning : choice.networks;
}

/// Passes notes on one at a time, from several threads.
class Notes {
 public:
  explicit Notes(const std::function<void(const std::string&)>& note) : note_(note) {}
  void operator()(const Task& task) {
    const std::lock_guard lock(mutex_);
    if (note_) note_(std::string(to_string(task.kind)) + ", seed " + to_text(task.seed));
  }

 private:
  const std::function<void(const std::string&)>& note_;
  std::mutex mutex_;
};

void run_robot(const ArmScene& scene, const StudyChoice& choice, Trial& trial) {
  RobotPlant robot = scene.make_plant(trial.model.seed);
  const JointRun sines = follow(robot, trial.model.forces, scene.excitation, scene.gains, scene.seconds);
  trial.q = sines.q.of_mean();
  trial.qd = sines.qd.of_mean();
  trial.sines_stable = sines.stable;
  const ReachingTask task = random_reaches(scene.described, scene.hand, choice.goals, trial.model.seed);
  trial.reaching = reach(robot, trial.model.forces, scene.hand, task, scene.gains);
  trial.x = trial.reaching.x.of_all();
  trial.xd = trial.reaching.xd.of_all();
  trial.reaches_stable = trial.reaching.stable;
}

}  // namespace

std::vector<const Trial*> IdentificationStudy::of(ModelKind kind) const {
  std::vector<const Trial*> found;
  for (const Trial& trial : trials)
    if (trial.model.kind == kind) found.push_back(&trial);
  return found;
}

IdentificationStudy identify(const ArmScene& scene, const RobotMotion& motion, const StudyChoice& choice,
                             const std::function<void(const std::string&)>& note) {
  const std::vector<Task> tasks = tasks_of(choice, false);
  std::vector<Trial> trials(tasks.size());
  Notes notes(note);
  parallel_for(tasks.size(), static_cast<std::size_t>(choice.threads), [&](std::size_t i) {
    const Task& task = tasks[i];
    Trial& trial = trials[i];
    if (task.kind == ModelKind::given) {
      trial.model = given(scene.described);
      trial.model.seed = task.seed;
    } else {
      trial.model = learn(task.kind, scene.described, motion, task.seed, choice_for(choice, task.kind));
    }
    trial.training_error = identification::normalized_errors(trial.model.predict(motion), motion.tau).mean();
    run_robot(scene, choice, trial);
    notes(task);
  });
  IdentificationStudy study;
  for (Trial& trial : trials)
    if (trial.model.kind == ModelKind::given) study.trials.push_back(std::move(trial));
  for (const ModelKind kind : learned_kinds)
    for (Trial& trial : trials)
      if (trial.model.kind == kind) study.trials.push_back(std::move(trial));
  return study;
}

std::vector<FeedbackLevel> under_feedback(const ArmScene& scene, const IdentificationStudy& learned,
                                          const StudyChoice& choice, const std::vector<double>& frequencies,
                                          const std::function<void(const std::string&)>& note) {
  std::vector<const Trial*> trials;
  for (const ModelKind kind : {ModelKind::given, ModelKind::mlp, ModelKind::delan, ModelKind::cov})
    for (const Trial* trial : learned.of(kind))
      if (trial->model.seed < choice.seed + static_cast<std::uint64_t>(std::max(1, choice.network_seeds)))
        trials.push_back(trial);
  std::vector<FeedbackLevel> levels;
  for (const double frequency : frequencies)
    levels.push_back({.frequency = frequency, .study = {.trials = std::vector<Trial>(trials.size())}});
  Notes notes(note);
  // A model is for one thread: all its runs are one item.
  parallel_for(trials.size(), static_cast<std::size_t>(choice.threads), [&](std::size_t i) {
    for (FeedbackLevel& level : levels) {
      Trial& trial = level.study.trials[i];
      trial.model = trials[i]->model;
      trial.training_error = trials[i]->training_error;
      run_robot(scene.with_feedback(level.frequency), choice, trial);
      notes({trial.model.kind, trial.model.seed});
    }
  });
  return levels;
}

std::vector<OnlineCurve> learn_online(const ArmScene& scene, const RobotMotion& motion, const StudyChoice& choice,
                                      const std::function<void(const std::string&)>& note) {
  constexpr Eigen::Index judged_every = 10;  // every tenth instant of the motion
  std::vector<Eigen::Index> some;
  for (Eigen::Index t = 0; t < motion.instants(); t += judged_every) some.push_back(t);
  const RobotMotion judged = motion.at(some);

  const std::vector<Task> tasks = tasks_of(choice, true);
  std::vector<OnlineCurve> curves(tasks.size());
  Notes notes(note);
  parallel_for(tasks.size(), static_cast<std::size_t>(choice.threads), [&](std::size_t i) {
    OnlineCurve& curve = curves[i];
    curve = {.kind = tasks[i].kind, .seed = tasks[i].seed, .batches = {}, .errors = {}};
    LearningChoice once = choice_for(choice, curve.kind);
    once.epochs = 1;
    once.shuffled = false;
    learn(curve.kind, scene.described, motion, curve.seed, once, [&](const auto& update, const auto& predict) {
      if (update.update % 4 != 0 && update.update > 4) return;
      curve.batches.push_back(static_cast<double>(update.update));
      curve.errors.push_back(identification::normalized_errors(predict(judged), judged.tau).mean());
    });
    notes(tasks[i]);
  });
  return curves;
}

}  // namespace studies::iiwa
