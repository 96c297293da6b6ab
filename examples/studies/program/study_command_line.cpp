// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/study_command_line.hpp"

#include "quoin/util/files.hpp"

#include <exception>
#include <iostream>
#include <utility>

namespace studies {
namespace {

void print(const std::string& study, const Report& report, const figures::OutputFolder& folder, bool all_checks) {
  std::cout << "\n" << report.tables << "\n";
  for (const std::string& note : report.notes) std::cout << "- " << note << "\n";
  std::cout << "\n"
            << (all_checks ? to_markdown(report.checks) : in_short(report.checks)) << "\nData and pictures are in "
            << folder.path().string() << "/:\n"
            << report.files;
  if (!report.pictures.empty())
    std::cout << "Further pictures: python3 examples/studies/" << study << "/figures.py " << folder.path().string()
              << "\n"
              << report.pictures;
  require_printed();
}

}  // namespace

StudyCommandLine::StudyCommandLine(const std::string& program, const std::string& description,
                                   std::string help_of_quick, CommonOptions& options)
    : CommandLine(program, description), options_(options), help_of_quick_(std::move(help_of_quick)) {
  options_.out = "out/" + program;
}

int StudyCommandLine::run(int argc, char** argv, const std::function<Report(const figures::OutputFolder&)>& study) {
  add("--out", options_.out, "Folder for pictures, tables and other results");
  add("--json", options_.json, "Write the rows of results to this file");
  add_flag("--quick", options_.quick, help_of_quick_);
  add_flag("--checks", options_.checks, "List all checks, not only those that do not hold");
  if (const auto status = parse(argc, argv)) return *status;
  if (options_.quick)
    for (const auto& set_default : defaults_of_quick_) set_default();
  try {
    const figures::OutputFolder folder(options_.out);
    if (!options_.json.empty()) quoin::require_writable(options_.json);
    const Report report = study(folder);
    print(this->program(), report, folder, options_.checks);
    if (!options_.json.empty()) report.rows.write(options_.json);
    return passed(report.checks) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << this->program() << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace studies
