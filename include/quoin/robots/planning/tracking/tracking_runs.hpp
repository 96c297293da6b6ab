// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/tracking/track.hpp"
#include "quoin/robots/planning/tracking/tracking_loop.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

namespace quoin::planning {

/// What a plan is tried on: both return the outputs (N) then.
template <class S>
concept TrackingSimulator = requires(S& simulator, const Eigen::VectorXd& u) {
  { simulator.reset() } -> std::convertible_to<Eigen::VectorXd>;
  { simulator.step(u) } -> std::convertible_to<Eigen::VectorXd>;
};

/// What a simulator did.
struct TrackingRun {
  Eigen::MatrixXd outputs;      ///< N x (K+1), without the noise of measurements
  Eigen::MatrixXd controls;     ///< m x K
  Eigen::VectorXd errors;       ///< K+1, how far the outputs are from the path
  double root_mean_square = 0;  ///< of the errors
  double largest = 0;           ///< of the errors
};

/// What happens in a run.
template <class Simulator>
struct TrackingRunOptions {
  double noise = 0;                                     ///< deviation of what a loop is told, normally distributed
  std::function<void(int i, Simulator&)> disturb = {};  ///< called before step i
  std::uint64_t seed = 0;                               ///< of the noise
};

namespace detail {

// control(i, told): the pulls of step i.
template <class Simulator, class Control>
TrackingRun run_with(Simulator& simulator, const TrackingPlan& plan, const TrackingRunOptions<Simulator>& options,
                     const Control& control) {
  OptionsOf{"run"}.not_negative_and_finite("noise", options.noise);
  if (plan.controls.cols() == 0) throw std::invalid_argument("run: there is no plan: " + plan.message);
  const Eigen::MatrixXd& path = plan.task.path;
  TrackingRun run{.outputs = path, .controls = plan.controls, .errors = {}};
  const auto keep = [&](const char* what, Eigen::Index i, const Eigen::VectorXd& y) {
    const std::string who = std::string("simulator: ") + what + " returned ";
    if (y.size() != path.rows())
      throw std::invalid_argument(who + to_text(y.size()) + " outputs, expected " + to_text(path.rows()));
    if (!y.allFinite()) throw std::invalid_argument(who + "a number that is not finite");
    run.outputs.col(i) = y;
  };
  std::mt19937_64 generator(options.seed);
  std::normal_distribution<double> normal;
  keep("reset", 0, simulator.reset());
  for (Eigen::Index i = 0; i < run.controls.cols(); ++i) {
    if (options.disturb) options.disturb(static_cast<int>(i), simulator);
    Eigen::VectorXd told = run.outputs.col(i);
    for (double& number : told) number += options.noise * normal(generator);
    run.controls.col(i) = control(i, told);
    keep("step", i + 1, simulator.step(run.controls.col(i)));
  }
  run.errors = tracking_errors(run.outputs, path);
  run.root_mean_square = std::sqrt(run.errors.squaredNorm() / static_cast<double>(run.errors.size()));
  run.largest = run.errors.maxCoeff();
  return run;
}

}  // namespace detail

/// Runs a plan on a simulator. Throws std::invalid_argument for a plan that is none, a noise that is negative, outputs
/// of another size or that are not finite, and what the simulator throws.
template <TrackingSimulator Simulator>
TrackingRun run(Simulator& simulator, const TrackingPlan& plan, const TrackingRunOptions<Simulator>& options = {}) {
  return detail::run_with(simulator, plan, options,
                          [&](Eigen::Index i, const Eigen::VectorXd&) { return plan.controls.col(i); });
}

/// Runs a loop around a plan from its beginning; it is told the outputs, with noise.
template <TrackingSimulator Simulator>
TrackingRun run(Simulator& simulator, TrackingLoop& loop, const TrackingRunOptions<Simulator>& options = {}) {
  loop.reset();
  return detail::run_with(simulator, loop.plan(), options,
                          [&](Eigen::Index, const Eigen::VectorXd& told) { return loop.control(told); });
}

/// Runs a plan, shifts its target by what it missed, plans again, and so on; the plan whose run came nearest. runs: of
/// the simulator. Throws as run does, and for less than one run.
///
/// Near a resonance that the model has elsewhere this does not converge: `history` of the plan shows it.
template <TrackingSimulator Simulator>
TrackingPlan learn(Simulator& simulator, TrackingPlan plan, int runs = 3,
                   const IlqrOptions& options = tracking_options()) {
  OptionsOf{"learn"}.one_or_more("runs", runs);
  TrackingPlan best = plan;
  std::vector<double> history = plan.history;
  double least = std::numeric_limits<double>::infinity();
  for (int left = runs; left > 0; --left) {
    const TrackingRun done = run(simulator, plan);
    history.push_back(done.root_mean_square);
    if (done.root_mean_square < least) {
      best = plan;
      best.seen = done.outputs;
      least = done.root_mean_square;
    }
    if (left > 1) plan = track_again(plan, plan.target - (done.outputs - plan.task.path), options);
  }
  best.history = history;
  return best;
}

}  // namespace quoin::planning
