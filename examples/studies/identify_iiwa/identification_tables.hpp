// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/program/checks.hpp"
#include "examples/studies/program/library.hpp"

#include <functional>
#include <string>
#include <vector>

/// A study's trials beside the tables of Sutanto et al. 2020.
namespace studies::iiwa {

enum class PaperTable {
  simulation,  ///< Table 1
  robot        ///< Table 2: a real robot; ours, beside it, is simulated
};

/// Mean and standard deviation over the seeds that have the number.
struct Spread {
  double mean = 0, deviation = 0;
  int count = 0;

  Spread(const std::vector<const Trial*>& trials, const std::function<double(const Trial&)>& number,
         const std::function<bool(const Trial&)>& has = {});
  std::string text() const;  ///< "2.2 +- 0.4"
};

/// A row for every model, ours and the paper's.
std::vector<figures::ResultRow> rows_of(const IdentificationStudy& study, PaperTable table);
std::vector<figures::MarkdownColumn> table_columns();
/// These columns, and then how the controlled arm tracks: ours and the paper's.
std::vector<figures::MarkdownColumn> with_tracking(std::vector<figures::MarkdownColumn> columns);

/// The study's expected results.
std::vector<studies::Check> checks_of(const IdentificationStudy& study, PaperTable table, bool binding);

}  // namespace studies::iiwa
