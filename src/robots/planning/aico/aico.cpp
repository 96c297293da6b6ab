// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/aico.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include "aico_curvature.hpp"
#include "aico_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

constexpr double damping_after_rejection = 1e-2;
constexpr int small_gains_in_a_row = 5;
constexpr double slow_gain = 0.02;  // of the cost
constexpr int slow_in_a_row = 10;

void check(const AicoProblem& problem, const Eigen::MatrixXd& controls, const AicoOptions& options) {
  problem.check("aico");
  if (controls.rows() != problem.control_size() || controls.cols() != problem.horizon || !controls.allFinite()) {
    throw std::invalid_argument("aico: initial_controls are " + shape_text(controls) + ", must be " +
                                to_text(problem.control_size()) + " x " + to_text(problem.horizon) + ", finite");
  }
  const OptionsOf of{"aico"};
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative_and_finite("relative_tolerance", options.relative_tolerance);
  of.not_negative("step_tolerance", options.step_tolerance);
  of.not_negative("initial_damping", options.initial_damping);
  of.one_or_more("damping_decrease", options.damping_decrease);
  of.need(options.damping_increase > 1, "damping_increase", options.damping_increase, "above 1");
  of.need(options.poor_gain >= 0 && options.poor_gain <= options.good_gain, "poor_gain", options.poor_gain,
          "at least 0 and at most good_gain");
  of.positive("max_damping", options.max_damping);
  of.not_negative("relinearizations", options.relinearizations);
  of.not_negative("slice_threshold", options.slice_threshold);
  of.not_negative("curvature_tolerance", options.curvature_tolerance);
  const Eigen::VectorXd& weights = options.damping_weights;
  if (weights.size() != 0 && (weights.size() != problem.state_size || !(weights.array() >= 0).all())) {
    throw std::invalid_argument("aico: damping_weights have " + to_text(weights.size()) + " entries for " +
                                to_text(problem.state_size) + " states, the least is " + to_text(weights.minCoeff()));
  }
}

class Solver {
 public:
  Solver(const AicoProblem& problem, const AicoOptions& options)
      : problem_(problem),
        options_(options),
        kept_(problem),
        trial_(problem),
        sweep_(problem, options),
        bends_(problem) {}

  AicoResult solve(const Eigen::MatrixXd& controls) {
    if (!sweep_.follow(controls, kept_)) {
      result_.failed_step = kept_.failed_step;
      result_.failed_status = kept_.failed_status;
      end(Stop::initial_failed);
      return std::move(result_);
    }
    damping_ = options_.initial_damping;
    end(record(AicoIteration{}, kept_.cost) ? iterate() : Stop::stopped_by_observer);
    return std::move(result_);
  }

