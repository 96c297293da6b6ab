// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/parts.hpp"
#include "examples/studies/program/library.hpp"

#include "quoin/robots/dynamics/linear_system.hpp"
#include "quoin/robots/identification/output_error.hpp"
#include "quoin/robots/models/fluidic_arm/cubic_actuator.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

/// The experiments of section 4 of the paper, one after the other. Each adds its results to the report.
namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using figures::format_number;
using namespace identification;
using namespace fluidic_arm;

inline constexpr double max_volume = 50;  ///< V_max, mL: the paper's waves have twice this significant height
inline constexpr double identification_step = 0.01;  ///< s: cylinders and actuators are measured at 100 Hz
inline constexpr int trials_of_each = 5;             ///< of a cylinder or an actuator: one to fit, four to judge

/// Three different cylinders: 23, 25, 27 rad/s, damping ratios 0.75, 0.8, 0.85.
std::vector<LinearSystem> true_cylinders();

/// An actuator of Eq. 12 whose linear term gives a sixth of the torque at 50 mL.
inline constexpr CubicActuator linear_actuator{.cubic = 8e-7, .linear = 4e-4};

/// References of Eqs. 18 and 19, mL, a row for each seed, of the given significant height, clipped at +-greatest.
MatrixXd reference_waves(const std::vector<std::uint64_t>& seeds, Index frames, double time_step, double height,
                         double greatest);

/// The names of a table of a trial.
struct TrialColumns {
  std::string file;
  std::vector<std::string> predictions;  ///< its last columns
};

/// <file>.csv: what was measured and predicted, by one model or two, and the reference that drove it.
void write_trial(const TrialColumns& trial, double rate, const MatrixXd& reference, const MatrixXd& measured,
                 const std::vector<MatrixXd>& predicted, const figures::OutputFolder& out);

/// Section 4.2, Fig. 4: each cylinder fitted on one trial, judged by four. Returns the fitted ones, continuous.
std::vector<LinearSystem> identify_cylinders(studies::Report& report, const figures::OutputFolder& out);

/// Section 4.3, Fig. 5: a blocked segment, by Eq. 20 and by Eq. 12.
void identify_actuator(studies::Report& report, const LinearSystem& cylinder, const figures::OutputFolder& out);

/// Section 4.4, Table 1, Fig. 6.
void identify_passive_arm(studies::Report& report, const ProgramOptions& options, const figures::OutputFolder& out);

/// Section 4.4: stiffness, damping, actuators and delay identified together, with known cylinders.
void identify_driven_arm(studies::Report& report, const ProgramOptions& options,
                         const std::vector<LinearSystem>& cylinders);

}  // namespace studies::grab
