// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/support/benchmark_program.hpp"

#include "examples/studies/program/command_line.hpp"
#include "quoin/util/files.hpp"

#include <exception>
#include <iostream>

namespace benchmarks {

void Report::add_table(const std::string& words, const studies::figures::JsonResults& table) {
  notes += "\n" + words + "\n\n" + table.markdown() + "\n";
  further_rows.insert(further_rows.end(), table.rows().begin(), table.rows().end());
}

int run_benchmark(int argc, char** argv, const std::string& name, const std::string& description,
                  const std::function<Report(bool quick)>& benchmark) {
  studies::CommandLine line(name, description);
  bool quick = false;
  std::string json, markdown;
  line.add_flag("--quick", quick, "A smaller run, under a minute");
  line.add("--json", json, "Write the rows of results to this file");
  line.add("--markdown", markdown, "Write the table and notes to this file");
  if (const auto status = line.parse(argc, argv)) return *status;

  try {
    for (const std::string& file : {json, markdown})
      if (!file.empty()) require_writable(file);
    const Report report = benchmark(quick);
    const std::string text = "## " + name + "\n\n" + description + (quick ? " (Quick run.)" : "") + "\n\n" +
                             report.results.markdown(report.columns) + "\n" + report.notes + "\n" +
                             to_markdown(report.checks);
    std::cout << text;
    studies::require_printed();
    if (!json.empty()) {
      studies::figures::JsonResults all = report.results;
      for (const studies::figures::ResultRow& row : report.further_rows) all.add(row);
      all.write(json);
    }
    if (!markdown.empty()) write_file(markdown, text);
    return passed(report.checks) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace benchmarks
