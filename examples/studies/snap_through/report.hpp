// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/snap_through/history.hpp"
#include "examples/studies/snap_through/study.hpp"

#include <string>

namespace studies::branches {

/// Adds rows, notes and checks.
void add(studies::Report& report, const Result& result);
void add(studies::Report& report, const History& history);

/// Tables of a report's rows.
std::string tables(const figures::JsonResults& rows);

/// <key>_line.csv, <key>_queries.csv, <key>_curves.csv.
void write_csv(const Result& result, const figures::OutputFolder& out);
/// <key>_history.csv.
void write_csv(const History& history, const figures::OutputFolder& out);

}  // namespace studies::branches
