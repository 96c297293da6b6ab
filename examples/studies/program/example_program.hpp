// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/checks.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

/// What every example does alike: options, results, its own check, exit status.
namespace studies {

struct Report {
  figures::JsonResults rows = {};       ///< for programs
  std::string tables = {};              ///< for people, Markdown, with how to read them
  std::vector<std::string> notes = {};  ///< plain words, on what falls short too
  std::vector<Check> checks = {};
  std::string files = {};  ///< which pictures and tables were written, a line each
};

/// Parses the command line; what the app's callback throws as a CLI::ParseError is a mistake as well, and so is nan or
/// inf for any option that is a number. Nothing if the program may go on, else its exit status: 0 for help, 2 for a
/// mistake; messages have been printed.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// Throws std::runtime_error if something that was printed is lost, as where the standard output is a file on a full disk.
void require_printed();

/// Runs an example, prints its report, writes the rows to the file `json` unless that is empty. Returns the exit status:
/// 1 if a binding check does not hold or the example throws.
int run_example(const std::string& name, const std::filesystem::path& out, const std::filesystem::path& json,
                const std::function<Report(const figures::OutputFolder&)>& run);

/// The same for parsed options, unless there is nothing to run: then their exit status.
template <class Options>
int run_example(const std::string& name, const std::variant<Options, int>& parsed,
                Report (&run)(const Options&, const figures::OutputFolder&)) {
  if (const int* status = std::get_if<int>(&parsed)) return *status;
  const Options& options = std::get<Options>(parsed);
  return run_example(name, options.out, options.json,
                     [&](const figures::OutputFolder& out) { return run(options, out); });
}

}  // namespace studies
