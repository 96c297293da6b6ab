// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/reach_through_loop/reach_study.hpp"
#include "examples/support/example_program.hpp"

namespace quoin::loop {

/// Tables, notes and checks; whole: with as many poses and settings as the claims are made for.
study::Report report_on(const StudyResults& results, bool whole);

}  // namespace quoin::loop
