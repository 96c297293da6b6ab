// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/common_options.hpp"
#include "examples/studies/program/number_option.hpp"
#include "examples/studies/program/report.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace studies {

/// Parses the command line. A CLI::ParseError thrown by the app's callback counts as a mistake, as does nan or inf for
/// an option that is a number. Returns nothing if the program may go on, else its exit status: 0 for help, 2 for a
/// mistake; messages are printed.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// Throws std::runtime_error if printed output is lost, as when the standard output is a file on a full disk.
void require_printed();

/// The command line of a study: the study's own options, then --out, --json and --quick.
///
///     struct Options : CommonOptions {
///       int scenes = 5;
///     } options;
///     CommandLine line("unwrap", "A rope arm unwinds ...", "Under half a minute: few scenes", options);
///     line.add_option_with_quick("--scenes", options.scenes, 3, "Of each winding")->check(CLI::Range(1, 10000));
///     return line.run(argc, argv, [&](const figures::OutputFolder& out) { return study(options, out); });
///
/// Variables keep their values unless the user says otherwise, and must outlive the command line.
class CommandLine : private CLI::App {
 public:
  CommandLine(const std::string& program, const std::string& description, std::string help_of_quick,
              CommonOptions& options);

  using CLI::App::add_flag;
  using CLI::App::callback;  ///< runs after parsing; refuses with a CLI::ValidationError
  using CLI::App::count;     ///< how often the user gave an option

  /// The help shows the variable's value, unless that is empty, as the default.
  template <class T>
  CLI::Option* add_option(const std::string& name, T& variable, const std::string& help) {
    return CLI::App::add_option(name, variable, help)->capture_default_str();
  }

  /// The same for an option that has another default with --quick; the help names both.
  template <class T>
  CLI::Option* add_option_with_quick(const std::string& name, T& variable, const std::type_identity_t<T>& quick,
                                     const std::string& help) {
    defaults_of_quick_.emplace_back([this, name, &variable, quick] {
      if (count(name) == 0) variable = quick;
    });
    return CLI::App::add_option(
        name, variable, help + "; " + in_words(variable) + ", with --quick " + in_words(quick) + ", if not set");
  }

  /// Parses, runs the study, prints its report, and writes the rows to the file of --json. Returns the exit status: 0,
  /// also for help, 1 if a binding check does not hold or the study throws, 2 for a mistake in the command line.
  int run(int argc, char** argv, const std::function<Report(const figures::OutputFolder&)>& study);

 private:
  template <class Number>
  static std::string in_words(const Number& number) {
    return quoin::to_text(number);
  }
  template <class Number>
  static std::string in_words(const std::vector<Number>& numbers) {
    std::string words;
    for (const Number& number : numbers) words += (words.empty() ? "" : ",") + quoin::to_text(number);
    return words;
  }

  CommonOptions& options_;
  std::string help_of_quick_;
  std::vector<std::function<void()>> defaults_of_quick_;
};

}  // namespace studies
