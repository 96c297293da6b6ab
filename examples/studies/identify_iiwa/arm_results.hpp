// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/identify_iiwa/epoch_counts.hpp"
#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/identify_iiwa/payload_study.hpp"
#include "examples/studies/identify_iiwa/program_options.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"

#include <optional>
#include <vector>

namespace studies::iiwa {

/// Results of the parts that the options select.
struct ArmResults {
  std::optional<IdentificationStudy> simulation = {}, harder = {};
  std::vector<EpochCounts> epochs = {};
  std::vector<FeedbackLevel> feedback = {};
  std::vector<OnlineCurve> online = {};
  std::vector<PayloadTrial> payload = {};
};

/// Runs the parts; shows progress on std::cerr.
ArmResults run_parts(const ProgramOptions& options);

/// Tables, notes and checks; those on the paper's motion and loss bind if `as_in_paper`.
studies::Report report_on(const ArmResults& results, bool as_in_paper);

/// Writes what pictures show, a CSV of each, and names.json; returns a line for each picture.
std::string write_data(const ArmResults& results, const figures::OutputFolder& out);

}  // namespace studies::iiwa
