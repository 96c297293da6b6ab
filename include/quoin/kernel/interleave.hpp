// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/kernel/kernel_surrogate.hpp"
#include "quoin/map/interleave.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin {

/// The schedule of a kernel: stages of thresholds on its deviation at the points of the iterate.
template <class Iterate>
struct KernelSchedule {
  /// The points (Dim x M) at which an iterate evaluates the map.
  std::function<Eigen::MatrixXd(const Iterate&)> points = {};
  /// Taken in order, since an early iterate is not worth many samples. The last is strict on the gradient, because
  /// Jacobians converge more slowly than values.
  std::vector<KernelThreshold> stages = {{3e-2, 3e-1}, {1e-3, 1e-2}, {1e-4, 1e-3}, {1e-5, 3e-5}};
  /// Most solves at one stage: iterates that keep moving must not loop forever.
  int rounds_per_stage = 10;
  /// The schedule is done as soon as both errors are estimated, and at most these, at all points; 0:
  /// thresholds alone decide.
  double tolerance = 0;
  double jacobian_tolerance = 0;  ///< of the Jacobian, as Answer::jacobian_error
};

namespace kernel_detail {
/// A kernel with its progress through the stages: RefinementStages.
template <int Dim, class Sampler, class Iterate>
class KernelStages {
 public:
  KernelStages(KernelSurrogate<Dim, Sampler>& kernel, const KernelSchedule<Iterate>& schedule)
      : kernel_(kernel), schedule_(schedule) {
    const OptionsOf of{"interleave"};
    if (!schedule.points || schedule.stages.empty())
      throw std::invalid_argument("interleave: a kernel needs KernelSchedule::points and a stage (there are " +
                                  to_text(schedule.stages.size()) + ")");
    of.one_or_more("rounds_per_stage", schedule.rounds_per_stage);
    of.not_negative("tolerance", schedule.tolerance);
    of.not_negative("jacobian_tolerance", schedule.jacobian_tolerance);
    // All of them now: the last stage must not be refused when the others have been paid for.
    for (std::size_t s = 0; s < schedule.stages.size(); ++s)
      check_threshold(schedule.stages[s], kernel.interpolant().options().jitter,
                      "interleave: stages[" + to_text(s) + "]: ");
  }

  Advance advance(const Iterate& iterate, std::size_t allowed, Round& round) {
    const Eigen::MatrixXd X = schedule_.points(iterate);
    const bool first = !begun_;
    begun_ = true;
    if (!first && accurate(X)) return Advance::done;
    for (; stage_ < schedule_.stages.size(); ++stage_, rounds_ = 0) {
      exhausted_ = rounds_ >= schedule_.rounds_per_stage;
      last_ = kernel_.refine_at(X, schedule_.stages[stage_], exhausted_ ? 0 : allowed);
      if (exhausted_) continue;
      if (last_.over_budget && last_.added == 0) return Advance::over_budget;
      if (last_.added == 0 && !first) continue;
      ++rounds_;
      round.tolerance = schedule_.stages[stage_].value;
      return Advance::ready;
    }
    return Advance::done;
  }
  KernelView<Dim> view() const { return kernel_.view(); }
  std::size_t exact_evaluations() const { return kernel_.exact_evaluations(); }
  std::string shortfall() const {
    if (last_.above == 0) return {};
    return to_text(last_.above) + " points of the iterate are above the threshold " +
           to_text(schedule_.stages.back().value) + " of the last stage: " + to_text(last_.unreachable) +
           " have no corner left, " + to_text(last_.failed) + " corners failed, " +
           (exhausted_ ? "and its rounds are used up" : "and rounds are left");
  }

 private:
  bool accurate(const Eigen::MatrixXd& X) const {
    if (!(schedule_.tolerance > 0)) return false;
    for (const Answer& answer : kernel_.view().estimates(X)) {
      if (answer.trust != Trust::estimated || !(answer.error <= schedule_.tolerance)) return false;
      if (schedule_.jacobian_tolerance > 0 && !(answer.jacobian_error <= schedule_.jacobian_tolerance)) return false;
    }
    return true;
  }

  KernelSurrogate<Dim, Sampler>& kernel_;
  const KernelSchedule<Iterate>& schedule_;
  std::size_t stage_ = 0;
  int rounds_ = 0;
  bool begun_ = false;
  bool exhausted_ = false;  // all rounds of this stage are spent
  KernelRefinement last_;
};
}  // namespace kernel_detail

/// Algorithm 1 with a kernel in the place of the grid: solve on a frozen view, add samples until the kernel meets the
/// threshold at the points of the result, solve again until nothing is added, then go to the next stage.
///
///   KernelSchedule<Plan> schedule{.points = [](const Plan& plan) { return plan.states; }};
///   auto result = interleave(kernel, solve, guess, {.schedule = schedule});  // solve(const KernelView<4>&,
///                                                                            //       const Plan&)
///
/// The first round samples at the points of the guess. How the loop ends: see interleave_stages; out_of_reach if points
/// of the last iterate stay above the last threshold.
template <int Dim, class Sampler, class Iterate, class Solver>
InterleaveResult<Iterate> interleave(
    KernelSurrogate<Dim, Sampler>& kernel, Solver&& solver, Iterate guess,
    const std::type_identity_t<InterleaveOptions<Iterate, KernelSchedule<Iterate>>>& options) {
  kernel_detail::KernelStages<Dim, Sampler, Iterate> stages(kernel, options.schedule);
  return interleave_stages(stages, std::forward<Solver>(solver), std::move(guess), options);
}

}  // namespace quoin
