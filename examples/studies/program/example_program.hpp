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

/// The common parts of all examples: options, results, own checks, exit status.
namespace studies {

struct Report {
  figures::JsonResults rows = {};       ///< for programs
  std::string tables = {};              ///< for people, Markdown, with explanations
  std::vector<std::string> notes = {};  ///< plain words, also on shortcomings
  std::vector<Check> checks = {};
  std::string files = {};  ///< pictures and tables written, a line each
};

/// Parses the command line. A CLI::ParseError thrown by the app's callback counts as a mistake, as does nan or inf for
/// an option that is a number. Returns nothing if the program may go on, else its exit status: 0 for help, 2 for a
/// mistake; messages are printed.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// Throws std::runtime_error if printed output is lost, as when the standard output is a file on a full disk.
void require_printed();

/// Runs an example, prints its report, and writes the rows to the file `json` unless that is empty. Returns the exit
/// status: 1 if a binding check does not hold or the example throws.
int run_example(const std::string& name, const std::filesystem::path& out, const std::filesystem::path& json,
                const std::function<Report(const figures::OutputFolder&)>& run);

/// The same for parsed options; if there is nothing to run, returns their exit status.
template <class Options>
int run_example(const std::string& name, const std::variant<Options, int>& parsed,
                Report (&run)(const Options&, const figures::OutputFolder&)) {
  if (const int* status = std::get_if<int>(&parsed)) return *status;
  const Options& options = std::get<Options>(parsed);
  return run_example(name, options.out, options.json,
                     [&](const figures::OutputFolder& out) { return run(options, out); });
}

}  // namespace studies
