// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/command_line.hpp"

#include "quoin/core/files.hpp"

#include <cerrno>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace studies {
namespace {

void print(const Report& report, const figures::OutputFolder& folder) {
  std::cout << "\n" << report.tables << "\n";
  for (const std::string& note : report.notes) std::cout << "- " << note << "\n";
  std::cout << "\n"
            << to_markdown(report.checks) << "\nPictures and tables are in " << folder.path().string() << "/:\n"
            << report.files;
  require_printed();
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name().starts_with("FLOAT")) option->check(finite());
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << app.get_name() << ": " << error.what() << "; --help lists the options\n";
    return 2;
  }
}

void require_printed() {
  errno = 0;
  if (!std::cout.flush())
    throw std::runtime_error("cannot write to the standard output: " +
                             (errno == 0 ? "a write before failed" : std::generic_category().message(errno)));
}

CommandLine::CommandLine(const std::string& program, const std::string& description, std::string help_of_quick,
                         CommonOptions& options)
    : CLI::App(description, program), options_(options), help_of_quick_(std::move(help_of_quick)) {
  options_.out = "out/" + program;
}

int CommandLine::run(int argc, char** argv, const std::function<Report(const figures::OutputFolder&)>& study) {
  add_option("--out", options_.out, "Folder for pictures, tables and other results");
  add_option("--json", options_.json, "Write the rows of results to this file");
  add_flag("--quick", options_.quick, help_of_quick_);
  if (const auto status = studies::parse(*this, argc, argv)) return *status;
  if (options_.quick)
    for (const auto& set_default : defaults_of_quick_) set_default();
  try {
    const figures::OutputFolder folder(options_.out);
    if (!options_.json.empty()) quoin::require_writable(options_.json);
    const Report report = study(folder);
    print(report, folder);
    if (!options_.json.empty()) report.rows.write(options_.json);
    return passed(report.checks) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << get_name() << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace studies
