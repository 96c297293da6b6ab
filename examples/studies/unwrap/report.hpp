// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/rate.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/program/statistics.hpp"
#include "examples/studies/unwrap/study.hpp"

#include <string>
#include <vector>

namespace studies::unwrap {

studies::Report report_on(const StudyResults& results, const StudyChoice& choice);

/// What the pictures of Figs. 6 and 7 show: trials.json, precisions.json, writhe.csv, writhe_matrices.csv.
void write_data(const StudyResults& results, const figures::OutputFolder& out);

/// Draws the scenes of Fig. 5 and the motion, and writes frames for ParaView; returns a line for each file.
std::string draw(const Shown& shown, const StudyChoice& choice, const figures::OutputFolder& out);

/// The trials of one planner, at one winding or (negative) at all.
std::vector<Trial> trials_of(std::vector<Trial> trials, const std::string& planner, double winding = -1);

std::vector<Trial> successes(std::vector<Trial> trials);

/// How many succeeded.
studies::Rate rate_of(const std::vector<Trial>& trials);

/// A planner's control cost over AICO's in each scene that both solved.
std::vector<double> cost_ratios(const std::vector<Trial>& all, const std::string& planner, double winding = -1);

/// Medians; NaN if there are none.
template <class Number>
double median_of(const std::vector<Trial>& trials, Number Trial::*value);

template <class Number>
double median_of(const std::vector<Trial>& trials, Number Trial::*value) {
  std::vector<double> values;
  for (const Trial& trial : trials) values.push_back(static_cast<double>(trial.*value));
  return studies::median(std::move(values));
}

}  // namespace studies::unwrap
