// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/command_line.hpp"
#include "examples/studies/program/common_options.hpp"
#include "examples/studies/program/report.hpp"
#include "quoin/util/to_text.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace studies {

/// The command line of a study: the study's own options, then --out, --json, --quick and --checks.
///
///     struct Options : CommonOptions {
///       int scenes = 5;
///     } options;
///     StudyCommandLine line("unwrap", "A rope arm unwinds ...", "Under half a minute: few scenes", options);
///     line.add_with_quick("--scenes", options.scenes, 3, "Of each winding").between(1, 10000);
///     return line.run(argc, argv, [&](const figures::OutputFolder& out) { return study(options, out); });
class StudyCommandLine : public CommandLine {
 public:
  StudyCommandLine(const std::string& program, const std::string& description, std::string help_of_quick,
                   CommonOptions& options);

  /// The same as add() for an option that has another default with --quick; the help names both.
  template <class T>
  Option add_with_quick(const std::string& name, T& variable, const std::type_identity_t<T>& quick,
                        const std::string& help) {
    defaults_of_quick_.emplace_back([this, name, &variable, quick] {
      if (count(name) == 0) variable = quick;
    });
    return add(name, variable, help + "; " + in_words(variable) + ", with --quick " + in_words(quick) + ", if not set")
        .without_default();
  }

  /// Parses, runs the study, prints its report, and writes the rows to the file of --json. Returns the exit status: 0,
  /// also for help, 1 if a binding check does not hold or the study throws, 2 for a mistake in the command line.
  int run(int argc, char** argv, const std::function<Report(const figures::OutputFolder&)>& study);

 private:
  template <class Number>
  static std::string in_words(const Number& number) {
    return quoin::to_text(number);
  }
  static std::string in_words(const std::string& word) { return word; }
  template <class Value>
  static std::string in_words(const std::vector<Value>& values) {
    std::string words;
    for (const Value& value : values) words += (words.empty() ? "" : ",") + in_words(value);
    return words;
  }

  CommonOptions& options_;
  std::string help_of_quick_;
  std::vector<std::function<void()>> defaults_of_quick_;
};

}  // namespace studies
