// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/reach_study.hpp"

#include <cstdint>

namespace studies::loop {

/// What the pictures without a scene show: scores.json, iterations.json, mouths.json, moving.json, writhe.csv,
/// writhe_matrices.csv.
void write_data(const StudyResults& results, const figures::OutputFolder& out);

void draw_reach(const StudyResults& results, const figures::OutputFolder& out);  ///< reach.svg, plan.pvd
/// chase.svg, chase.pvd; seed: of the poses
void draw_chase(const StudyResults& results, std::uint64_t seed, const figures::OutputFolder& out);

}  // namespace studies::loop
