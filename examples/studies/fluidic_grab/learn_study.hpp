// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/learn_grab.hpp"
#include "examples/studies/program/library.hpp"

#include <functional>
#include <string>
#include <vector>

namespace studies::grab {

/// One set-up on one machine: the learned grab, and attempts with the last policy, first in
/// open loop, then with feedback.
struct Experiment {
  SetUp set_up;
  LearnedGrab learned;
  std::vector<Attempt> open, feedback;

  static int successes(const std::vector<Attempt>& attempts, double allowed_speed = max_speed);
  bool first_run_met() const;  ///< before anything was learned
};

/// A machine with its model before the first plan.
struct FirstModel {
  explicit FirstModel(const Machine& machine)
      : truth(machine.truth), model(machine.model), converged(machine.converged) {}
  fluidic_arm::FluidicSystem truth, model;
  bool converged;  ///< the identification, if there was one
};

/// A protocol with one seed.
struct ProtocolRun {
  unsigned seed = 0;
  std::vector<Experiment> experiments;
  std::vector<FirstModel> machines;

  int attempts() const;
  int open_successes(double allowed_speed = max_speed) const;
  int feedback_successes(double allowed_speed = max_speed) const;
  int plans() const;
  int refused() const;
  int learned() const;                          ///< set-ups
  int learned_with(int identifications) const;  ///< of those
  int met_at_once() const;                      ///< set-ups whose first run met the goal
};

using Watch = std::function<void(const std::string& what)>;

/// The paper's: one machine, four set-ups one after the other, 37 attempts; the model and its
/// recordings are carried over.
ProtocolRun consecutive_protocol(unsigned seed, Beginning beginning, const Watch& watch);

/// 37 independent machines, one attempt each, with the set-ups in the same proportion; quick: three machines, each with
/// a set-up of its own.
ProtocolRun independent_protocol(unsigned seed, Beginning beginning, bool quick, const Watch& watch);

}  // namespace studies::grab
