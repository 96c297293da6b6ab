// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/snap_through/history.hpp"
#include "examples/snap_through/study.hpp"
#include "examples/support/example_program.hpp"
#include "quoin/io/output_folder.hpp"

#include <string>

namespace quoin::branches {

/// Adds rows, notes and checks.
void add(study::Report& report, const Result& result);
void add(study::Report& report, const History& history);

/// Of a report's rows.
std::string tables(const io::JsonResults& rows);

/// <key>_line.csv, <key>_queries.csv, <key>_curves.csv.
void write_csv(const Result& result, const io::OutputFolder& out);
/// <key>_history.csv.
void write_csv(const History& history, const io::OutputFolder& out);

}  // namespace quoin::branches
