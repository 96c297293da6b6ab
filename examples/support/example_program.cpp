// SPDX-License-Identifier: BSD-3-Clause
#include "examples/support/example_program.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace quoin::study {

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << app.get_name() << ": " << error.what() << "; --help lists the options\n";
    return 2;
  }
}

int run_example(const std::string& name, const std::filesystem::path& out, const std::filesystem::path& json,
                const std::function<Report(const io::OutputFolder&)>& run) {
  try {
    const io::OutputFolder folder(out);
    if (!json.empty() && !std::ofstream(json, std::ios::app))
      throw std::runtime_error("cannot write to '" + json.string() + "'; choose another file with --json");
    const Report report = run(folder);
    std::cout << "\n" << report.tables << "\n";
    for (const std::string& note : report.notes) std::cout << "- " << note << "\n";
    std::cout << "\n"
              << to_markdown(report.checks) << "\nPictures and tables are in " << folder.path().string() << "/:\n"
              << report.files;
    if (!json.empty()) report.rows.write(json);
    return passed(report.checks) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace quoin::study
