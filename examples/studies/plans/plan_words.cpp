// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/plans/plan_words.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace studies {
namespace {

/// The row with entries that may be extrapolated as text: "8940", or "~ 8940" if extrapolated.
figures::ResultRow worded(const figures::ResultRow& row) {
  const std::string about = std::get<std::string>(row.at("extrapolated")).empty() ? "" : "~ ";
  figures::ResultRow words = row;
  words.set("evaluations", about + to_text(std::lround(std::get<double>(row.at("evaluations")))));
  words.set("wall_seconds", about + figures::format_number(std::get<double>(row.at("wall_seconds"))));
  return words;
}

}  // namespace

int iterations(const Plan& plan) {
  return static_cast<int>(
      std::count_if(plan.log.begin(), plan.log.end(), [](const PlanIteration& it) { return it.iteration > 0; }));
}

std::string evaluations_by_round(const Plan& plan) {
  std::string words;
  long before = 0;
  for (std::size_t i = 0; i < plan.log.size(); ++i) {
    const PlanIteration& it = plan.log[i];
    if (i + 1 < plan.log.size() && plan.log[i + 1].round == it.round) continue;
    words += (words.empty() ? "" : " + ") + to_text(it.evaluations - before);
    before = it.evaluations;
  }
  return words;
}

std::string table_of_plans(const figures::JsonResults& rows, std::vector<figures::MarkdownColumn> before,
                           const std::vector<figures::MarkdownColumn>& after) {
  figures::JsonResults plans;
  for (const figures::ResultRow& row : rows.rows()) plans.add(worded(row));
  std::vector<figures::MarkdownColumn> columns = std::move(before);
  columns.insert(columns.end(), {{"evaluations"},
                                 {"evaluations_saved", "fewer"},
                                 {"wall_seconds", "wall [s]"},
                                 {"speedup", "faster"},
                                 {"iterations"}});
  columns.insert(columns.end(), after.begin(), after.end());
  return plans.markdown(columns);
}

}  // namespace studies
