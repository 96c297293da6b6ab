// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/reach_study.hpp"

#include <cstdint>
#include <string>

namespace studies::loop {

/// Draws all pictures and frames; seed: of the poses. Returns a line for each.
std::string draw(const StudyResults& results, std::uint64_t seed, const figures::OutputFolder& out);

void draw_reach(const StudyResults& results, const figures::OutputFolder& out);  ///< reach.svg, plan.pvd
/// chase.svg, chase.pvd
void draw_chase(const StudyResults& results, std::uint64_t seed, const figures::OutputFolder& out);
void draw_writhe(const StudyResults& results, const figures::OutputFolder& out);  ///< writhe.svg
void draw_sweep(const StudyResults& results, const figures::OutputFolder& out);   ///< sweep.svg
void draw_mouths(const StudyResults& results, const figures::OutputFolder& out);  ///< mouths.svg
void draw_moving(const StudyResults& results, const figures::OutputFolder& out);  ///< moving.svg

}  // namespace studies::loop
