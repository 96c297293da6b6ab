// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/terminal_progress.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <string>

namespace studies {

/// Shows each iteration on the terminal, between them how far the evaluations through a grid are that it waits for, and
/// stops the planner when its budget (seconds) is spent. Of the thread that plans.
class PlanWatch {
 public:
  explicit PlanWatch(const std::string& label, double budget = std::numeric_limits<double>::infinity())
      : progress_(std::cerr, label + ", iterations", 0, {.line_seconds = 5}),
        budget_(budget),
        watch_({}, [this](const Watch::Progress& now) { progress_.update(iterations_, examples::to_words(now)); }) {}

  PlanObserver observer() {
    return [this](const PlanIteration& it) {
      progress_.update(iterations_++, note(it.cost, it.evaluations));
      return it.seconds < budget_;
    };
  }
  void finish(const Plan& plan) { progress_.finish(plan.stop + ", " + note(plan.cost, plan.evaluations)); }

 private:
  static std::string note(double cost, long evaluations) {
    return "cost " + figures::format_number(cost, 6) + ", " + to_text(evaluations) + " evaluations";
  }

  figures::Progress progress_;
  double budget_;
  long iterations_ = 0;
  Watch watch_;
};

/// Number of iterations of a plan in one round.
inline int iterations_of_round(const Plan& plan, int round) {
  return static_cast<int>(std::count_if(plan.log.begin(), plan.log.end(), [&](const PlanIteration& it) {
    return it.round == round && it.iteration > 0;
  }));
}

}  // namespace studies
