// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/identification/output_error.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::grab {

/// The unknowns of an experiment with an arm. Each of `fluidic_arm::SystemParameters` is either known or a factor times
/// an unknown: one damping for all segments is one unknown with four shares.
///
///     ArmUnknowns unknowns(known, initial_angles);
///     unknowns.add({.name = "k", .initial = 0.12, .lower = 0.09, .upper = 0.15, .scale = 0.1},
///                  {{layout.stiffness(0)}, {layout.stiffness(1), 1.2}});
///     auto fit = fit_output_error(unknowns.parameters(), unknowns.prediction(inputs, 0.02), measured);
///     FluidicSystem identified = unknowns.system(fit.p);
class ArmUnknowns {
 public:
  struct Share {
    Eigen::Index parameter;  ///< of SystemParameters
    double factor = 1;
  };

  ArmUnknowns(fluidic_arm::FluidicSystem known, const Eigen::VectorXd& initial_angles);

  void add(identification::OutputErrorParameter unknown, const std::vector<Share>& shares);

  const std::vector<identification::OutputErrorParameter>& parameters() const { return unknowns_; }
  const fluidic_arm::SystemParameters& layout() const { return layout_; }
  Eigen::VectorXd all(const Eigen::VectorXd& p) const { return known_values_ + shares_ * p; }  ///< SystemParameters
  fluidic_arm::FluidicSystem system(const Eigen::VectorXd& p) const { return layout_.write(known_, all(p)); }

  /// Where each trial begins at rest: at the angles of the constructor, or at unknown ones: then p holds, after the
  /// unknowns, N angles for each trial.
  enum class Starts { known, unknown };

  /// The ends of all segments, 2N x frames, from rest, under inputs in the form of `fluidic_arm::simulate`. Several
  /// trials are further columns.
  identification::OutputPrediction prediction(std::vector<Eigen::MatrixXd> trials, double time_step, double step = 4e-3,
                                              Starts starts = Starts::known) const;
  identification::OutputPrediction prediction(const Eigen::MatrixXd& inputs, double time_step,
                                              double step = 4e-3) const {
    return prediction(std::vector{inputs}, time_step, step);
  }

 private:
  fluidic_arm::FluidicSystem known_;
  fluidic_arm::SystemParameters layout_;
  std::vector<identification::OutputErrorParameter> unknowns_;
  Eigen::VectorXd known_values_;  // 0 where an unknown has a share
  Eigen::MatrixXd shares_;        // SystemParameters x unknowns
};

}  // namespace studies::grab
