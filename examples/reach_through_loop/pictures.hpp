// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/reach_through_loop/reach_study.hpp"
#include "quoin/io/output_folder.hpp"

#include <string>

namespace quoin::loop {

/// All pictures and frames. Returns a line for each.
std::string draw(const StudyResults& results, const io::OutputFolder& out);

void draw_reach(const StudyResults& results, const io::OutputFolder& out);   ///< reach.svg, plan.pvd
void draw_chase(const StudyResults& results, const io::OutputFolder& out);   ///< chase.svg, chase.pvd
void draw_writhe(const StudyResults& results, const io::OutputFolder& out);  ///< writhe.svg
void draw_sweep(const StudyResults& results, const io::OutputFolder& out);   ///< sweep.svg
void draw_moving(const StudyResults& results, const io::OutputFolder& out);  ///< moving.svg

}  // namespace quoin::loop