 private:
  Stop iterate() {
    int small_gains = 0;
    bool confirmed_not = false;  // an undamped sweep around this very trajectory still moves
    while (true) {
      if (result_.iterations >= options_.max_iterations) return Stop::iteration_limit;
      const long before = sweep_.relinearizations();
      sweep_.run(kept_, damping_, options_.relinearizations);
      if (!confirmed_not && small(sweep_.step())) {
        if (damping_ > 0 || options_.relinearizations > 0) {
          sweep_.run(kept_, 0, 0);
          confirmed_not = !small(sweep_.step());
          if (confirmed_not) sweep_.run(kept_, damping_, options_.relinearizations);
        }
        if (!confirmed_not) {
          if (const std::optional<Stop> stop = verify()) return *stop;
          small_gains = 0;
          continue;
        }
      }
      if (const std::optional<Stop> stop = room_for_a_trial()) return *stop;
      ++result_.iterations;
      const bool followed = sweep_.follow(trial_);
      const bool accepted = followed && trial_.cost < kept_.cost;
      AicoIteration entry{.accepted = accepted,
                          .damping = damping_,
                          .expected_decrease = sweep_.step().expected_decrease,
                          .change = followed ? (trial_.states - kept_.states).cwiseAbs().maxCoeff() : 0,
                          .relinearizations = static_cast<int>(sweep_.relinearizations() - before)};
      if (accepted) {
        ++result_.accepted;
        const double gain = kept_.cost - trial_.cost, promised = sweep_.step().expected_decrease;
        const bool little = gain < options_.relative_tolerance * std::abs(kept_.cost);
        small_gains = little ? small_gains + 1 : 0;
        std::swap(kept_, trial_);
        if (gain >= options_.good_gain * promised) {
          damping_ /= options_.damping_decrease;
        } else if (gain < options_.poor_gain * promised) {
          damping_ = std::max(2 * damping_, damping_after_rejection);
        }
        confirmed_not = false;
        slow_ = gain < slow_gain * std::abs(kept_.cost) ? slow_ + 1 : 0;
      } else {
        ++slow_;
        damping_ = std::max(damping_ * options_.damping_increase, damping_after_rejection);
      }
      const double tried = accepted ? kept_.cost : followed ? trial_.cost : std::numeric_limits<double>::infinity();
      if (!record(entry, tried)) return Stop::stopped_by_observer;
      if (small_gains == small_gains_in_a_row) {
        if (const std::optional<Stop> stop = verify()) return *stop;
        small_gains = 0;
        continue;
      }
      if (!accepted && damping_ > options_.max_damping) return Stop::stalled;
      if (left_saddle_ && slow_ >= slow_in_a_row) {
        // Below a saddle Gauss-Newton's steps may creep; the second derivatives lead on, while they do.
        slow_ = slow_in_a_row - 1;
        const std::optional<Stop> stop = verify();
        if (!stop) {
          small_gains = 0;
          confirmed_not = false;
        } else if (*stop == Stop::converged || *stop == Stop::stalled || *stop == Stop::saddle) {
          left_saddle_ = false;
        } else {
          return *stop;
        }
      }
    }
  }

  /// Asks the second derivatives whether a plan to which nothing more is promised is a minimum. Nothing: it was none,
  /// and iterations go on from a lower one.
  std::optional<Stop> verify() {
    if (!options_.check_curvature) return Stop::converged;
    for (double relative_step = 1e-5;; relative_step = 1e-7) {
      switch (bends_.take(kept_, sweep_, options_.max_task_evaluations, relative_step)) {
        case Curvature::Known::yes: break;
        case Curvature::Known::no: return Stop::stalled;
        case Curvature::Known::out_of_budget: return Stop::evaluation_limit;
      }
      if (bends_.convex(kept_, 1, options_.curvature_tolerance)) return take_newton_step();
      double share = 0;
      const std::optional<Stop> stop = leave_saddle(share);
      // Where that much curvature was refuted the differences may have gone over a jump: once more, finer.
      if (stop != Stop::converged || share >= 0.5 || relative_step < 1e-6) return stop;
    }
  }

  /// Where the second derivatives promise more than a multiple of the tolerance: Gauss-Newton's model did not see it.
  std::optional<Stop> take_newton_step() {
    constexpr double multiple = 6, rounding = 1e-13;
    const double promised = bends_.expected_decrease();
    if (promised <= std::max(multiple * options_.relative_tolerance, rounding) * std::abs(kept_.cost) ||
        bends_.change() <= options_.step_tolerance) {
      return Stop::converged;
    }
    for (double length = 1; length > 1e-3; length *= 0.5) {
      if (const std::optional<Stop> stop = room_for_a_trial()) return stop;
      const bool followed = sweep_.follow(kept_, bends_.way(), length, trial_);
      if (followed && trial_.cost < kept_.cost - 1e-4 * length * promised) return take_trial(promised);
    }
    return Stop::stalled;
  }

