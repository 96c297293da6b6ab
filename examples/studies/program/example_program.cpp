// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/example_program.hpp"

#include "examples/studies/program/number_option.hpp"
#include "quoin/core/files.hpp"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>

namespace studies {

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

int run_example(const std::string& name, const std::filesystem::path& out, const std::filesystem::path& json,
                const std::function<Report(const figures::OutputFolder&)>& run) {
  try {
    const figures::OutputFolder folder(out);
    if (!json.empty()) quoin::require_writable(json);
    const Report report = run(folder);
    std::cout << "\n" << report.tables << "\n";
    for (const std::string& note : report.notes) std::cout << "- " << note << "\n";
    std::cout << "\n"
              << to_markdown(report.checks) << "\nPictures and tables are in " << folder.path().string() << "/:\n"
              << report.files;
    require_printed();
    if (!json.empty()) report.rows.write(json);
    return passed(report.checks) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace studies
