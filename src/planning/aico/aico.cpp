// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/aico/aico.hpp"

#include "quoin/core/options_of.hpp"
#include "quoin/core/to_text.hpp"

#include "aico_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

constexpr double damping_after_rejection = 1e-2;
constexpr int small_gains_in_a_row = 5;

void check(const AicoProblem& problem, const Eigen::MatrixXd& controls, const AicoOptions& options) {
  problem.check("aico");
  if (controls.rows() != problem.control_size() || controls.cols() != problem.horizon || !controls.allFinite()) {
    throw std::invalid_argument("aico: initial_controls are " + to_text(controls.rows()) + " x " +
                                to_text(controls.cols()) + ", must be " + to_text(problem.control_size()) + " x " +
                                to_text(problem.horizon) + ", finite");
  }
  const OptionsOf of{"aico"};
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative("relative_tolerance", options.relative_tolerance);
  of.not_negative("step_tolerance", options.step_tolerance);
  of.not_negative("initial_damping", options.initial_damping);
  of.one_or_more("damping_decrease", options.damping_decrease);
  of.need(options.damping_increase > 1, "damping_increase", options.damping_increase, "above 1");
  of.need(options.poor_gain >= 0 && options.poor_gain <= options.good_gain, "poor_gain", options.poor_gain,
          "at least 0 and at most good_gain");
  of.positive("greatest_damping", options.greatest_damping);
  of.not_negative("relinearizations", options.relinearizations);
  of.not_negative("slice_threshold", options.slice_threshold);
  const Eigen::VectorXd& weights = options.damping_weights;
  if (weights.size() != 0 && (weights.size() != problem.state_size || !(weights.array() >= 0).all())) {
    throw std::invalid_argument("aico: damping_weights have " + to_text(weights.size()) + " entries for " +
                                to_text(problem.state_size) + " states, the least is " + to_text(weights.minCoeff()));
  }
}

class Solver {
 public:
  Solver(const AicoProblem& problem, const AicoOptions& options)
      : problem_(problem), options_(options), kept_(problem), trial_(problem), sweep_(problem, options) {}

  AicoResult solve(const Eigen::MatrixXd& controls) {
    if (!sweep_.follow(controls, kept_)) {
      result_.failed_step = kept_.failed_step;
      result_.failed_status = kept_.failed_status;
      end(AicoStop::initial_failed);
      return std::move(result_);
    }
    damping_ = options_.initial_damping;
    end(record(AicoIteration{}, kept_.cost) ? iterate() : AicoStop::stopped_by_observer);
    return std::move(result_);
  }

 private:
  AicoStop iterate() {
    int small_gains = 0;
    bool confirmed_not = false;  // an undamped sweep around this very trajectory still moves
    while (true) {
      if (result_.iterations >= options_.max_iterations) return AicoStop::iteration_limit;
      const long before = sweep_.relinearizations();
      sweep_.run(kept_, damping_, options_.relinearizations);
      if (!confirmed_not && small(sweep_.step())) {
        if (damping_ > 0 || options_.relinearizations > 0) {
          sweep_.run(kept_, 0, 0);
          if (small(sweep_.step())) return AicoStop::converged;
          confirmed_not = true;
          sweep_.run(kept_, damping_, options_.relinearizations);
        } else {
          return AicoStop::converged;
        }
      }
      if (options_.max_task_evaluations > 0 &&
          sweep_.task_evaluations() + problem_.horizon + 1 > options_.max_task_evaluations) {
        return AicoStop::evaluation_limit;
      }
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
      } else {
        damping_ = std::max(damping_ * options_.damping_increase, damping_after_rejection);
      }
      const double tried = accepted ? kept_.cost : followed ? trial_.cost : std::numeric_limits<double>::infinity();
      if (!record(entry, tried)) return AicoStop::stopped_by_observer;
      if (small_gains == small_gains_in_a_row) return AicoStop::converged;
      if (!accepted && damping_ > options_.greatest_damping) return AicoStop::stalled;
    }
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

  void end(AicoStop stop) {
    result_.stop = stop;
    result_.damping = damping_;
    result_.states = kept_.states;
    result_.controls = kept_.controls;
    result_.cost = kept_.cost;
    result_.control_cost = kept_.control_cost;
    for (const LocalTask& task : kept_.tasks) result_.task_costs.push_back(task.cost);
    if (stop != AicoStop::initial_failed) {
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
  AicoResult result_;
  double damping_ = 0;
};

}  // namespace

const char* to_string(AicoStop stop) {
  switch (stop) {
    case AicoStop::converged: return "converged";
    case AicoStop::iteration_limit: return "iteration limit";
    case AicoStop::evaluation_limit: return "evaluation limit";
    case AicoStop::stalled: return "stalled";
    case AicoStop::initial_failed: return "initial failed";
    case AicoStop::stopped_by_observer: return "stopped by observer";
  }
  return "unknown";
}

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