  /// Follows the direction in which the cost bends down most beside Gauss-Newton's model of it, either way, from the
  /// length that promises the whole cost down to where a tenth of the tolerance is promised, and goes on from the first
  /// plan below. `converged` where there is none though all can be followed: the cost bends down no further than that.
  std::optional<Stop> leave_saddle(double& share) {
    double bent = 1;  // the share of the second derivatives at which the model ceases to be convex: a bisection
    while (bent - share > 0.1 * std::min(share, 1 - share) && bent > 1e-8) {
      const double middle = share > 0 ? std::sqrt(share * bent) : 0.1 * bent;
      (bends_.convex(kept_, middle, options_.curvature_tolerance) ? share : bent) = middle;
    }
    if (bends_.convex(kept_, bent, options_.curvature_tolerance) || !bends_.turn_down(kept_)) {
      return Stop::converged;
    }
    const double size = std::abs(kept_.cost), towards = bends_.slope() > 0 ? -1 : 1;
    bool failed = false;
    for (double promised = size; promised > 0.1 * options_.relative_tolerance * size; promised *= 0.25) {
      const double length = std::sqrt(-promised / bends_.curvature());
      failed = false;  // far off it may not be possible to follow; what counts is whether it is a little way off
      for (const double way : {towards, -towards}) {
        if (const std::optional<Stop> stop = room_for_a_trial()) return stop;
        const bool followed = sweep_.follow(kept_, bends_.way(), way * length, trial_);
        if (followed && trial_.cost < kept_.cost - 0.1 * promised) {
          left_saddle_ = true;
          return take_trial(promised);
        }
        failed = failed || !followed;
      }
    }
    return failed ? Stop::saddle : Stop::converged;
  }

  std::optional<Stop> room_for_a_trial() const {
    if (result_.iterations >= options_.max_iterations) return Stop::iteration_limit;
    const bool room = options_.max_task_evaluations <= 0 ||
                      sweep_.task_evaluations() + problem_.horizon + 1 <= options_.max_task_evaluations;
    return room ? std::nullopt : std::optional(Stop::evaluation_limit);
  }

  /// Goes on from a trial that is lower, as an iteration of its own.
  std::optional<Stop> take_trial(double promised) {
    ++result_.iterations;
    ++result_.accepted;
    const double change = (trial_.states - kept_.states).cwiseAbs().maxCoeff();
    std::swap(kept_, trial_);
    const AicoIteration entry{.expected_decrease = promised, .change = change};
    return record(entry, kept_.cost) ? std::nullopt : std::optional(Stop::stopped_by_observer);
  }

  bool small(const ModelStep& step) const {
    return step.expected_decrease <= options_.relative_tolerance * std::abs(kept_.cost) ||
           step.change <= options_.step_tolerance;
  }

  bool record(AicoIteration entry, double tried) {
    entry.iteration = result_.iterations;
    entry.cost = kept_.cost;
    entry.trial_cost = tried;
    entry.task_evaluations = sweep_.task_evaluations();
    entry.dynamics_calls = sweep_.dynamics_calls();
    result_.log.push_back(entry);
    return !options_.observer || options_.observer(entry, kept_.states);
  }

  void end(Stop stop) {
    result_.stop = stop;
    result_.damping = damping_;
    result_.states = kept_.states;
    result_.controls = kept_.controls;
    result_.cost = kept_.cost;
    result_.control_cost = kept_.control_cost;
    for (const LocalTask& task : kept_.tasks) result_.task_costs.push_back(task.cost);
    if (stop != Stop::initial_failed) {
      sweep_.run(kept_, 0, 0);
      for (int t = 0; t < problem_.horizon; ++t) result_.gains.push_back(sweep_.chain().law(t).K);
      if (options_.covariances) sweep_.covariances(kept_, result_.covariances);
    }
    result_.sweeps = sweep_.sweeps();
    result_.task_evaluations = sweep_.task_evaluations();
    result_.dynamics_calls = sweep_.dynamics_calls();
  }

  const AicoProblem& problem_;
  const AicoOptions& options_;
  Plan kept_, trial_;
  Sweep sweep_;
  Curvature bends_;
  AicoResult result_;
  double damping_ = 0;
  bool left_saddle_ = false;
  int slow_ = 0;  // iterations in a row
};

}  // namespace

Eigen::VectorXd AicoResult::control(int t, const Eigen::VectorXd& x) const {
  if (t < 0 || t >= static_cast<int>(gains.size()) || x.size() != states.rows()) {
    throw std::invalid_argument("AicoResult::control: time " + to_text(t) + " and a state of " + to_text(x.size()) +
                                " entries, of " + to_text(gains.size()) + " gains for " + to_text(states.rows()) +
                                " states");
  }
  return controls.col(t) + gains[t] * (x - states.col(t));
}

AicoResult aico(const AicoProblem& problem, const Eigen::MatrixXd& initial_controls, const AicoOptions& options) {
  check(problem, initial_controls, options);
  return Solver(problem, options).solve(initial_controls);
}

}  // namespace quoin::planning
