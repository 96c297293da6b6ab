// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/report.hpp"

namespace studies {

void Report::add_table(const std::string& words, const figures::JsonResults& table,
                       const std::vector<figures::MarkdownColumn>& columns) {
  for (const figures::ResultRow& row : table.rows()) rows.add(row);
  show_table(words, table, columns);
}

void Report::show_table(const std::string& words, const figures::JsonResults& table,
                        const std::vector<figures::MarkdownColumn>& columns) {
  tables += words + "\n\n" + table.markdown(columns) + "\n";
}

}  // namespace studies
