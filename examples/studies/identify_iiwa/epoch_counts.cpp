// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/epoch_counts.hpp"

#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <mutex>

namespace studies::iiwa {
namespace {

constexpr std::array forms = {ModelKind::nostr, ModelKind::symm, ModelKind::spd, ModelKind::tri, ModelKind::cov};

constexpr int most_epochs = 20;  // more are not counted, so that slow starts take minutes, not hours

}  // namespace

Rate EpochCounts::within(int epochs) const {
  Rate rate;
  for (const int count : needed) rate.count(count > 0 && count <= epochs);
  return rate;
}

std::vector<EpochCounts> count_epochs(const ArmScene& scene, const identification::RobotMotion& motion,
                                      const StudyChoice& choice, const std::function<void(const std::string&)>& note) {
  std::vector<EpochCounts> counts;
  const auto add = [&](ModelKind kind, Start start, int draws) {
    counts.push_back({.kind = kind,
                      .start = start,
                      .limit = std::min(most_epochs, choice.learning.epochs),
                      .needed = std::vector<int>(static_cast<std::size_t>(draws))});
  };
  for (const ModelKind kind : forms) add(kind, Start::bodies, choice.draws);
  for (const ModelKind kind : forms) add(kind, Start::published, choice.draws);
  add(ModelKind::nostr, Start::published_small, choice.draws);
  for (const ModelKind kind : forms) add(kind, Start::published_moments, std::max(1, choice.draws / 5));  // slow
  struct Draw {
    EpochCounts* counts;
    std::size_t at;
  };
  std::vector<Draw> draws;
  for (EpochCounts& own : counts)
    for (std::size_t i = 0; i < own.needed.size(); ++i) draws.push_back({&own, i});
  std::mutex mutex;
  parallel_for(draws.size(), static_cast<std::size_t>(choice.threads), [&](std::size_t i) {
    EpochCounts& own = *draws[i].counts;
    LearningChoice learning = choice.learning;
    learning.start = own.start;
    learning.epochs = own.limit;
    const LearnedModel model = learn(own.kind, scene.described, motion, choice.seed + draws[i].at, learning);
    if (model.course.stop == Stop::target_reached) own.needed[draws[i].at] = model.epochs();
    const std::lock_guard lock(mutex);
    if (note) note(std::string(to_string(own.kind)) + ", " + to_string(own.start));
  });
  return counts;
}

figures::JsonResults table_of(const std::vector<EpochCounts>& counts) {
  figures::JsonResults table;
  for (const EpochCounts& own : counts) {
    const auto needing = [&](int least, int most) {
      return std::ranges::count_if(own.needed, [&](int epochs) { return epochs >= least && epochs <= most; });
    };
    table.add(figures::ResultRow()
                  .set("table", "epochs")
                  .show("model", to_string(own.kind))
                  .show("start", to_string(own.start))
                  .show("draws", std::ssize(own.needed))
                  .show("one", needing(1, 1), "1 epoch")
                  .show("two", needing(2, 2), "2")
                  .show("three", needing(3, 3), "3")
                  .show("more", needing(4, own.limit), "4 to " + to_text(own.limit))
                  .show("never", needing(0, 0), "not in " + to_text(own.limit))
                  .show("within_two", studies::in_words(own.within(2)), "within 2 (95 % interval)"));
  }
  return table;
}

std::vector<Check> checks_of(const std::vector<EpochCounts>& counts, bool binding) {
  std::vector<Check> checks;
  for (const EpochCounts& own : counts) {
    if (own.start == Start::published_moments) continue;
    const std::string what = std::string(to_string(own.kind)) + ", started " +
                             (own.start == Start::bodies ? "at " : "") + to_string(own.start) +
                             ", reaches 0.1 in every joint within ";
    const bool structured = own.kind != ModelKind::nostr && own.kind != ModelKind::symm;
    if (own.kind == ModelKind::nostr && own.start == Start::published)
      checks.push_back(at_most(what + "2 epochs", own.within(2), 0.25));
    else if (structured)
      checks.push_back(at_least(what + "2 epochs", own.within(2), 0.75));
    else
      checks.push_back(at_least(what + "1 epoch", own.within(1), 0.75));
    checks.back().binding = binding;
  }
  return checks;
}

}  // namespace studies::iiwa
