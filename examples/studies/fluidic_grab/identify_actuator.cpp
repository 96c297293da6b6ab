// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/identify_parts.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"

#include "quoin/robots/identification/linear_system_fit.hpp"
#include "quoin/robots/identification/output_error.hpp"
#include "quoin/robots/models/fluidic_arm/volume_history.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace studies::grab {
namespace {

constexpr Index torque_frames = 1001;
constexpr double actuator_delay = 0.05;  // s
constexpr double torque_noise = 2.5e-3;  // N m

/// The volumes that a reference moves through a cylinder, at any time.
std::shared_ptr<const VolumeHistory> volumes(const LinearSystem& cylinder, const MatrixXd& references) {
  auto history = std::make_shared<VolumeHistory>(std::vector{cylinder}, identification_step);
  for (Index i = 0; i + 1 < torque_frames; ++i) history->advance(references.col(i));
  return history;
}

/// Eq. 20, with the linear term of Eq. 12; the unknowns are c, t_d, linear.
OutputPrediction torques(const std::shared_ptr<const VolumeHistory>& history) {
  return [history](const VectorXd& p, MatrixXd& Y, MatrixXd* dY_dp) {
    const CubicActuator actuator{.cubic = p[0], .linear = p[2]};
    Y.resize(1, torque_frames);
    if (dY_dp != nullptr) dY_dp->resize(torque_frames, 3);
    VectorXd V, V_rate;
    for (Index i = 0; i < torque_frames; ++i) {
      history->at(identification_step * static_cast<double>(i) - p[1], V, V_rate);
      Y(0, i) = actuator.torque(V[0]);
      if (dY_dp != nullptr) dY_dp->row(i) << V[0] * V[0] * V[0], -actuator.slope(V[0]) * V_rate[0], V[0];
    }
    return true;
  };
}

struct BlockedTrial {
  MatrixXd references, torques;
  OutputPrediction model;
};

/// The torque, from the force of a blocked tip.
BlockedTrial run_blocked(const CubicActuator& actuator, const LinearSystem& true_cylinder, const LinearSystem& cylinder,
                         int trial) {
  const auto seed = static_cast<unsigned>(500 + trial);
  BlockedTrial seen{reference_waves({seed}, torque_frames, identification_step, 2 * max_volume, max_volume), {}, {}};
  torques(volumes(true_cylinder, seen.references))(Eigen::Vector3d(actuator.cubic, actuator_delay, actuator.linear),
                                                   seen.torques, nullptr);
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, torque_noise);
  for (Index i = 0; i < torque_frames; ++i) seen.torques(0, i) += normal(generator);
  seen.model = torques(volumes(cylinder, seen.references));
  return seen;
}

}  // namespace

void identify_actuator(studies::Report& report, const LinearSystem& cylinder, const figures::OutputFolder& out) {
  figures::JsonResults table;
  double worst_matched = 0, min_matched = 100;
  double two_of_linear = 0, three_of_linear = 0;
  for (const CubicActuator truth : {CubicActuator{.cubic = 8e-7}, linear_actuator}) {
    std::vector<BlockedTrial> seen;
    for (int trial = 0; trial < trials_of_each; ++trial)
      seen.push_back(run_blocked(truth, true_cylinders()[1], cylinder, trial));
    MatrixXd two, three;
    for (const bool linear : {false, true}) {
      const std::vector<OutputErrorParameter> unknowns{
          {.name = "c", .initial = 5e-7, .lower = 1e-8, .upper = 5e-6, .scale = 1e-6},
          {.name = "t_d", .initial = 0.02, .lower = 0, .upper = 0.2, .scale = 0.05},
          {.name = "linear", .initial = 0, .lower = 0, .upper = linear ? 1e-2 : 0, .scale = 1e-3}};
      const OutputErrorFit fit = fit_output_error(unknowns, seen[0].model, seen[0].torques,
                                                  {.block_size = 1, .criterion = OutputErrorCriterion::least_squares});
      std::vector<double> valid;
      for (int trial = 1; trial < trials_of_each; ++trial) {
        MatrixXd predicted;
        const BlockedTrial& other = seen[static_cast<std::size_t>(trial)];
        other.model(fit.p, predicted, nullptr);
        valid.push_back(fit_percentage(other.torques, predicted));
        if (trial == 1) (linear ? three : two) = predicted;
      }
      const double least = *std::ranges::min_element(valid);
      const double c_error = 100 * (fit.p[0] / truth.cubic - 1), delay_error = 100 * (fit.p[1] / actuator_delay - 1);
      if (linear == (truth.linear > 0)) {
        worst_matched = std::max({worst_matched, std::abs(c_error), std::abs(delay_error)});
        min_matched = std::min(min_matched, least);
      }
      if (truth.linear > 0) (linear ? three_of_linear : two_of_linear) = least;
      table.add(figures::ResultRow()
                    .set("figure", "5")
                    .show("actuator", truth.linear > 0 ? "cubic and linear" : "cubic")
                    .show("model", linear ? "c, t_d, linear (Eq. 12)" : "c, t_d (Eq. 20)")
                    .show("c", fit.p[0], "c", 4)
                    .show("c_error", c_error, "error of c [%]", 2)
                    .show("delay", fit.p[1], "t_d [s]", 4)
                    .show("delay_error", delay_error, "error of t_d [%]", 2)
                    .show("linear", fit.p[2], "linear", 4)
                    .show("fit", fit_percentage(seen[0].torques, fit.predicted), "fit", 4)
                    .show("min_valid", least, "least of four", 4)
                    .show("max_valid", *std::ranges::max_element(valid), "greatest", 4)
                    .set("converged", fit.converged()));
    }
    if (truth.linear > 0)
      write_trial({"actuator", {"cubic", "cubic_and_linear"}}, identification_step, seen[1].references, seen[1].torques,
                  {two, three}, out);
  }
  report.add_table(
      "## Actuators (section 4.3, Fig. 5)\n\nTorque of a blocked segment under a wave, 10 s at 100 Hz, noise of 2.5 mN "
      "m; fitted on one trial, four others judge. The truth: c = 8e-7 N m / mL^3, t_d = 50 ms, without and with a "
      "linear term of 4e-4 N m / mL.",
      table);
  report.checks.push_back({"The right model of an actuator finds c and t_d within 1 % (" +
                               format_number(worst_matched) + " %) and predicts every other trial by 90 % or more (" +
                               format_number(min_matched, 4) + " %)",
                           worst_matched <= 1 && min_matched >= 90});
  report.checks.push_back({"Of an actuator with a linear term, Eq. 12's model predicts better (" +
                               format_number(three_of_linear, 4) + " %) than Eq. 20's (" +
                               format_number(two_of_linear, 4) + " %)",
                           three_of_linear > two_of_linear});
  report.pictures += "- actuator.svg: an actuator, measured and predicted (Fig. 5)\n";
}

}  // namespace studies::grab
